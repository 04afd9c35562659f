import { systemClock } from '../../host/system/clock.ts'
import type { Intent } from './denies.ts'
import type { Located, Sandbox } from './sandbox.ts'

const TRUST_MS = 1
const MAX_CACHED = 512

/** Where a path led, and at which generation that was. */
interface Seen {
  readonly located: Located
  readonly generation: number
  readonly until: number
}

/** A sandbox that looks at a path once for the plan, the door and the opening of the file that follow each other. */
export interface CachingSandbox extends Sandbox {
  /** Forgets where paths led. Said whenever something of ours may have changed that. */
  readonly clearPathCache: () => void
}

/**
 * Keeps for a moment where paths led. A change by somebody else in that moment is the same race as one between
 * looking and opening: the opening itself goes through handles and trusts no name.
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
