import type { Settings } from '../../config/keys.ts'
import { COPIED_FILES, LAYER_WATCH } from '../../config/fixed-values.ts'
import { ToolFailure } from '../../core/error.ts'
import type { Layer } from '../../core/layer.ts'
import { measureLayer } from '../../host/layer/measure-layer.ts'
import type { WrittenFile } from '../../host/layer/measure-layer.ts'
import { readableName } from '../../host/root/exact-name.ts'
import { relativeTo } from '../../host/root/rel-path.ts'
import { createPause, steadyMs } from '../../host/system/clock.ts'
import { freeBytes } from '../../host/system/resources.ts'
import { runWithPauses } from '../../host/system/steps.ts'
import { findExcess } from '../../workspace/layers/judge/size-limits.ts'

/** Watches how much a running command writes on its layer. */
export interface LayerWatch {
  /** Fires when it is too much. */
  readonly signal: AbortSignal
  /** Ends the watch; throws if the command was stopped for it. */
  readonly end: () => void
}

/**
 * Looks now and then how full the disk is, which costs nothing, and at the layer itself if that has shrunk much or the last
 * look is long ago. So a command that writes without end is stopped soon after its limit.
 */
export function watchLayer(layer: Layer, settings: Settings, base: string): LayerWatch {
  const limits = limitsOf(layer, settings)
  const folder = layer.parts[0]?.folder ?? ''
  const stop = new AbortController()
  const firstFree = freeBytes(folder) ?? Infinity
  const leastFree = Math.min(LAYER_WATCH.leastFreeBytes, firstFree / 2)
  const step = Math.min(LAYER_WATCH.stepBytes, limits.maxBytes / 4)
  let seen = { free: firstFree, atMs: steadyMs(), costMs: 0 }
  let fault: ToolFailure | null = null
  let isMeasuring = false

  const measure = async (free: number): Promise<void> => {
    const startedMs = steadyMs()
    const files = await runWithPauses(measureLayer(layer), createPausing())
    seen = { free, atMs: steadyMs(), costMs: steadyMs() - startedMs }
    const sized = files.map(({ path, bytes }) => ({ display: displayOf(path, base), bytes }))
    const isFull = free < leastFree && sumOf(files) > leastFree
    const excess = findExcess(sized, limits, isFull ? 'full' : 'running')
    if (excess === null || stop.signal.aborted) return
    fault = excess
    stop.abort()
  }

  const look = (): void => {
    if (isMeasuring) return
    const free = freeBytes(folder) ?? Infinity
    const restMs = Math.max(LAYER_WATCH.restMs, seen.costMs * LAYER_WATCH.restPerCost)
    const isDue = seen.free - free >= step || free < leastFree || steadyMs() - seen.atMs >= restMs
    if (!isDue) return
    isMeasuring = true
    measure(free)
      // The layer may be in any state while the command works; it is judged at the end in any case.
      .catch(() => {})
      .finally(() => (isMeasuring = false))
  }

  const timer = setInterval(look, LAYER_WATCH.everyMs).unref()
  return {
    signal: stop.signal,
    end: () => {
      clearInterval(timer)
      if (fault !== null) throw fault
    },
  }
}

/** A copy of the workspace holds the workspace besides what was written. */
function limitsOf({ rung }: Layer, settings: Settings) {
  const maxBytes = settings['tools.shell.layer_max_bytes']
  const maxFiles = settings['tools.shell.layer_max_files']
  if (rung === 'overlay') return { maxBytes, maxFiles }
  return {
    maxBytes: maxBytes + settings['tools.shell.layer_copy_max_bytes'],
    maxFiles: maxFiles + COPIED_FILES,
  }
}

function createPausing(): () => Promise<void> | undefined {
  const pause = createPause()
  return () => pause(false)
}

function sumOf(files: readonly WrittenFile[]): number {
  return files.reduce((sum, { bytes }) => sum + bytes, 0)
}

function displayOf(path: string, base: string): string {
  return readableName(relativeTo(base, path) ?? path)
}
