import type { Runtime } from '../../runtime/create-runtime.ts'
import type { ParsedLine } from './arguments.ts'
import { NotFoundError } from './errors.ts'

/** The session that a command reads, as the line names it: none is all of them, and an unknown one is an error. */
export function chosenSession(
  line: ParsedLine,
  sessions: Pick<Runtime, 'counts'>,
): { readonly session?: string } {
  const session = line.value('--session')
  if (session === undefined) return {}
  requireSession(session, sessions)
  return { session }
}

/** Throws if there is no session of this name. */
export function requireSession(name: string, { counts }: Pick<Runtime, 'counts'>): void {
  if (counts({ name }).length === 0) throw noSession(name)
}

/** The error for a session that does not exist. */
export function noSession(name: string): NotFoundError {
  return new NotFoundError(`there is no session ${JSON.stringify(name)}`, 'tongs sessions lists them')
}
