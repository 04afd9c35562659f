import { sqliteFaultOf, UnsyncedError } from '../../host/db/sqlite.ts'
import type { Sqlite } from '../../host/db/sqlite.ts'
import { explainFault } from '../explain-fault.ts'
import type { JournalError } from '../journal-error.ts'
import { damaged } from './open-database.ts'
import type { StateFiles } from './state-files.ts'

/** Carries what a caller threw out of a transaction, so that it is not mistaken for a database fault. */
export class CallerThrew extends Error {
  readonly thrown: unknown

  constructor(thrown: unknown) {
    super('the caller did not confirm')
    this.thrown = thrown
  }
}

/** Turns database faults into journal errors. After damage or a failed sync, everything else fails with the same error. */
export interface FaultGuard {
  /** Runs `body` and explains what it throws. */
  readonly guard: <T>(body: () => T) => T
  /** The same for every step of an iteration. */
  readonly guardEach: <T>(items: Iterator<T>) => Generator<T>
  /** Whether a fault happened after which the database cannot be relied on. */
  readonly isBroken: () => boolean
}

/** Creates the guard for the database in a state folder. */
export function createFaultGuard(files: StateFiles): FaultGuard {
  let fault: JournalError | null = null

  function guard<T>(body: () => T): T {
    if (fault !== null) throw fault
    try {
      return body()
    } catch (error) {
      if (error instanceof CallerThrew) throw error.thrown
      const explained =
        sqliteFaultOf(error) === 'damaged' ? damaged(files, String(error)) : explainFault(error, files.folder)
      const isDamaged = explained.code === 'damaged'
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

  return { guard, guardEach, isBroken: () => fault !== null }
}

/** Runs a transaction; one that fails has no effect, not even after a crash. */
export function commitSafely<T>(sqlite: Sqlite, isSynced: boolean, body: () => T): T {
  let hasBegun = false
  try {
    return sqlite.transact(isSynced, () => {
      hasBegun = true
      return body()
    })
  } catch (error) {
    // A transaction that never began left nothing behind, and another would wait just as long for the same lock.
    if (hasBegun && sqliteFaultOf(error) !== null) overwriteFailedCommit(sqlite)
    throw error
  }
}

/** A failed commit may remain in the write-ahead log; another commit overwrites it there. */
function overwriteFailedCommit(sqlite: Sqlite): void {
  try {
    const count = "INSERT INTO meta VALUES ('failed_commits', 1) ON CONFLICT DO UPDATE SET value = value + 1"
    sqlite.transact(false, () => sqlite.statement(count).run())
  } catch {
    // This cannot be written either; without a commit record, the failed transaction has no effect.
  }
}
