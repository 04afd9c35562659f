import { Buffer } from 'node:buffer'
import { sizeOf } from '../../host/fs/private-files.ts'
import { sqliteFaultOf, UnsyncedError } from '../../host/db/sqlite.ts'
import { CallerThrew } from './caller-threw.ts'
import { explainFault } from '../explain-fault.ts'
import type { Digest, FileChange } from '../entries/entry.ts'
import { foldLog, readFolded, readLastRow } from './fold-log.ts'
import { JournalError, UnreadableEntry } from '../journal-error.ts'
import type { Reliance } from '../log.ts'
import { damaged, WORKING_LOG_BYTES } from './open-database.ts'
import type { JournalDatabase } from './open-database.ts'
import { storeFindings } from '../entries/shared-findings.ts'
import type { StateFiles } from './state-files.ts'
import type { Rows } from './rows.ts'
import { watchUnlanded } from './watch-unlanded.ts'

/** Rows that may wait for the tables to take them up. More make reading slower, fewer make writing dearer. */
const FOLD_ROWS = 512

/** After this many synced commits a process is taken to stay, and the write-ahead log gets its working size at once. */
const EXTEND_AFTER = 8

/** Appends rows to the log. Sessions of one store share it, so that their commits can be made together. */
export interface LogWriter {
  /** Runs one transaction. Only a durable one is synced, and that only under full durability. */
  readonly write: <T>(reliance: Reliance, body: (rows: Rows) => T) => T
  /** Brings the tables up to date with the log. */
  readonly fold: () => void
  /** Grows whenever the tables have caught up with everything this process wrote. */
  readonly generation: () => number
  /** What other sessions than this one have committed and not put in place; to be asked within a transaction. */
  readonly unlandedInOtherSessions: (session: number) => readonly FileChange[]
  /** The row of a payload, null where it is not stored. */
  readonly payloadRow: (digest: Digest) => number | null
  /** Whether something went wrong after which nothing can be relied on. */
  readonly isBroken: () => boolean
  /** Runs anything on the database; what goes wrong is explained. */
  readonly guard: <T>(body: () => T) => T
  /** The same for every step of reading. */
  readonly guardEach: <T>(items: Iterator<T>) => Generator<T>
}

