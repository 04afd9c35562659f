import { shellWord } from '../../core/command/shell-word.ts'
import type { RevertedEntry, SettledEntry } from '../../journal/entries/entry.ts'
import type { SessionLog } from '../../journal/log.ts'
import { StandingChanges } from './standing.ts'

/** Which calls to undo. */
export type UndoSelection =
  | { readonly is: 'last'; readonly count: number }
  | { readonly is: 'turn' }
  | { readonly is: 'calls'; readonly executions: readonly string[] }
  /** None, because what was named is no call or several. */
  | { readonly is: 'none'; readonly why: string }

/** What was found in the log to be reverted, and the place of its entry. */
export interface Found<T> {
  readonly found: T
  readonly seq: number
  /** Epoch milliseconds. */
  readonly at: number
}

/** The chosen calls, newest first, or why there are none; `outside` are those whose tools can take back what they did. */
export function selectCalls(
  log: SessionLog,
  selection: UndoSelection,
  outside: readonly Found<SettledEntry>[],
): readonly Found<SettledEntry>[] | string {
  if (selection.is === 'none') return selection.why
  const wanted = new Set(selection.is === 'calls' ? selection.executions : [])
  const chosen: Found<SettledEntry>[] = []
  for (const one of newestOf(undoable(log), outside)) {
    const { found: call } = one
    if (selection.is === 'last' && chosen.length === selection.count) break
    if (selection.is === 'turn' && chosen.length > 0 && chosen[0]?.found.turn !== call.turn) break
    if (selection.is === 'calls') {
      if (wanted.size === 0) break
      if (!wanted.delete(call.execution)) continue
    }
    chosen.push(one)
  }
  if (wanted.size > 0)
    return `Nothing to undo: ${[...wanted].map(shellWord).join(', ')} changed nothing in this session that can be taken back, or is already undone.`
  return chosen.length === 0 ? 'There is nothing to undo in this session.' : chosen
}

/** Both, newest first. */
export function* newestOf(
  first: Iterable<Found<SettledEntry>>,
  second: readonly Found<SettledEntry>[],
): Generator<Found<SettledEntry>> {
  let next = 0
  for (const one of first) {
    for (let other = second[next]; other !== undefined && other.seq > one.seq; other = second[++next])
      yield other
    yield one
  }
  yield* second.slice(next)
}

/** Calls with committed changes that are not undone, newest first, each with the changes that stand. */
export function* undoable(log: Pick<SessionLog, 'edits'>): Generator<Found<SettledEntry>> {
  const standing = new StandingChanges()
  for (const { entry, seq, at } of log.edits()) {
    if (entry.kind === 'undo' || entry.kind === 'redo') standing.take(entry)
    if (entry.kind !== 'settled') continue
    const changes = standing.of(entry.execution, entry.changes)
    if (changes.length > 0) yield { found: { ...entry, changes }, seq, at }
  }
}

/** The newest undo that is not redone, unless a newer edit has made it stale. */
export function newestUndo(log: Pick<SessionLog, 'edits'>): Found<RevertedEntry> | null {
  let redone = 0
  for (const { entry, seq, at } of log.edits()) {
    if (entry.kind === 'settled' && entry.changes.length > 0) return null
    if (entry.kind === 'redo') redone++
    else if (entry.kind === 'undo' && entry.outside === undefined) {
      if (redone === 0) return { found: entry, seq, at }
      redone--
    }
  }
  return null
}
