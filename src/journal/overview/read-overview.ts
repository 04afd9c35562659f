import type { Sqlite } from '../../host/db/sqlite.ts'
import type { Entry } from '../entries/entry.ts'
import type { RecentFilter } from '../log.ts'
import { LISTED_KINDS, PAUSE_KINDS, USED_KINDS } from './session-overview.ts'
import type { LastUse, SessionCounts } from './session-overview.ts'

/** The newest row of a session of one of these kinds, or 0; the condition on all kinds is that of the index. */
function newestOf(kinds: readonly Entry['kind'][]): string {
  const rows = kinds.map(
    (kind) => `coalesce((SELECT p.id FROM place p WHERE p.session = s.id AND p.kind = '${kind}'
     AND p.kind NOT IN ('batch', 'settled') ORDER BY p.seq DESC LIMIT 1), 0)`,
  )
  return rows.length === 1 ? String(rows[0]) : `max(${rows.join(', ')})`
}

const LAST_USED = newestOf(USED_KINDS)

const LAST_EDITED = `(SELECT p.id FROM edit e JOIN place p ON p.session = e.session AND p.seq = e.seq
   WHERE e.session = s.id ORDER BY e.seq DESC LIMIT 1)`

/** The sessions of a root that `run` or the app used, the last used first; the tables have to be up to date. */
export function readLastUses(sqlite: Sqlite, root: string, most = -1): readonly LastUse[] {
  return readUses(sqlite, root, LAST_USED, most)
}

/** The sessions of a root with calls that edit, the last edited first; the tables have to be up to date. */
export function readLastEdits(sqlite: Sqlite, root: string): readonly LastUse[] {
  return readUses(sqlite, root, LAST_EDITED, -1)
}

function readUses(sqlite: Sqlite, root: string, row: string, most: number): readonly LastUse[] {
  return sqlite
    .statement(
      `SELECT u.name, l.at FROM (SELECT s.name, ${row} AS id FROM session s WHERE s.root = ?) u
       JOIN log l ON l.id = u.id ORDER BY u.id DESC LIMIT ?`,
    )
    .all(root, most)
    .map((found) => ({ name: String(found['name']), at: Number(found['at']) }))
}

/** The sessions of a root whose newest message waited for something that came since; the tables have to be up to date. */
export function readPaused(sqlite: Sqlite, root: string): readonly string[] {
  return sqlite
    .statement(
      `SELECT s.name FROM session s WHERE s.root = ? AND ${newestOf(PAUSE_KINDS)} > ${newestOf(['said'])} ORDER BY s.id`,
    )
    .all(root)
    .map((row) => String(row['name']))
}

/** The kinds of a session that are looked up one by one, since there may be many entries of each. */
const KINDS = LISTED_KINDS.map(
  (kind) => `iif(EXISTS (SELECT 1 FROM place p WHERE p.session = s.id AND p.kind = '${kind}'
     AND p.kind NOT IN ('batch', 'settled')), ' ${kind} ', '')`,
).join(' || ')

/** What the sessions of a root hold, the last written first; the tables have to be up to date. */
export function readCounts(
  sqlite: Sqlite,
  root: string,
  { most = -1, name }: RecentFilter = {},
): readonly SessionCounts[] {
  return sqlite
    .statement(
      `SELECT s.name, one.at AS created, last.at AS updated, ${KINDS} AS kinds,
         (SELECT count(*) FROM place p JOIN log l ON l.id = p.id WHERE p.session = s.id AND p.kind = 'said'
            AND p.kind NOT IN ('batch', 'settled') AND CASE WHEN json_valid(l.body) THEN l.body ->> 'role' <> 'tool' END) AS messages,
         (SELECT total(CASE WHEN json_valid(l.calls) THEN json_array_length(l.calls) END) FROM place p JOIN log l ON l.id = p.id
            WHERE p.session = s.id AND p.kind = 'batch') AS calls
       FROM (SELECT s.id, s.name, z.id AS last FROM session s
         JOIN place z ON z.session = s.id AND z.seq = (SELECT max(seq) FROM place WHERE session = s.id)
         WHERE s.root = ?1 AND (?2 IS NULL OR s.name = ?2) ORDER BY z.id DESC LIMIT ?3) s
       JOIN place a ON a.session = s.id AND a.seq = (SELECT min(seq) FROM place WHERE session = s.id)
       JOIN log one ON one.id = a.id
       JOIN log last ON last.id = s.last
       ORDER BY s.last DESC`,
    )
    .all(root, name ?? null, most)
    .map((row) => ({
      name: String(row['name']),
      messages: Number(row['messages']),
      calls: Number(row['calls']),
      createdAt: Number(row['created']),
      updatedAt: Number(row['updated']),
      kinds: LISTED_KINDS.filter((kind) => String(row['kinds']).includes(` ${kind} `)),
    }))
}
