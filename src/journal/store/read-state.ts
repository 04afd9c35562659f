import type { Clock } from '../../core/clock.ts'
import type { Sqlite } from '../../host/db/sqlite.ts'
import type { SealKey } from '../../host/system/hash.ts'
import type { SessionKey } from '../entries/entry.ts'
import type { FoundCall, OpenBatch, RecentFilter, SessionBrief, Unlanded, Unsynced } from '../log.ts'
import { readChanges } from '../entries/mentions.ts'
import type { SessionRow } from './read-log.ts'
import { vouchForCommits } from '../chain/vouch-for-commits.ts'

/** Which sessions to read: one, those of a root, or all. */
export interface SessionFilter {
  readonly session?: number
  readonly root?: string | undefined
}

/** A prefix that matches more calls than this is of no use. */
const MAX_FOUND = 10
const SELECTED = '(?1 IS NULL OR s.id = ?1) AND (?2 IS NULL OR s.root = ?2)'

/** The sessions in the order they were created. */
export function readSessions(sqlite: Sqlite, root?: string): readonly SessionRow[] {
  const rows = sqlite.statement(
    'SELECT s.id, s.root, s.name FROM session s WHERE ?1 IS NULL OR s.root = ?1 ORDER BY s.id',
  )
  return rows.all(root ?? null).map((row) => ({ id: Number(row['id']), key: keyOf(row) }))
}

/** Whether a root has a session with entries; the tables have to be up to date. */
export function hasSessions(sqlite: Sqlite, root: string): boolean {
  const first = sqlite.statement(
    'SELECT 1 FROM session s WHERE s.root = ? AND EXISTS (SELECT 1 FROM place WHERE session = s.id) LIMIT 1',
  )
  return first.get(root) !== undefined
}

/** The sessions of a root, most recently written first; the tables have to be up to date. */
export function readRecent(
  sqlite: Sqlite,
  root: string,
  { most, name }: RecentFilter = {},
): readonly SessionBrief[] {
  const rows = sqlite.statement(
    `SELECT s.name, p.seq, l.at FROM session s
     JOIN place p ON p.session = s.id AND p.seq = (SELECT max(seq) FROM place WHERE session = s.id)
     JOIN log l ON l.id = p.id WHERE s.root = ? ${name === undefined ? '' : 'AND s.name = ?'} ORDER BY l.at DESC, l.id DESC LIMIT ?`,
  )
  return rows.all(root, ...(name === undefined ? [] : [name]), most ?? -1).map((row) => ({
    name: String(row['name']),
    lastAt: Number(row['at']),
    entries: Number(row['seq']),
  }))
}

/** One session; null if it has no entries. */
export function findSession(sqlite: Sqlite, { root, name }: SessionKey): SessionRow | null {
  const row = sqlite.statement('SELECT id FROM session WHERE root = ? AND name = ?').get(root, name)
  return row === undefined ? null : { id: Number(row['id']), key: { root, name } }
}

const TEXT = 'CASE WHEN json_valid(entry_text(l.body)) THEN entry_text(l.body) END'
const TEXTS = `SELECT p.seq AS seq, ${TEXT} AS text FROM place p JOIN log l ON l.id = p.id WHERE p.session = s.id`

/**
 * The newest batch of a session `s` that no delegated conversation made, if one of its calls has no result. An end that
 * cannot be read may be that of any call; it is named by itself.
 */
const NEWEST_OPEN = `SELECT newest.seq FROM (SELECT * FROM (${TEXTS})
    WHERE text ->> 'kind' = 'batch' AND text ->> 'delegate' IS NULL ORDER BY seq DESC LIMIT 1) newest
  WHERE EXISTS (SELECT 1 FROM json_each(newest.text, '$.calls') c WHERE c.value ->> 'execution' NOT IN
    (SELECT text ->> 'execution' FROM (${TEXTS} AND p.seq > newest.seq)
     WHERE text ->> 'kind' = 'settled' AND text ->> 'execution' IS NOT NULL))
  AND NOT EXISTS (SELECT 1 FROM place p JOIN log l ON l.id = p.id
    WHERE p.session = s.id AND p.seq > newest.seq AND l.kind = 'settled' AND NOT json_valid(entry_text(l.body)))`

