import type { Sqlite } from '../../host/db/sqlite.ts'
import type { FileChange } from '../entries/entry.ts'
import { foldLog } from './fold-log.ts'
import { readChanges } from '../entries/mentions.ts'
import type { EntryRow } from './rows.ts'

/** Tracks what is committed but not landed yet. Usually that is nothing, and the check costs next to nothing. */
export interface UnlandedWatch {
  /** Called when a transaction begins. */
  readonly begin: () => void
  /** Called when the transaction writes an entry, which may have changes to land or mark a call as in doubt. */
  readonly addEntry: (session: number, entry: EntryRow) => void
  /** Called when the transaction marks a call as landed. */
  readonly addLanding: (session: number, execution: string) => void
  /** Called when the transaction is committed; without it, the transaction has no effect here. */
  readonly commit: () => void
  /** The unlanded changes of all sessions but this one; call it in a transaction. */
  readonly inOtherSessions: (session: number) => readonly FileChange[]
}

interface Unlanded {
  readonly session: number
  readonly changes: readonly FileChange[]
}

/** Calls in doubt, and those whose folder is elsewhere, are left out: they wait, and no process is about to land them. */
const UNLANDED = `SELECT u.session, l.body FROM unlanded u
  JOIN place p ON p.session = u.session AND p.seq = u.seq JOIN log l ON l.id = p.id
  WHERE NOT EXISTS (SELECT 1 FROM about a JOIN place q ON q.session = a.session AND q.seq = a.seq
    JOIN log n ON n.id = q.id
    WHERE a.execution = u.execution AND a.session = u.session AND q.kind = 'note'
      AND CASE WHEN json_valid(n.body) THEN n.body ->> 'about' END IN ('in_doubt', 'elsewhere'))`

/** Queries the database only if another process has written, or this one has unlanded commits. */
export function watchUnlanded(sqlite: Sqlite): UnlandedWatch {
  let seenVersion: unknown = null
  /** The result of the last query, while this process had nothing unlanded. */
  let known: readonly Unlanded[] = []
  /** Calls that this process has committed, and neither landed nor marked as in doubt. */
  const own = new Set<string>()
  let added: string[] = []
  let ended: string[] = []

  function readUnlanded(): readonly Unlanded[] {
    foldLog(sqlite)
    return sqlite
      .statement(UNLANDED)
      .all()
      .map((row) => ({ session: Number(row['session']), changes: readChanges(row['body']) ?? [] }))
  }

  function readIfChanged(): readonly Unlanded[] {
    if (own.size + added.length + ended.length > 0) return readUnlanded()
    const version = sqlite.statement('PRAGMA data_version').get()?.['data_version']
    if (version !== seenVersion) {
      known = readUnlanded()
      seenVersion = version
    }
    return known
  }

  return {
    begin: () => {
      added = []
      ended = []
    },
    addEntry: (session, { hasChanges, isDoubt, executions }) => {
      const call = `${session} ${executions[0] ?? ''}`
      if (hasChanges) added.push(call)
      if (isDoubt) ended.push(call)
    },
    addLanding: (session, execution) => ended.push(`${session} ${execution}`),
    commit: () => {
      for (const call of added) own.add(call)
      // This process has finished a call that another one left, so the known result is outdated.
      for (const call of ended) if (!own.delete(call)) seenVersion = null
      added = []
      ended = []
    },
    inOtherSessions: (session) =>
      readIfChanged().flatMap((found) => (found.session === session ? [] : found.changes)),
  }
}
