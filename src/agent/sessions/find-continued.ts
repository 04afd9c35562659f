import { shellWord } from '../../core/command/shell-word.ts'
import type { LogReader } from '../../journal/log.ts'
import type { Runtime } from '../../runtime/runtime.ts'

/** Which session `--continue` means. */
export type Continued =
  | { readonly is: 'one'; readonly session: string }
  | { readonly is: 'several'; readonly sessions: readonly string[] }
  | { readonly is: 'none' }

/**
 * The session with a turn that was answered and is not finished, if there is exactly one; else the one that `run` or the
 * app used last. A session that a live process owns is left to it: it takes the answers up by itself.
 */
export async function findContinued(runtime: Runtime): Promise<Continued> {
  const answered: string[] = []
  for (const session of runtime.pausedTurns())
    if (isAnswered(runtime.peek(session)) && !(await runtime.isInUse(session))) answered.push(session)
  const [first, ...others] = answered
  if (first !== undefined)
    return others.length === 0 ? { is: 'one', session: first } : { is: 'several', sessions: answered }
  const [last] = runtime.lastUses(1)
  return last === undefined ? { is: 'none' } : { is: 'one', session: last.name }
}

/** There is not exactly one session to continue. */
export class ContinueError extends Error {
  readonly hint: string

  constructor(message: string, hint: string) {
    super(message)
    this.name = 'ContinueError'
    this.hint = hint
  }
}

/** The session that `--continue` means; throws a ContinueError if there is none, or if there are several. */
export async function requireContinued(runtime: Runtime): Promise<string> {
  const found = await findContinued(runtime)
  if (found.is === 'one') return found.session
  if (found.is === 'several')
    throw new ContinueError(
      `several sessions have a turn to go on with: ${found.sessions.join(', ')}`,
      'choose one with --session NAME',
    )
  const former = runtime.formerRoot()
  throw new ContinueError(
    'there is no session to continue in this folder',
    former === null
      ? 'leave out --continue to begin one'
      : `this folder was ${former}; tongs adopt ${shellWord(former)} goes on with its history`,
  )
}

/**
 * Whether every call of the newest message has its result, or waits only for the model of a delegated conversation, and
 * the model has not received them.
 */
function isAnswered(log: LogReader): boolean {
  const [last] = log.newestFirst('said')
  const open = new Map<string, Set<string>>()
  const parked = new Set<string>()
  for (const { entry } of log.entries(last?.seq ?? 1)) {
    if (entry.kind === 'batch' && entry.origin === 'model')
      open.set(entry.batch, new Set(entry.calls.map(({ execution }) => execution)))
    if (entry.kind === 'settled') open.get(entry.batch)?.delete(entry.execution)
    if (entry.kind === 'parked') parked.add(entry.batch)
    if (entry.kind === 'continued') parked.delete(entry.batch)
  }
  return open.size > 0 && open.entries().every(([batch, calls]) => calls.size === 0 || parked.has(batch))
}
