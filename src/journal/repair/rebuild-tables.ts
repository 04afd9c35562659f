import type { Sqlite } from '../../host/db/sqlite.ts'
import type { Entry } from '../entries/entry.ts'
import { changesOf, executionsOf } from '../entries/mentions.ts'
import { isJsonObject, parseJson } from '../../core/json/value.ts'
import { CALLS, foldLog, IS_TAKEN_UP, readLastRow } from '../store/fold-log.ts'
import { MIGRATIONS } from '../store/schema.ts'
import { expectedObjects, findSchemaFaults } from './check-schema.ts'
import type { SchemaFault } from './check-schema.ts'

/** Tables that the log can be read into again. The others hold what is nowhere else. */
const DERIVED: ReadonlySet<string> = new Set([
  'place',
  'payload_place',
  'about',
  'open_call',
  'edit',
  'received',
  'sweep',
])

/** Removes what does not belong into the schema and creates what is missing; what cannot be done is returned. */
export function restoreSchema(sqlite: Sqlite): {
  readonly mended: readonly SchemaFault[]
  readonly left: readonly SchemaFault[]
} {
  const expected = expectedObjects(MIGRATIONS)
  const faults = findSchemaFaults(sqlite, MIGRATIONS)
  const mended = faults.filter(canMend)
  // What was planted goes first, so that none of it runs.
  for (const { type, name, is } of mended)
    if (is !== 'missing') sqlite.run(`DROP ${type.toUpperCase()} IF EXISTS "${name.replaceAll('"', '""')}"`)
  // With a table its indexes went too, and an index needs its table.
  const missing = findSchemaFaults(sqlite, MIGRATIONS).filter(({ is }) => is === 'missing')
  for (const wanted of ['table', 'index'])
    for (const { type, name } of missing.filter(canMend))
      if (type === wanted) sqlite.run(expected.get(name)?.sql ?? '')
  return { mended, left: faults.filter((fault) => !canMend(fault)) }
}

function canMend({ type, name, is }: SchemaFault): boolean {
  return is === 'unknown' || type === 'index' || DERIVED.has(name)
}

/** Files every readable entry as its text says, and reads the log into the tables again. Call it in a transaction. */
export function rebuildTables(sqlite: Sqlite): void {
  foldLog(sqlite)
  refile(sqlite)
  const upTo = readLastRow(sqlite)
  for (const table of DERIVED) sqlite.run(`DELETE FROM ${table}`)
  for (const sql of REBUILD) sqlite.statement(sql).run(upTo)
}

const REBUILD: readonly string[] = [
  'INSERT OR REPLACE INTO place SELECT session, seq, id, kind FROM log WHERE id <= ?1 AND seq IS NOT NULL AND session IS NOT NULL',
  "INSERT OR IGNORE INTO payload_place (digest, id) SELECT hash, id FROM log WHERE id <= ?1 AND kind = 'payload' AND typeof(hash) = 'blob'",
  `INSERT OR IGNORE INTO about SELECT c.value, l.session, l.seq FROM log l, ${CALLS}
   WHERE l.id <= ?1 AND l.seq IS NOT NULL AND typeof(c.value) = 'text'`,
  `INSERT OR IGNORE INTO open_call SELECT l.session, c.value, l.seq FROM log l, ${CALLS}
   WHERE l.id <= ?1 AND l.kind = 'batch' AND typeof(c.value) = 'text'`,
  `DELETE FROM open_call WHERE (session, execution) IN
   (SELECT l.session, c.value FROM log l, ${CALLS} WHERE l.id <= ?1 AND l.kind = 'settled')`,
  `INSERT INTO edit SELECT session, seq FROM log
   WHERE id <= ?1 AND seq IS NOT NULL AND session IS NOT NULL AND (lands = 1 OR kind IN ('undo', 'redo')
     OR kind = 'settled' AND instr(body, '"effect":"edit"') > 0)`,
  `INSERT INTO received SELECT session, max(seq) FROM log
   WHERE id <= ?1 AND session IS NOT NULL AND kind = 'streamed' GROUP BY session`,
  `DELETE FROM received WHERE ?1 > 0 AND ${IS_TAKEN_UP}`,
  `INSERT INTO sweep SELECT session, min(seq), at FROM log
   WHERE id <= ?1 AND seq IS NOT NULL AND session IS NOT NULL GROUP BY session`,
  "UPDATE meta SET value = min(0, ?1) WHERE key = 'used_to'",
  // If the newest rows were cut off, their numbers are used again.
  "UPDATE meta SET value = ?1 WHERE key = 'folded'",
]

/** The columns beside an entry's text are copied from it; whether the text is right is for the chain to say. */
function refile(sqlite: Sqlite): void {
  const rows = sqlite.statement(
    'SELECT id, kind, calls, lands, entry_text(body) AS body FROM log WHERE seq IS NOT NULL AND id > ? ORDER BY id LIMIT 500',
  )
  const update = sqlite.statement('UPDATE log SET kind = ?, calls = ?, lands = ? WHERE id = ?')
  for (let last = 0, page = rows.all(last); page.length > 0; page = rows.all(last)) {
    for (const { id, kind, calls, lands, body } of page) {
      last = Number(id)
      const right = filingOf(body) ?? { kind: String(kind), calls: null, lands: null }
      if (right.kind !== kind || right.calls !== calls || right.lands !== lands)
        update.run(right.kind, right.calls, right.lands, last)
    }
  }
}

interface Filing {
  readonly kind: string
  readonly calls: string | null
  readonly lands: number | null
}

/** How an entry is filed by its text; null if damage left a text that is no entry, which is then found by its place alone. */
function filingOf(body: unknown): Filing | null {
  const parsed = typeof body === 'string' ? parseJson(body) : null
  if (!isJsonObject(parsed) || typeof parsed['kind'] !== 'string') return null
  const entry = parsed as unknown as Entry
  try {
    const executions: readonly unknown[] = executionsOf(entry)
    if (!executions.every((execution) => typeof execution === 'string')) return null
    return {
      kind: entry.kind,
      calls: executions.length === 0 ? null : JSON.stringify(executions),
      lands: changesOf(entry).length > 0 ? 1 : null,
    }
  } catch {
    // A list that the kind has to have is missing, or the kind is unknown.
    return null
  }
}
