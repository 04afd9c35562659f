import { netChanges } from '../../journal/folds/net-changes.ts'
import type { FileChange } from '../../journal/entries/entry.ts'
import type { LogReader } from '../../journal/log.ts'
import { bornAt } from '../../pipeline/memory/read-recent.ts'

/** A file that a turn changed. */
export interface TurnChange {
  readonly path: string
  readonly change: 'created' | 'modified' | 'deleted'
}

/** Every file that the calls of a turn changed, commands included, by path; those that end as they began are left out. */
export function readTurnChanges(
  { edits, key }: Pick<LogReader, 'edits' | 'key'>,
  turn: string,
): readonly TurnChange[] {
  const rolledBack = new Set<string>()
  const found: (readonly FileChange[])[] = []
  // Calls of an older turn may settle in between, when their answers come late.
  const since = bornAt(turn)
  for (const { entry, at } of edits()) {
    if (at < since) break
    if (entry.kind === 'undo' && entry.rollsBack !== undefined) rolledBack.add(entry.rollsBack.execution)
    if (entry.kind === 'settled' && entry.turn === turn && !rolledBack.has(entry.execution))
      found.push(entry.changes)
  }
  return netChanges(found.toReversed().flat(), key.root)
    .map(({ path, is }) => ({ path, change: is }))
    .toSorted((one, other) => (one.path < other.path ? -1 : 1))
}
