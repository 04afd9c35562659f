import type { Sqlite } from '../../host/db/sqlite.ts'
import { seal } from '../../host/system/hash.ts'
import type { SealKey } from '../../host/system/hash.ts'

/**
 * Small named values beside the log, such as which root a folder was. They are not in the chain, and some decide which
 * files a call was about, so each counts only with a seal over its name and itself.
 */
export function readKept(sqlite: Sqlite, key: SealKey, name: string): string | null {
  const row = sqlite.statement('SELECT value FROM meta WHERE key = ?').get(keyOf(name))?.['value']
  if (typeof row !== 'string') return null
  const value = row.slice(SEAL_LENGTH)
  return row.slice(0, SEAL_LENGTH) === sealOf(key, name, value) ? value : null
}

/** Keeps a value in place of an earlier one. Call it in a transaction. */
export function writeKept(
  sqlite: Sqlite,
  key: SealKey,
  { name, value }: { readonly name: string; readonly value: string },
): void {
  const sql = 'INSERT INTO meta VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value'
  sqlite.statement(sql).run(keyOf(name), `${sealOf(key, name, value)}${value}`)
}

const SEAL_LENGTH = 64

function keyOf(name: string): string {
  return `kept:${name}`
}

function sealOf(key: SealKey, name: string, value: string): string {
  return seal(key, `tongs value 1\n${JSON.stringify([name, value])}`)
}
