import { Buffer } from 'node:buffer'
import { parseJson } from '../../core/json/value.ts'
import { digest } from '../../host/system/hash.ts'
import type { Sqlite } from '../../host/db/sqlite.ts'
import type { Digest, GateRecord } from './entry.ts'
import { MAX_LISTS } from './entry-text.ts'
import type { SharedFindings } from './entry-text.ts'
import { areFindings } from './possible-parts.ts'

/** How many lists are cached; they are small, and few are in use. */
const MAX_READ = 256

const read = new WeakMap<Sqlite, Map<string, readonly GateRecord[]>>()

/** A shared list of findings; null if it is gone, does not match its digest or is not a list of findings. */
export function readFindings(sqlite: Sqlite, tool: string, named: Digest): readonly GateRecord[] | null {
  const lists = read.get(sqlite) ?? new Map<string, readonly GateRecord[]>()
  const key = `${named} ${tool}`
  const known = lists.get(key)
  if (known !== undefined) return known
  const row = sqlite.statement('SELECT list FROM findings WHERE tool = ? AND digest = ?')
  const text = row.get(tool, Buffer.from(named, 'hex'))?.['list']
  if (typeof text !== 'string' || digest(text) !== named) return null
  const found: unknown = parseJson(text)
  if (!areFindings(found)) return null
  const list = found as readonly GateRecord[]
  if (lists.size >= MAX_READ) lists.clear()
  read.set(sqlite, lists.set(key, list))
  return list
}

/** Some of the lists stored for a tool; lists that do not match their digest are left out. */
export function loadFindings(sqlite: Sqlite, tool: string): readonly SharedFindings[] {
  return sqlite
    .statement(`SELECT digest, list FROM findings WHERE tool = ? LIMIT ${MAX_LISTS}`)
    .all(tool)
    .flatMap(({ digest: blob, list }) => {
      const text = String(list)
      const named = digest(text)
      const isRight = blob instanceof Uint8Array && Buffer.from(named, 'hex').equals(blob)
      return isRight ? [{ tool, digest: named, text }] : []
    })
}

/** Stores a list unless it is there; a wrong list in its place is replaced. */
export function storeFindings(sqlite: Sqlite, { tool, digest: named, text }: SharedFindings): void {
  const insert = sqlite.statement(
    'INSERT INTO findings VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET list = excluded.list WHERE list <> excluded.list',
  )
  insert.run(tool, Buffer.from(named, 'hex'), text)
}
