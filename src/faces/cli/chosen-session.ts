import type { Runtime } from '../../runtime/create-runtime.ts'
import type { ParsedLine } from './arguments.ts'
import { NotFoundError } from './errors.ts'
import type { Terminal } from './terminal.ts'

/**
 * The session to which a command that reports many is narrowed: none is all of them. One that does not exist, or not yet,
 * has nothing to report, as a script expects that asks before the first call; a person who mistyped it is told.
 */
export function chosenSession(
  line: ParsedLine,
  { counts }: Pick<Runtime, 'counts'>,
  { warn }: Pick<Terminal, 'warn'>,
): { readonly session?: string } {
  const session = line.value('--session')
  if (session === undefined) return {}
  if (counts({ name: session }).length === 0) warn(`tongs: ${noSession(session).message}`)
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
