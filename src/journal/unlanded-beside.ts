import type { Sqlite } from '../host/sqlite.ts'
import type { Entry, FileChange } from './entry.ts'
import { foldLog } from './fold-log.ts'
import { changesOf } from './mentions.ts'

/** Knows what is committed and not in place yet; most of the time that is nothing, and asking costs nothing. */
export interface UnlandedWatch {
  /** This process has committed changes, or put some in place. */
  readonly note: (change: 'committed' | 'landed') => void
  /** The changes of all sessions but one; to be asked within a transaction. */
  readonly beside: (session: number) => readonly FileChange[]
}

/** What once was found in doubt waits for a person, and nobody is about to finish it. */
const UNLANDED = `SELECT u.session, l.body FROM unlanded u
  JOIN place p ON p.session = u.session AND p.seq = u.seq JOIN log l ON l.id = p.id
  WHERE NOT EXISTS (SELECT 1 FROM about a JOIN place q ON q.session = a.session AND q.seq = a.seq
    JOIN log n ON n.id = q.id
    WHERE a.execution = u.execution AND a.session = u.session AND q.kind = 'note' AND n.body ->> 'about' = 'in_doubt')`

/** Looks only where another process has written since, or something of this one is not in place. */
export function watchUnlanded(sqlite: Sqlite): UnlandedWatch {
  let seenVersion: unknown = null
  let known: readonly { readonly session: number; readonly changes: readonly FileChange[] }[] = []
  let ownOpen = 0

  return {
    note: (change) => {
      ownOpen = change === 'committed' ? ownOpen + 1 : Math.max(0, ownOpen - 1)
    },
    beside: (session) => {
      const version = sqlite.statement('PRAGMA data_version').get()?.['data_version']
      if (version !== seenVersion || ownOpen > 0) {
        foldLog(sqlite)
        known = sqlite
          .statement(UNLANDED)
          .all()
          .map((row) => ({
            session: Number(row['session']),
            changes: changesOf(JSON.parse(String(row['body'])) as Entry),
          }))
        seenVersion = version
      }
      return known.flatMap((found) => (found.session === session ? [] : found.changes))
    },
  }
}