/** The place of that batch, by the texts of the entries, whatever the tables say; null if it has its results. */
export function readNewestOpen(sqlite: Sqlite, session: number): number | null {
  const found = sqlite
    .statement(`SELECT (${NEWEST_OPEN}) AS seq FROM session s WHERE s.id = ?`)
    .get(session)?.['seq']
  return typeof found === 'number' ? found : null
}

/** Batches with calls that have no result; the tables have to be up to date. */
export function readOpenBatches(sqlite: Sqlite, filter: SessionFilter): readonly OpenBatch[] {
  const rows = sqlite.statement(
    `SELECT DISTINCT s.root, s.name, entry_text(l.body) ->> 'batch' AS batch, o.session, o.seq
     FROM open_call o JOIN session s ON s.id = o.session
     JOIN place p ON p.session = o.session AND p.seq = o.seq JOIN log l ON l.id = p.id AND json_valid(entry_text(l.body))
     WHERE ${SELECTED} ORDER BY o.session, o.seq`,
  )
  return rows
    .all(...bind(filter))
    .map((row) => ({ session: keyOf(row), batch: String(row['batch']), seq: Number(row['seq']) }))
}

/** Sessions that an earlier process may have left unfinished; the tables have to be up to date. */
export function readUnfinished(sqlite: Sqlite, root: string): readonly string[] {
  const rows = sqlite.statement(
    `SELECT s.name FROM session s WHERE s.root = ? AND (
       s.id IN (SELECT session FROM open_call UNION SELECT session FROM unlanded UNION SELECT session FROM received)
       OR EXISTS (${NEWEST_OPEN})) ORDER BY s.id`,
  )
  return rows.all(root).map((row) => String(row['name']))
}

/** What marks of commits are judged by. */
export interface Judging {
  readonly key: SealKey
  readonly clock: Clock
}

/** Commits whose files may not all have landed; the tables have to be up to date. */
export function readUnlanded(
  sqlite: Sqlite,
  { key, clock }: Judging,
  filter: SessionFilter,
): readonly Unlanded[] {
  const rows = sqlite.statement(
    `SELECT s.root, s.name, u.session, u.seq, u.execution, l.body, l.at, l.id AS written, ${IS_IN_DOUBT} AS in_doubt
     FROM unlanded u JOIN session s ON s.id = u.session
     JOIN place p ON p.session = u.session AND p.seq = u.seq JOIN log l ON l.id = p.id
     WHERE ${SELECTED} ORDER BY u.session, u.seq`,
  )
  return vouched(sqlite, key, rows.all(...bind(filter)), ({ in_doubt }) => in_doubt === 0).flatMap(
    commitReader(sqlite, clock),
  )
}

/** No process lands what is in doubt, so nothing has to vouch for it; it may wait for a person for long. */
const IS_IN_DOUBT = `EXISTS (SELECT 1 FROM about a JOIN place q ON q.session = a.session AND q.seq = a.seq
  JOIN log n ON n.id = q.id WHERE a.execution = u.execution AND a.session = u.session AND q.kind = 'note'
  AND CASE WHEN json_valid(n.body) THEN n.body ->> 'about' END = 'in_doubt')`

type Row = Readonly<Record<string, unknown>>

/** Leaves out the rows in question that the chain does not vouch for. */
function vouched(
  sqlite: Sqlite,
  key: SealKey,
  rows: readonly Row[],
  isInQuestion: (row: Row) => boolean,
): readonly Row[] {
  const questioned = rows.filter(isInQuestion)
  if (questioned.length === 0) return rows
  const good = new Set(
    vouchForCommits(
      sqlite,
      key,
      questioned.map((found) => ({
        found,
        session: keyOf(found),
        row: Number(found['session']),
        seq: Number(found['seq']),
        execution: String(found['execution']),
      })),
    ).map(({ found }) => found),
  )
  return rows.filter((row) => !isInQuestion(row) || good.has(row))
}

