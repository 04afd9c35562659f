import { RECENT_SESSION_MS } from '../../config/fixed-values.ts'
import { readTitle } from '../../agent/sessions/title.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import { showAge } from './draw/show-age.ts'

/** A session that the app offers to continue. */
export interface SessionOffer {
  readonly session: string
  /** What is offered, in words. */
  readonly says: string
}

/** The session that `run` or the app used last, if that was recent and no other process has it; else null. */
export async function findOffer(runtime: Runtime, now: number): Promise<SessionOffer | null> {
  const [last] = runtime.lastUses(1)
  if (last === undefined || now - last.at > RECENT_SESSION_MS) return null
  const title = readTitle(runtime.peek(last.name))
  const what = `${showAge(now - last.at)}: ${title ?? `session ${last.name}`}`
  if (await runtime.isInUse(last.name)) return null
  return {
    session: last.name,
    says: `The last session, ${what}\nPress Enter to continue it, or type to begin a new one; /resume lists all.`,
  }
}