/** Makes the writer of an open database; `isSyncing` says whether durable commits are synced. */
export function createLogWriter(
  { sqlite, requireInPlace }: JournalDatabase,
  files: StateFiles,
  isSyncing: boolean,
): LogWriter {
  let fault: JournalError | null = null
  let lastRow = guard(() => readLastRow(sqlite))
  let folded = guard(() => readFolded(sqlite))
  let generation = 0
  let syncedCommits = 0
  /** Payloads in rows that the tables do not know yet. */
  const recent = new Map<Digest, number>()
  let newest = 0
  let isFirst = true
  /** How often rows of another process were met, and how much of that each session has been looked for in. */
  let catchUps = 0
  const checkedFor = new Map<number, number>()
  /** What a transaction has found out, which counts once it is committed. */
  let pendingPayloads = new Map<Digest, number>()
  let pendingFolded: number | null = null
  let pendingSessions: number[] = []
  /** Lists of findings that are stored for certain. */
  const shared = new Set<string>()
  let pendingShared: string[] = []

  const unlanded = watchUnlanded(sqlite)

  const insertEntry =
    'INSERT INTO log (kind, session, seq, at, hash, calls, lands, body) VALUES (?, ?, ?, ?, ?, ?, ?, ?)'
  const insertPayload =
    "INSERT INTO log (kind, hash, body) SELECT 'payload', ?1, ?2 WHERE NOT EXISTS (SELECT 1 FROM payload_place WHERE digest = ?1)"
  const insertOther = 'INSERT INTO log (kind, session, at, calls, body) VALUES (?, ?, ?, ?, ?)'

  /** Row numbers have no gaps that we did not make, unless another process has written. */
  function follow(row: number): void {
    if (isFirst && row !== lastRow + 1) catchUp(row)
    isFirst = false
    newest = row
  }

  function catchUpWithOthers(): void {
    newest = readLastRow(sqlite)
    if (newest !== lastRow) catchUp(newest + 1)
    isFirst = false
  }

  /** A session is ours alone; whoever has written to it nevertheless is met among what the tables know, or behind it. */
  function requireUntaken(session: number, seq: number, row: number): void {
    if ((checkedFor.get(session) ?? 0) === catchUps) return
    pendingSessions.push(session)
    const others = sqlite.statement(
      `SELECT 1 FROM place WHERE session = ?1 AND seq >= ?2
       UNION ALL SELECT 1 FROM log WHERE id > ?3 AND id < ?4 AND session = ?1 AND seq >= ?2 LIMIT 1`,
    )
    if (others.get(session, seq, readFolded(sqlite), row) === undefined) return
    throw new JournalError(
      'session_taken',
      'Another process has written to this session although it is ours.',
      'Start again; if it happens once more, look for a program that removes files in the state folder.',
    )
  }

  /** Takes in what another process has written, up to this row. */
  function catchUp(before: number): void {
    catchUps++
    pendingFolded = readFolded(sqlite)
    const payloads = sqlite.statement("SELECT id, hash FROM log WHERE id > ? AND id < ? AND kind = 'payload'")
    for (const row of payloads.all(pendingFolded, before)) {
      pendingPayloads.set(Buffer.from(row['hash'] as Uint8Array).toString('hex'), Number(row['id']))
    }
  }

  /** What was known before others wrote may have been erased by them. */
  function isStored(digest: Digest): boolean {
    return pendingPayloads.has(digest) || (pendingFolded === null && recent.has(digest))
  }

  const rows: Rows = {
    newSession: ({ root, name }) =>
      Number(
        sqlite.statement('INSERT INTO session (root, name) VALUES (?, ?) RETURNING id').get(root, name)?.[
          'id'
        ],
      ),
    entry: (session, entry) => {
      const { seq, at, kind, hash, executions, hasChanges, body, shared: list } = entry
      const calls = executions.length === 0 ? null : JSON.stringify(executions)
      const { lastInsertRowid } = sqlite
        .statement(insertEntry)
        .run(kind, session, seq, at, Buffer.from(hash, 'hex'), calls, hasChanges ? 1 : null, body)
      const row = Number(lastInsertRowid)
      follow(row)
      requireUntaken(session, seq, row)
      unlanded.addEntry(session, entry)
      const name = list === null ? '' : `${list.digest} ${list.tool}`
      if (list === null || shared.has(name)) return
      storeFindings(sqlite, list)
      pendingShared.push(name)
    },
    payload: (digest, bytes) => {
      if (isFirst) catchUpWithOthers()
      if (isStored(digest)) return
      const { changes, lastInsertRowid } = sqlite
        .statement(insertPayload)
        .run(Buffer.from(digest, 'hex'), bytes)
      if (changes === 0) return
      newest = Number(lastInsertRowid)
      pendingPayloads.set(digest, newest)
    },
    ledger: (session, body) => {
      follow(Number(sqlite.statement(insertOther).run('ledger', session, null, null, body).lastInsertRowid))
    },
    landed: (session, execution, at) => {
      const calls = JSON.stringify([execution])
      unlanded.addLanding(session, execution)
      follow(Number(sqlite.statement(insertOther).run('landed', session, at, calls, null).lastInsertRowid))
    },
    synced: (session, executions) => {
      const calls = JSON.stringify(executions)
      follow(Number(sqlite.statement(insertOther).run('synced', session, null, calls, null).lastInsertRowid))
    },
  }

  function write<T>(reliance: Reliance, body: (rows: Rows) => T): T {
    return guard(() => {
      const isDurable = reliance === 'durable'
      newest = lastRow
      isFirst = true
      pendingPayloads = new Map()
      pendingFolded = null
      pendingSessions = []
      pendingShared = []
      unlanded.begin()
      let isFolded = false
      const value = commit(isDurable && isSyncing, () => {
        const written = body(rows)
        // Better while nobody waits for the disk.
        isFolded = newest - (pendingFolded ?? folded) >= (isDurable ? 2 * FOLD_ROWS : FOLD_ROWS)
        if (isFolded) foldLog(sqlite)
        if (isDurable) requireInPlace()
        return written
      })
      applyPending(isFolded)
      if (isDurable && isSyncing && ++syncedCommits === EXTEND_AFTER) extendLog()
      return value
    })
  }

  /** A transaction that is undone leaves none of this behind. */
  function applyPending(isFolded: boolean): void {
    lastRow = newest
    unlanded.commit()
    for (const list of pendingShared) shared.add(list)
    for (const session of pendingSessions) checkedFor.set(session, catchUps)
    if (pendingFolded !== null) {
      folded = pendingFolded
      recent.clear()
    }
    if (isFolded) noteFold(newest)
    else for (const [digest, row] of pendingPayloads) recent.set(digest, row)
  }

  function commit<T>(isSynced: boolean, body: () => T): T {
    let hasBegun = false
    try {
      return sqlite.transact(isSynced, () => {
        hasBegun = true
        return body()
      })
    } catch (error) {
      // A transaction that never began left nothing behind, and another one would wait as long for the same lock.
      if (hasBegun && sqliteFaultOf(error) !== null) overwriteFailedCommit()
      throw error
    }
  }

  /** A commit that could not be synced may still lie in the write-ahead log; another one takes its place there. */
  function overwriteFailedCommit(): void {
    try {
      const count =
        "INSERT INTO meta VALUES ('failed_commits', 1) ON CONFLICT DO UPDATE SET value = value + 1"
      sqlite.transact(false, () => sqlite.statement(count).run())
    } catch {
      // Then that one cannot be written either, and what was begun has no end in the log.
    }
  }

  function noteFold(upTo: number): void {
    folded = upTo
    generation++
    recent.clear()
  }

  function fold(): void {
    guard(() => {
      if (readLastRow(sqlite) > readFolded(sqlite)) {
        sqlite.transact(false, () => foldLog(sqlite))
      }
      noteFold(readFolded(sqlite))
    })
  }

  function extendLog(): void {
    try {
      if ((sizeOf(files.writeAheadLog)?.bytes ?? 0) < WORKING_LOG_BYTES) sqlite.extendLog(WORKING_LOG_BYTES)
    } catch {
      // It would only have been quicker.
    }
  }

  /** After such a fault nothing that is written could be relied on. */
  function guard<T>(body: () => T): T {
    if (fault !== null) throw fault
    try {
      return body()
    } catch (error) {
      if (error instanceof CallerThrew) throw error.thrown
      const explained =
        sqliteFaultOf(error) === 'damaged' ? damaged(files, String(error)) : explainFault(error, files.folder)
      const isDamaged = explained.code === 'damaged' && !(error instanceof UnreadableEntry)
      if (isDamaged || explained.code === 'removed' || error instanceof UnsyncedError) fault = explained
      throw explained
    }
  }

  function* guardEach<T>(items: Iterator<T>): Generator<T> {
    for (;;) {
      const next = guard(() => items.next())
      if (next.done === true) return
      yield next.value
    }
  }

  function payloadRow(digest: Digest): number | null {
    const known = recent.get(digest)
    if (known !== undefined) return known
    const blob = Buffer.from(digest, 'hex')
    const row =
      sqlite.statement('SELECT id FROM payload_place WHERE digest = ?').get(blob) ??
      sqlite.statement("SELECT id FROM log WHERE id > ? AND kind = 'payload' AND hash = ?").get(folded, blob)
    return row === undefined ? null : Number(row['id'])
  }

  return {
    write,
    fold,
    generation: () => generation,
    unlandedInOtherSessions: unlanded.inOtherSessions,
    payloadRow,
    isBroken: () => fault !== null,
    guard,
    guardEach,
  }
}
