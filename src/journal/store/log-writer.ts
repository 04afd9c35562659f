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

/** How many rows may wait to be folded into the tables. More make reading slower, fewer make writing slower. */
const FOLD_ROWS = 512

/** After this many synced commits the process is assumed to be long-lived, and the write-ahead log is grown to its working size. */
const EXTEND_AFTER = 8

/** Appends rows to the log. The sessions of a store share it, so that they can commit together. */
export interface LogWriter extends FaultGuard {
  /** Runs one transaction. It is synced only if it is durable and the store has full durability. */
  readonly write: <T>(reliance: Reliance, body: (rows: Rows) => T) => T
  /** Brings the tables up to date with the log. */
  readonly fold: () => void
  /** Increases whenever the tables have caught up with everything this process wrote. */
  readonly generation: () => number
  /** Changes that other sessions have committed but not landed; call it in a transaction. */
  readonly unlandedInOtherSessions: (session: number) => readonly FileChange[]
  /** The row of a payload; null if it is not stored. */
  readonly payloadRow: (digest: Digest) => number | null
}

/** Creates the writer of an open database; `isSyncing` says whether durable commits are synced. */
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
        // Folding is cheaper when no caller waits for the disk, so durable writes leave it to others.
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
      // A transaction that never began left nothing behind, and another would wait just as long for the same lock.
      if (hasBegun && sqliteFaultOf(error) !== null) overwriteFailedCommit()
      throw error
    }
  }

  /** A failed commit may remain in the write-ahead log; another commit overwrites it there. */
  function overwriteFailedCommit(): void {
    try {
      const count =
        "INSERT INTO meta VALUES ('failed_commits', 1) ON CONFLICT DO UPDATE SET value = value + 1"
      sqlite.transact(false, () => sqlite.statement(count).run())
    } catch {
      // This cannot be written either; without a commit record, the failed transaction has no effect.
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
      // Growing it is only an optimization.
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
