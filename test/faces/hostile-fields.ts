import { Buffer } from 'node:buffer'
import { join } from 'node:path'
import { isJsonObject, parseJson } from '../../src/core/json/value.ts'
import { openSqlite } from '../../src/host/db/sqlite.ts'
import type { Sqlite } from '../../src/host/db/sqlite.ts'
import { digest } from '../../src/host/system/hash.ts'

/** Sets the title of a terminal, clears it, and turns the direction of what follows. */
export const HOSTILE = '\u001b]0;PWNED\u0007\u001b[2J\u009b31m\u202e'
/** Whatever a terminal acts on, or shows in another order. */
export const ACTS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/

type Change = (name: string, value: unknown) => unknown

/** Uses the database of a state folder behind the back of the journal. */
export function onDatabase<T>(stateDir: string, use: (sqlite: Sqlite) => T): T {
  const sqlite = openSqlite(join(stateDir, 'journal.db'), { busyMs: 1_000 })
  try {
    return use(sqlite)
  } finally {
    sqlite.close()
  }
}

/** The names of all fields of all entries, shared findings and contents. */
export function fieldsOfLog(stateDir: string): readonly string[] {
  const names = new Set<string>()
  changeLog(stateDir, (name, value) => (names.add(name), value))
  return [...names].toSorted()
}

/** Puts the hostile text before the texts that a field of this name holds, and in the place of its other values. */
export function spoilField(stateDir: string, field: string): void {
  changeLog(stateDir, (name, value) =>
    name === field ? HOSTILE + (typeof value === 'string' ? value : '') : value,
  )
}

/** Changes the parts of entries, of shared findings, and of contents, which keep a digest that is right. */
function changeLog(stateDir: string, change: Change): void {
  onDatabase(stateDir, (sqlite) => {
    changeColumn(sqlite, 'log', 'body', change)
    changeColumn(sqlite, 'findings', 'list', change)
    for (const { id, hash, body } of sqlite
      .statement("SELECT id, hash, body FROM log WHERE kind = 'payload'")
      .all()) {
      const bytes = body instanceof Uint8Array ? Buffer.from(body) : Buffer.alloc(0)
      const changed = changeText(bytes.toString(), change)
      if (changed === null || !(hash instanceof Uint8Array)) continue
      const right = digest(changed)
      const bound = [Buffer.from(right, 'hex'), hash] as const
      sqlite.statement('UPDATE payload_place SET digest = ? WHERE digest = ?').run(...bound)
      sqlite
        .statement('UPDATE log SET hash = ?, body = ? WHERE id = ?')
        .run(bound[0], Buffer.from(changed), Number(id))
      sqlite
        .statement("UPDATE log SET body = replace(body, ?, ?) WHERE typeof(body) = 'text'")
        .run(Buffer.from(hash).toString('hex'), right)
    }
  })
}

function changeColumn(sqlite: Sqlite, table: string, column: string, change: Change): void {
  const rows = sqlite
    .statement(`SELECT ${column} AS text FROM ${table} WHERE typeof(${column}) = 'text'`)
    .all()
  for (const { text } of rows) {
    const changed = changeText(String(text), change)
    if (changed !== null)
      sqlite.statement(`UPDATE ${table} SET ${column} = ? WHERE ${column} = ?`).run(changed, String(text))
  }
}

/** A JSON text with changed parts; null if it is not JSON or nothing of it changes. */
function changeText(text: string, change: Change): string | null {
  const parsed = parseJson(text)
  if (typeof parsed !== 'object' || parsed === null) return null
  const changed = JSON.stringify(mapValue(parsed, change, ''))
  return changed === JSON.stringify(parsed) ? null : changed
}

/** `name` is that of the nearest field. */
function mapValue(value: unknown, change: Change, name: string): unknown {
  if (Array.isArray(value)) return value.map((one) => mapValue(one, change, name))
  if (!isJsonObject(value)) return change(name, value)
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, mapValue(one, change, key)]))
}
