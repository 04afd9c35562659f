import type { Sqlite } from '../../host/db/sqlite.ts'
import type { FileChange } from '../entries/entry.ts'
import { foldLog } from './fold-log.ts'
import { readChanges } from '../entries/mentions.ts'
import type { EntryRow } from './rows.ts'

/** Knows what is committed and not in place yet; most of the time that is nothing, and asking costs nothing. */
export interface UnlandedWatch {
  /** A transaction begins. */
  readonly begin: () => void
  /** This transaction writes an entry: it may have changes that are not in place yet, or leave such to a person. */
  readonly addEntry: (session: number, entry: EntryRow) => void
  /** In this transaction the changes of a call are said to be in place. */
  readonly addLanding: (session: number, execution: string) => void
  /** The transaction is committed. One that is not leaves nothing behind. */
  readonly commit: () => void
  /** The changes of all sessions but one; to be asked within a transaction. */
  readonly inOtherSessions: (session: number) => readonly FileChange[]
}

interface Unlanded {
  readonly session: number
  readonly changes: readonly FileChange[]
}

/** What once was found in doubt waits for a person, and nobody is about to finish it. */
const UNLANDED = `SELECT u.session, l.body FROM unlanded u
  JOIN place p ON p.session = u.session AND p.seq = u.seq JOIN log l ON l.id = p.id
  WHERE NOT EXISTS (SELECT 1 FROM about a JOIN place q ON q.session = a.session AND q.seq = a.seq
    JOIN log n ON n.id = q.id
    WHERE a.execution = u.execution AND a.session = u.session AND q.kind = 'note'
      AND CASE WHEN json_valid(n.body) THEN n.body ->> 'about' END = 'in_doubt')`

/** Looks only where another process has written since, or something of this one is not in place. */
export function watchUnlanded(sqlite: Sqlite): UnlandedWatch {
  let seenVersion: unknown = null
  /** As it was when nothing of this process was on its way. */
  let known: readonly Unlanded[] = []
  /** What this process has committed, and neither put in place nor found in doubt. */
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
      // What others left, and this process has finished, is known from before.
      for (const call of ended) if (!own.delete(call)) seenVersion = null
      added = []
      ended = []
    },
    inOtherSessions: (session) =>
      readIfChanged().flatMap((found) => (found.session === session ? [] : found.changes)),
  }
}
