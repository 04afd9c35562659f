import type { Sqlite } from '../../host/db/sqlite.ts'

/** Selects the rows after one, up to and including another. */
const SPAN = 'l.id > ?1 AND l.id <= ?2'

/** The executions that a row `l` lists, as `c.value`. Damage may have left anything in a column, and must close nothing. */
export const CALLS = "json_each(CASE WHEN json_valid(l.calls) THEN l.calls ELSE '[]' END) c"
const FIRST_CALL = 'CASE WHEN json_valid(l.calls) THEN l.calls ->> 0 END'

/** What the rows of the ledger in a span say, one path each; the rest of them is left out. */
const LEDGER = `(SELECT id, session, doc ->> 'path' AS path, doc ->> 'digest' AS digest, doc ->> 'at' AS at,
     doc -> 'ranges' AS ranges, doc ->> 'seal' AS seal FROM
     (SELECT l.id, l.session, CASE r.type WHEN 'object' THEN r.value ELSE '{}' END AS doc
      FROM log l, json_each(CASE WHEN json_valid(l.body) THEN l.body ELSE '[]' END) r
      WHERE ${SPAN} AND l.kind = 'ledger' AND l.session IS NOT NULL))
   WHERE path IS NOT NULL AND typeof(at) IN ('integer', 'null')`

/** Rows that are only marks: what they say is in the tables once they are folded. */
const MARKS = "('ledger', 'landed', 'synced')"

/** Whether a mark `l` is not one that this program wrote: the tables leave out what it says, and it stays to be named. */
const IS_UNREADABLE = `CASE WHEN l.session IS NULL THEN 1
     WHEN l.kind <> 'ledger' THEN CASE WHEN json_valid(l.calls) THEN json_type(l.calls) <> 'array' ELSE 1 END
     WHEN json_valid(l.body) THEN json_type(l.body) <> 'array' OR EXISTS (SELECT 1 FROM json_each(l.body) r
       WHERE CASE r.type WHEN 'object' THEN json_type(r.value, '$.path') IS NOT 'text'
         OR coalesce(json_type(r.value, '$.at'), 'null') NOT IN ('integer', 'null') ELSE 1 END)
     ELSE 1 END`

/** The calls of a message have become a batch, or were given up, once one of these follows them. */
export const IS_TAKEN_UP = `EXISTS (SELECT 1 FROM place p JOIN log l ON l.id = p.id
   WHERE p.session = received.session AND p.seq > received.seq AND CASE p.kind WHEN 'voided' THEN 1
     WHEN 'batch' THEN json_valid(entry_text(l.body)) AND entry_text(l.body) ->> 'origin' = 'model'
     WHEN 'said' THEN json_valid(l.body) AND l.body ->> 'role' <> 'assistant' END)`

/** Whether a row `l` is an entry that undo and deduplication look at. */
export const IS_EDIT = `CASE l.kind WHEN 'undo' THEN 1 WHEN 'redo' THEN 1
     WHEN 'settled' THEN l.lands = 1 OR instr(l.body, '"effect":"edit"') > 0 ELSE 0 END`

/** Brings one table up to date with a span of rows. */
interface Fold {
  /** It does nothing unless one of these is in the span: kinds of rows, or `lands` for commits. Null: it always has to run. */
  readonly of: readonly string[] | null
  readonly sql: string
}

/**
 * `calls` lists the executions that a row is about, its own first. A call is declared, settled, landed and synced once
 * each, in this order, so the order of rows within a span does not matter for what is open, unlanded or unsynced.
 */
