import { sqliteFaultOf } from '../../host/db/sqlite.ts'
import type { Sqlite } from '../../host/db/sqlite.ts'

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
