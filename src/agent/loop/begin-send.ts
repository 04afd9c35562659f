import type { Runtime } from '../../runtime/runtime.ts'
import type { ConversationEvent } from '../events.ts'

/** The sessions of each runtime in which a turn is at work. */
const AT_WORK = new WeakMap<Runtime, Set<string>>()

/**
 * Lets one turn at a time into a session, whichever conversation it comes through: two at once would take each other's
 * results for their own. Gives why it cannot begin, or what ends its claim.
 */
export function beginSend(
  runtime: Runtime,
  session: string,
  text: string | null,
):
  | { readonly ok: true; readonly end: () => void }
  | { readonly ok: false; readonly event: ConversationEvent } {
  if (text !== null && (typeof text !== 'string' || text.trim() === ''))
    return refuse('empty_prompt', 'There are no words; say something, or null to go on.')
  const sessions = AT_WORK.get(runtime) ?? new Set()
  AT_WORK.set(runtime, sessions)
  if (sessions.has(session)) return refuse('busy', 'A turn is at work; wait for its end or cancel it.')
  sessions.add(session)
  return { ok: true, end: () => void sessions.delete(session) }
}

function refuse(code: string, message: string) {
  return { ok: false, event: { event: 'error', code, message } } as const
}