const FOLDS: readonly Fold[] = [
  {
    of: null,
    sql: `INSERT OR REPLACE INTO place SELECT l.session, l.seq, l.id, l.kind FROM log l WHERE ${SPAN} AND l.seq IS NOT NULL AND l.session IS NOT NULL`,
  },
  {
    of: ['payload'],
    sql: `INSERT OR IGNORE INTO payload_place (digest, id) SELECT l.hash, l.id FROM log l
      WHERE ${SPAN} AND l.kind = 'payload' ORDER BY l.hash`,
  },
  {
    of: null,
    sql: `INSERT OR IGNORE INTO about SELECT c.value, l.session, l.seq FROM log l, ${CALLS}
      WHERE ${SPAN} AND l.seq IS NOT NULL`,
  },
  {
    of: ['batch'],
    sql: `INSERT OR IGNORE INTO open_call SELECT l.session, c.value, l.seq FROM log l, ${CALLS}
      WHERE ${SPAN} AND l.kind = 'batch'`,
  },
  {
    of: ['settled'],
    sql: `DELETE FROM open_call WHERE (session, execution) IN
      (SELECT l.session, c.value FROM log l, ${CALLS} WHERE ${SPAN} AND l.kind = 'settled')`,
  },
  {
    of: ['lands'],
    sql: `INSERT OR IGNORE INTO unlanded SELECT l.session, ${FIRST_CALL}, l.seq FROM log l
      WHERE ${SPAN} AND l.lands = 1`,
  },
  {
    of: ['landed'],
    sql: `INSERT OR REPLACE INTO unsynced SELECT u.session, u.execution, u.seq, l.id, l.at FROM log l
      JOIN unlanded u ON u.session = l.session AND u.execution = ${FIRST_CALL}
      WHERE ${SPAN} AND l.kind = 'landed' AND l.at IS NOT NULL`,
  },
  {
    of: ['landed'],
    sql: `DELETE FROM unlanded WHERE (session, execution) IN
      (SELECT l.session, ${FIRST_CALL} FROM log l WHERE ${SPAN} AND l.kind = 'landed')`,
  },
  {
    of: ['synced'],
    sql: `DELETE FROM unsynced WHERE (session, execution) IN
      (SELECT l.session, c.value FROM log l, ${CALLS} WHERE ${SPAN} AND l.kind = 'synced')`,
  },
  {
    of: ['ledger'],
    sql: `INSERT OR REPLACE INTO seen SELECT session, path, digest, at, ranges, seal FROM ${LEDGER} ORDER BY id`,
  },
  {
    of: ['settled', 'undo', 'redo'],
    sql: `INSERT OR IGNORE INTO edit SELECT l.session, l.seq FROM log l WHERE ${SPAN} AND ${IS_EDIT}`,
  },
  {
    of: ['streamed'],
    sql: `INSERT INTO received SELECT l.session, max(l.seq) FROM log l WHERE ${SPAN} AND l.kind = 'streamed' AND l.seq IS NOT NULL AND l.session IS NOT NULL GROUP BY l.session
      ON CONFLICT DO UPDATE SET seq = excluded.seq`,
  },
  { of: null, sql: `DELETE FROM received WHERE ?1 < ?2 AND ${IS_TAKEN_UP}` },
  {
    of: null,
    sql: `INSERT INTO sweep SELECT l.session, min(l.seq), min(l.at) FROM log l WHERE ${SPAN} AND l.seq IS NOT NULL AND l.session IS NOT NULL GROUP BY l.session
      ON CONFLICT DO UPDATE SET seq = excluded.seq, at = excluded.at WHERE sweep.at IS NULL`,
  },
  {
    // A path without a time was removed from the ledger.
    of: ['ledger'],
    sql: `DELETE FROM seen WHERE at IS NULL AND (session, path) IN (SELECT session, path FROM ${LEDGER})`,
  },
  {
    // The newest row always stays, because its number must not be used again.
    of: ['ledger', 'landed', 'synced'],
    sql: `DELETE FROM log AS l WHERE ${SPAN} AND l.id < ?2 AND l.kind IN ${MARKS} AND NOT (${IS_UNREADABLE})`,
  },
  { of: null, sql: `UPDATE meta SET value = ?2 WHERE key = 'folded' AND ?1 < ?2` },
]

/** The first mark that damage or another program left unreadable; null if there is none. */
export function findUnreadableMark(sqlite: Sqlite): { readonly id: number; readonly kind: string } | null {
  const row = sqlite
    .statement(
      `SELECT l.id, l.kind FROM log l WHERE l.seq IS NULL AND l.kind IN ${MARKS} AND ${IS_UNREADABLE} ORDER BY l.id LIMIT 1`,
    )
    .get()
  return row === undefined ? null : { id: Number(row['id']), kind: String(row['kind']) }
}

/** Empties the marks that cannot be read. Their numbers stay taken. Call it in a transaction, after everything is folded. */
export function emptyUnreadableMarks(sqlite: Sqlite): void {
  sqlite.run(
    `UPDATE log AS l SET kind = 'ledger', session = coalesce(session, 0), calls = NULL, body = '[]'
     WHERE l.seq IS NULL AND l.kind IN ${MARKS} AND ${IS_UNREADABLE}`,
  )
}

/** The newest row that the tables include. */
export function readFolded(sqlite: Sqlite): number {
  return Number(sqlite.statement("SELECT value FROM meta WHERE key = 'folded'").get()?.['value'] ?? 0)
}

/** The newest row of the log. */
export function readLastRow(sqlite: Sqlite): number {
  return Number(sqlite.statement('SELECT max(id) AS id FROM log').get()?.['id'] ?? 0)
}

/**
 * Folds again what is after the newest entry in the tables, if they are said to hold more rows than there are: another
 * program cut rows off, or wrote a number that no row has. What is recorded next would never be folded.
 */
export function boundFolded(sqlite: Sqlite): void {
  if (readFolded(sqlite) <= readLastRow(sqlite)) return
  sqlite.transact(true, () => {
    const placed = Number(sqlite.statement('SELECT max(id) AS id FROM place').get()?.['id'] ?? 0)
    const upTo = Math.min(placed, readLastRow(sqlite))
    sqlite.statement("UPDATE meta SET value = ?1 WHERE key = 'folded' AND value > ?1").run(upTo)
  })
}

/** Brings the tables up to date and returns the newest row. Call it in a transaction. */
export function foldLog(sqlite: Sqlite): number {
  const from = readFolded(sqlite)
  const to = readLastRow(sqlite)
  if (to <= from) return to
  const found = findKinds(sqlite, from, to)
  for (const { of, sql } of FOLDS)
    if (of === null || of.some((kind) => found.has(kind))) sqlite.statement(sql).run(from, to)
  return to
}

/** What is in a span; most of it is calls that change nothing, and most tables are not concerned. */
function findKinds(sqlite: Sqlite, from: number, to: number): ReadonlySet<string> {
  const rows = sqlite.statement(`SELECT DISTINCT l.kind, l.lands FROM log l WHERE ${SPAN}`).all(from, to)
  return new Set(rows.flatMap(({ kind, lands }) => (lands === 1 ? [String(kind), 'lands'] : [String(kind)])))
}
