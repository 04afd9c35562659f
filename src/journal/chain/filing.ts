import type { Sqlite } from '../../host/db/sqlite.ts'
import type { Entry } from '../entries/entry.ts'
import { JournalError } from '../journal-error.ts'
import type { SessionRow } from '../store/read-log.ts'
import { changesOf, executionsOf } from '../entries/mentions.ts'
import { CALLS } from '../store/fold-log.ts'

/** Whether the columns beside the text of an entry say what the text says: entries are found by them. */
export function isFiledRight(row: Readonly<Record<string, unknown>>, entry: Entry): boolean {
  return (
    row['kind'] === entry.kind &&
    (row['calls'] ?? '[]') === JSON.stringify(executionsOf(entry)) &&
    row['lands'] === (changesOf(entry).length > 0 ? 1 : null)
  )
}

/** Whether a call `c` of a batch `l` has no result and is not listed as open either: as if it had never been. */
export const IS_HIDDEN_CALL = `NOT EXISTS (SELECT 1 FROM open_call o WHERE o.session = l.session AND o.execution = c.value)
  AND NOT EXISTS (SELECT 1 FROM about a JOIN place q ON q.session = a.session AND q.seq = a.seq
    WHERE a.execution = c.value AND a.session = l.session AND q.kind = 'settled')`

/**
 * Whether the tables lead to every entry of a session from a place on by its kind and by its calls, and to every call that is open. They are
 * no part of the chain, so what they hide would be as good as removed.
 */
export function areListed(sqlite: Sqlite, session: number, from: number): boolean {
  const hidden = sqlite.statement(
    `SELECT 1 FROM place p JOIN log l ON l.id = p.id WHERE p.session = ?1 AND p.seq >= ?2 AND (p.kind <> l.kind
       OR EXISTS (SELECT 1 FROM ${CALLS} WHERE NOT EXISTS
         (SELECT 1 FROM about a WHERE a.execution = c.value AND a.session = p.session AND a.seq = p.seq))
       OR (l.kind = 'batch' AND EXISTS (SELECT 1 FROM ${CALLS} WHERE ${IS_HIDDEN_CALL}))) LIMIT 1`,
  )
  return hidden.get(session, from) === undefined
}

/** Rejects a session whose newest entries are in the log and not in the tables: what comes next would be written over them. */
export function requireNothingHidden(
  sqlite: Sqlite,
  { id, key: { name } }: SessionRow,
  lastSeq: number,
): void {
  const hidden = sqlite.statement('SELECT 1 FROM log WHERE session = ? AND seq > ? LIMIT 1').get(id, lastSeq)
  if (hidden === undefined) return
  throw new JournalError(
    'altered',
    `The newest entries of session ${name} cannot be found through the tables of ${sqlite.path}: another program altered it.`,
    'Run `tongs repair`, which makes the tables anew, or restore a backup; nothing was written.',
  )
}
