import { sizeOf } from '../../host/fs/private-files.ts'
import { sqliteFaultOf } from '../../host/db/sqlite.ts'
import type { Digest, FileChange } from '../entries/entry.ts'
import type { Reliance } from '../log.ts'
import { createFaultGuard } from './fault-guard.ts'
import type { FaultGuard } from './fault-guard.ts'
import { foldLog, readFolded, readLastRow } from './fold-log.ts'
import { WORKING_LOG_BYTES } from './open-database.ts'
import type { JournalDatabase } from './open-database.ts'
import { RowWriter } from './row-writer.ts'
import type { Rows } from './rows.ts'
import type { StateFiles } from './state-files.ts'

/** Rows that may wait for the tables to take them up. More make reading slower, fewer make writing dearer. */
const FOLD_ROWS = 512

/** After this many synced commits a process is taken to stay, and the write-ahead log gets its working size at once. */
const EXTEND_AFTER = 8

/** Appends rows to the log. Sessions of one store share it, so that their commits can be made together. */
export interface LogWriter extends FaultGuard {
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
}

/** Makes the writer of an open database; `isSyncing` says whether durable commits are synced. */
export function createLogWriter(
  { sqlite, requireInPlace }: JournalDatabase,
  files: StateFiles,
  isSyncing: boolean,
): LogWriter {
  const { guard, guardEach, isBroken } = createFaultGuard(files)
  const rows = guard(() => new RowWriter(sqlite))
  let syncedCommits = 0

  function write<T>(reliance: Reliance, body: (rows: Rows) => T): T {
    return guard(() => {
      const isDurable = reliance === 'durable'
      rows.begin()
      let isFolded = false
      const value = commit(isDurable && isSyncing, () => {
        const written = body(rows)
        // Better while nobody waits for the disk.
        isFolded = rows.unfolded >= (isDurable ? 2 * FOLD_ROWS : FOLD_ROWS)
        if (isFolded) foldLog(sqlite)
        if (isDurable) requireInPlace()
        return written
      })
      rows.commit(isFolded)
      if (isDurable && isSyncing && ++syncedCommits === EXTEND_AFTER) extendLog()
      return value
    })
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

  function fold(): void {
    guard(() => {
      if (readLastRow(sqlite) > readFolded(sqlite)) {
        sqlite.transact(false, () => foldLog(sqlite))
      }
      rows.noteFold(readFolded(sqlite))
    })
  }

  function extendLog(): void {
    try {
      if ((sizeOf(files.writeAheadLog)?.bytes ?? 0) < WORKING_LOG_BYTES) sqlite.extendLog(WORKING_LOG_BYTES)
    } catch {
      // It would only have been quicker.
    }
  }

  return {
    write,
    fold,
    generation: () => rows.generation,
    unlandedInOtherSessions: (session) => rows.unlandedInOtherSessions(session),
    payloadRow: (digest) => rows.payloadRow(digest),
    guard,
    guardEach,
    isBroken,
  }
}
