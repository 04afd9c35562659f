import { lstatSync, utimesSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Layer } from '../../../core/layer.ts'
import { steadyMs } from '../../system/clock.ts'
import { OWNER_FILE } from '../layer-owner.ts'

/** Less than this is within ticks of the clock. */
const STEP_MS = 100

const begun = new WeakMap<Layer, number>()

/** Notes that a layer begins now, by a clock that nobody sets. */
export function noteBegun(layer: Layer): void {
  begun.set(layer, steadyMs())
}

/**
 * When a layer was made as the clock of the file system says by now: earlier than it said then if it was set back. What
 * was changed after that has the time of another clock, which is before the beginning of the layer.
 */
export function startBySetClock(layer: Layer, nowMs: (layer: Layer) => number = readClock): number {
  const at = begun.get(layer)
  const startMs = at === undefined ? layer.startedMs : nowMs(layer) - (steadyMs() - at)
  return layer.startedMs - startMs > STEP_MS ? startMs : layer.startedMs
}

/** The time of the file system that the layer is on. */
function readClock({ parts, startedMs }: Layer): number {
  const file = join(dirname(parts[0]?.folder ?? ''), OWNER_FILE)
  try {
    const now = new Date()
    utimesSync(file, now, now)
    return lstatSync(file).ctimeMs
  } catch {
    // Then nothing of the layer can be read either.
    return startedMs
  }
}
