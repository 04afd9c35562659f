import { sqliteFaultOf } from '../../host/db/sqlite.ts'
import type { Sqlite } from '../../host/db/sqlite.ts'

/**
 * Asks SQLite whether the file is sound: pages, indexes, free pages, types and references. The chain covers only what
 * entries say, so damage beside it would pass as whole. Null if nothing is wrong.
 */
export function askSqlite(sqlite: Sqlite): string | null {
  try {
    const [first] = sqlite.statement('PRAGMA integrity_check(1)').all()
    const said = String(first?.['integrity_check'] ?? 'ok')
    if (said !== 'ok') return `the database is damaged: SQLite says ${JSON.stringify(said)}`
    const [dangling] = sqlite.statement('PRAGMA foreign_key_check').all()
    return dangling === undefined
      ? null
      : `table ${String(dangling['table'])} refers to rows that are missing`
  } catch (error) {
    if (sqliteFaultOf(error) === null) throw error
    return `the database is damaged: SQLite says ${JSON.stringify(error instanceof Error ? error.message : String(error))}`
  }
}
