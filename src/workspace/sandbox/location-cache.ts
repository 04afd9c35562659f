import { systemClock } from '../../host/system/clock.ts'
import type { Intent } from './denies.ts'
import type { Located, Sandbox } from './sandbox.ts'

const TRUST_MS = 1
const MAX_CACHED = 512

/** Where a path led, and in which generation of the cache. */
interface Seen {
  readonly located: Located
  readonly generation: number
  readonly until: number
}

/** A sandbox that locates a path once for planning, rechecking and opening the file in quick succession. */
export interface CachingSandbox extends Sandbox {
  /** Discards all entries. Called whenever we may have changed where a path leads. */
  readonly clearPathCache: () => void
}

/**
 * Caches for a moment where paths lead. A change by another process in that time is the same race as one between checking
 * and opening: opening goes through handles and does not trust names.
 */
export function cacheLocations(sandbox: Sandbox): CachingSandbox {
  const cached: Record<Intent, Map<string, Seen>> = {
    read: new Map(),
    list: new Map(),
    write: new Map(),
  }
  let generation = 0
  return {
    ...sandbox,
    locate(path, intent) {
      const now = systemClock.elapsed()
      const found = cached[intent].get(path)
      if (found !== undefined && found.generation === generation && now < found.until) return found.located
      const located = sandbox.locate(path, intent)
      if (cached[intent].size >= MAX_CACHED) cached[intent].clear()
      cached[intent].set(path, { located, generation, until: now + TRUST_MS })
      return located
    },
    clearPathCache() {
      generation++
    },
  }
}