/** Landed commits that may not have reached the disk; the tables have to be up to date. */
export function readUnsynced(sqlite: Sqlite, { key, clock }: Judging, root: string): readonly Unsynced[] {
  const rows = sqlite.statement(
    `SELECT s.root, s.name, u.session, u.seq, u.execution, l.body, l.at, u.landed AS written, u.at AS landed_at
     FROM unsynced u
     JOIN session s ON s.id = u.session
     JOIN place p ON p.session = u.session AND p.seq = u.seq JOIN log l ON l.id = p.id
     WHERE s.root = ? ORDER BY l.id`,
  )
  const read = commitReader(sqlite, clock)
  const boot = readBootRow(sqlite)
  return vouched(sqlite, key, rows.all(root), ({ written }) => Number(written) <= boot).flatMap((row) =>
    read(row).map((commit) => ({ ...commit, landedAt: landedAt(row, commit) })),
  )
}

/** How long putting files in place takes at most, and each of many. */
const LANDING_MS = 10_000
const LANDING_MS_PER_FILE = 50

/** The mark that says when a commit landed has no seal; its entry is in the chain, and a landing does not take for ever. */
function landedAt(
  row: Readonly<Record<string, unknown>>,
  { committedAt, changes }: Pick<Unlanded, 'committedAt' | 'changes'>,
): number {
  return Math.min(Number(row['landed_at']), committedAt + LANDING_MS + LANDING_MS_PER_FILE * changes.length)
}

/** Entries of several processes may come into the log this much later than they were made. */
const OUT_OF_ORDER_MS = 60_000

/** Whether a time was surely no later than it says: neither the clock nor a later row has an earlier one. */
function isCertain(
  sqlite: Sqlite,
  time: number,
  { now, written }: Readonly<Record<'now' | 'written', number>>,
) {
  const before = time - OUT_OF_ORDER_MS
  if (now < before) return false
  const earlier = sqlite.statement('SELECT 1 FROM log WHERE id > ? AND at < ? LIMIT 1').get(written, before)
  return earlier === undefined
}

/** The last row that was written before the machine booted. */
function readBootRow(sqlite: Sqlite): number {
  return Number(sqlite.statement("SELECT value FROM meta WHERE key = 'boot_row'").get()?.['value'] ?? 0)
}

/** Leaves out commits that cannot be read, since they cannot be landed. */
function commitReader(
  sqlite: Sqlite,
  clock: Clock,
): (row: Readonly<Record<string, unknown>>) => readonly Unlanded[] {
  const lastOfEarlierBoot = readBootRow(sqlite)
  const now = clock.now()
  return (found) => {
    const changes = readChanges(found['body'])
    if (changes === null) return []
    const [committedAt, written] = [Number(found['at']), Number(found['written'])]
    const isOfEarlierBoot = written <= lastOfEarlierBoot
    return [
      {
        session: keyOf(found),
        execution: String(found['execution']),
        changes,
        committedAt,
        isOfEarlierBoot,
        isTimeCertain: !isOfEarlierBoot || isCertain(sqlite, committedAt, { now, written }),
      },
    ]
  }
}

/** Calls whose execution id starts with this prefix; the tables have to be up to date. */
export function readCalls(
  sqlite: Sqlite,
  prefix: string,
  { session, root }: SessionFilter,
): readonly FoundCall[] {
  const rows = sqlite.statement(
    `SELECT DISTINCT s.root, s.name, a.execution FROM about a JOIN session s ON s.id = a.session
     WHERE a.execution >= ?1 AND a.execution < ?2 AND (?3 IS NULL OR s.root = ?3) AND (?4 IS NULL OR s.id = ?4)
     ORDER BY a.execution LIMIT ${MAX_FOUND}`,
  )
  return rows
    .all(prefix, `${prefix}\u{10ffff}`, root ?? null, session ?? null)
    .map((row) => ({ session: keyOf(row), execution: String(row['execution']) }))
}

function bind({ session, root }: SessionFilter): readonly [number | null, string | null] {
  return [session ?? null, root ?? null]
}

function keyOf(row: Readonly<Record<string, unknown>>): SessionKey {
  return { root: String(row['root']), name: String(row['name']) }
}
