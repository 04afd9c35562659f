import { cancelledError, ToolFailure } from '../../core/error.ts'
import { createPause } from '../../host/system/clock.ts'
import type { Pause } from './layer-files.ts'

/** Creates a function that lets other work go on now and then, and throws as soon as the reading is cancelled. */
export function createLayerPause(signal: AbortSignal | undefined): Pause {
  const pause = createPause()
  return () => {
    if (signal?.aborted === true) throw new ToolFailure(cancelledError())
    return pause(false)
  }
}
