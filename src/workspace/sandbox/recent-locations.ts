import { systemClock } from '../../host/system/clock.ts'
import type { Intent } from './denies.ts'
import type { Located, Sandbox } from './sandbox.ts'

const TRUST_MS = 1
const MOST = 512

/** Where a path led, and at which look that was. */
interface Seen {
  readonly located: Located
  readonly look: number
  readonly until: number
}

/** A sandbox that looks at a path once for the plan, the door and the opening of the file that follow each other. */
export interface RecallingSandbox extends Sandbox {
  /** Forgets where paths led. Said whenever something of ours may have changed that. */
  readonly lookAfresh: () => void
}

/**
 * Keeps for a moment where paths led. A change by somebody else in that moment is the same race as one between
 * looking and opening: the opening itself goes through handles and trusts no name.
 */
export function recallLocations(sandbox: Sandbox): RecallingSandbox {
  const known: Record<Intent, Map<string, Seen>> = {
    read: new Map(),
    list: new Map(),
    write: new Map(),
  }
  let look = 0
  return {
    ...sandbox,
    locate(path, intent) {
      const now = systemClock.elapsed()
      const recent = known[intent].get(path)
      if (recent !== undefined && recent.look === look && now < recent.until) return recent.located
      const located = sandbox.locate(path, intent)
      if (known[intent].size >= MOST) known[intent].clear()
      known[intent].set(path, { located, look, until: now + TRUST_MS })
      return located
    },
    lookAfresh() {
      look++
    },
  }
}
