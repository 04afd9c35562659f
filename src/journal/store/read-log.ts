import { Buffer } from 'node:buffer'
import { sqliteFaultOf } from '../../host/db/sqlite.ts'
import type { Bindable, Sqlite } from '../../host/db/sqlite.ts'
import { CHAIN_START } from '../chain/chain.ts'
import type { Head } from '../chain/chain.ts'
import type { SealedText } from '../chain/sealed-entries.ts'
import { DAMAGED_FINDINGS, standInFor } from '../entries/damaged-entry.ts'
import type { Digest, Entry, SessionKey, StoredEntry } from '../entries/entry.ts'
import type { PlainEntry } from '../segments/frame.ts'
import { CALLS, readFolded } from './fold-log.ts'
import { parseEntryText } from '../entries/entry-text.ts'
import { isTime } from '../entries/shapes.ts'
import { readFindings } from '../entries/shared-findings.ts'

const PAGE_ROWS = 200
/** Whoever looks from one end on mostly stops after a few entries. */
const FIRST_ROWS = 8
const COLUMNS = 'l.id, l.seq, l.at, l.hash, entry_text(l.body) AS body'

/** A session and its row in the database. */
export interface SessionRow {
  readonly id: number
  readonly key: SessionKey
}

interface EntryRow {
  readonly id: number
  readonly stored: StoredEntry
}

/** The entries of a session that are not in the database yet, oldest first. */
export type ReadWaiting = () => readonly PlainEntry[]

/** The entries of a session from `fromSeq` on. They are read page by page; no statement stays open in between. */
export function* readEntries(
  sqlite: Sqlite,
  session: SessionRow,
  fromSeq = 1,
  readWaiting: ReadWaiting = () => [],
): Generator<StoredEntry> {
  const folded = readFolded(sqlite)
  let next = fromSeq
  const steps = [
    () =>
      pageOf(
        sqlite,
        session,
        `FROM place p JOIN log l ON l.id = p.id WHERE p.session = ? AND p.seq >= ? ORDER BY p.seq`,
        [next],
      ),
    () =>
      pageOf(sqlite, session, `FROM log l WHERE l.session = ? AND l.seq >= ? AND l.id > ? ORDER BY l.id`, [
        next,
        folded,
      ]),
  ]
  for (let from = 0; from < next;) {
    from = next
    // What waits may get into the database at any time; pages that are read after it hold it then.
    const waiting = readWaiting()
    for (const step of steps) {
      for (let page = step(); page.length > 0; page = step()) {
        for (const { stored } of page) {
          yield stored
          next = stored.seq + 1
        }
      }
    }
    for (const entry of waiting) {
      if (entry.seq < next) continue
      yield waitingOf(sqlite, entry, session.key)
      next = entry.seq + 1
    }
  }
}

/** An entry that is not in the database yet. */
export function waitingOf(sqlite: Sqlite, entry: PlainEntry, session: SessionKey): StoredEntry {
  const { seq, at, hash, body } = entry
  return entryOf(sqlite, { id: null, seq, at, hash: Buffer.from(hash, 'hex'), body }, session).stored
}

/** The kinds that have an index of their own; the others are most of the log. */
export type RareKind = Exclude<Entry['kind'], 'batch' | 'settled'>

/** The condition of the index, without which SQLite does not use it. */
const IS_RARE = "p.kind NOT IN ('batch', 'settled')"

function isRare(kind: Entry['kind'] | null): kind is RareKind {
  return kind !== null && kind !== 'batch' && kind !== 'settled'
}

/** The entries of a session, newest first, of one kind or of all; for a rare kind the tables have to be up to date. */
export function* readNewestFirst(
  sqlite: Sqlite,
  session: SessionRow,
  kind: Entry['kind'] | null,
  readWaiting: ReadWaiting = () => [],
): Generator<StoredEntry> {
  if (isRare(kind)) return yield* readRare(sqlite, session, kind)
  const folded = readFolded(sqlite)
  let before = Number.MAX_SAFE_INTEGER
  let oldest = Number.MAX_SAFE_INTEGER
  for (const entry of readWaiting().toReversed()) {
    oldest = entry.seq
    if (kind === null || entry.kind === kind) yield waitingOf(sqlite, entry, session.key)
  }
  const steps = [
    () =>
      pageOf(
        sqlite,
        session,
        `FROM log l WHERE l.session = ? AND l.id < ? AND l.id > ? AND l.seq < ?5 AND (?4 IS NULL OR l.kind = ?4) ORDER BY l.id DESC`,
        [before, folded, kind, oldest],
      ),
    () =>
      pageOf(
        sqlite,
        session,
        `FROM place p JOIN log l ON l.id = p.id WHERE p.session = ? AND p.id < ? AND p.id <= ? AND (?4 IS NULL OR p.kind = ?4) ORDER BY p.seq DESC`,
        [before, folded, kind],
      ),
  ]
  for (const step of steps) {
    for (let page = step(); page.length > 0; page = step()) {
      for (const { id, stored } of page) {
        yield stored
        before = id
      }
    }
  }
}

/** The entries of one rare kind, newest first; the tables have to be up to date. */
function* readRare(sqlite: Sqlite, session: SessionRow, kind: RareKind): Generator<StoredEntry> {
  yield* readDown(
    sqlite,
    session,
    `FROM place p JOIN log l ON l.id = p.id
     WHERE p.session = ? AND p.seq < ? AND p.kind = '${kind}' AND ${IS_RARE} ORDER BY p.seq DESC`,
  )
}

/** The entries of calls that edit, and of undo and redo, newest first; the tables have to be up to date. */
export function readEdits(sqlite: Sqlite, session: SessionRow): Generator<StoredEntry> {
  return readDown(
    sqlite,
    session,
    `FROM edit e JOIN place p ON p.session = e.session AND p.seq = e.seq JOIN log l ON l.id = p.id
     WHERE e.session = ? AND e.seq < ? ORDER BY e.seq DESC`,
  )
}

function* readDown(sqlite: Sqlite, session: SessionRow, from: string): Generator<StoredEntry> {
  let before = Number.MAX_SAFE_INTEGER
  for (let rows = FIRST_ROWS; ; rows = PAGE_ROWS) {
    const page = pageOf(sqlite, session, from, [before], rows)
    for (const { stored } of page) {
      yield stored
      before = stored.seq
    }
    if (page.length < rows) return
  }
}

/** The entries of one rare kind, oldest first; the tables have to be up to date. */
export function* readOldestFirst(
  sqlite: Sqlite,
  session: SessionRow,
  kind: RareKind,
): Generator<StoredEntry> {
  let after = 0
  for (let rows = FIRST_ROWS; ; rows = PAGE_ROWS) {
    const page = pageOf(
      sqlite,
      session,
      `FROM place p JOIN log l ON l.id = p.id
       WHERE p.session = ? AND p.seq > ? AND p.kind = '${kind}' AND ${IS_RARE} ORDER BY p.seq`,
      [after],
      rows,
    )
    for (const { stored } of page) {
      yield stored
      after = stored.seq
    }
    if (page.length < rows) return
  }
}

/** The entries about a batch and its calls, oldest first; `seq` is its own entry. The tables have to be up to date. */
export function readAboutBatch(sqlite: Sqlite, session: SessionRow, seq: number): readonly StoredEntry[] {
  return sqlite
    .statement(
      `SELECT ${COLUMNS} FROM (
         SELECT a.seq FROM place b JOIN log l ON l.id = b.id, ${CALLS}
           JOIN about a ON a.execution = c.value AND a.session = b.session WHERE b.session = ?1 AND b.seq = ?2
         UNION SELECT p.seq FROM place p WHERE p.session = ?1 AND p.kind = 'answered' AND ${IS_RARE} AND p.seq > ?2
         UNION SELECT p.seq FROM place p WHERE p.session = ?1 AND p.kind = 'continued' AND ${IS_RARE} AND p.seq > ?2
       ) n CROSS JOIN place p ON p.session = ?1 AND p.seq = n.seq CROSS JOIN log l ON l.id = p.id ORDER BY n.seq`,
    )
    .all(session.id, seq)
    .map((row) => entryOf(sqlite, row, session.key).stored)
}

/** The entries about one call, oldest first; the tables have to be up to date. */
export function readAbout(sqlite: Sqlite, session: SessionRow, execution: string): readonly StoredEntry[] {
  return sqlite
    .statement(
      `SELECT ${COLUMNS} FROM about a JOIN place p ON p.session = a.session AND p.seq = a.seq JOIN log l ON l.id = p.id
       WHERE a.session = ? AND a.execution = ? ORDER BY a.seq`,
    )
    .all(session.id, execution)
    .map((row) => entryOf(sqlite, row, session.key).stored)
}

/** The hash of one entry; the tables have to be up to date. */
export function readHash(sqlite: Sqlite, session: SessionRow, seq: number): Digest | null {
  const row = sqlite
    .statement(
      'SELECT l.hash FROM place p JOIN log l ON l.id = p.id AND l.seq = p.seq WHERE p.session = ? AND p.seq = ?',
    )
    .get(session.id, seq)
  return row === undefined ? null : hexOf(row['hash'])
}

/** The text of one entry with its seal; null if there is no such entry. The tables have to be up to date. */
export function readSealed(sqlite: Sqlite, session: SessionRow, seq: number): SealedText | null {
  const row = sqlite
    .statement(
      `SELECT l.at, entry_text(l.body) AS body, c.seal FROM place p JOIN log l ON l.id = p.id AND l.seq = p.seq
       LEFT JOIN changes_seal c ON c.session = p.session AND c.seq = p.seq WHERE p.session = ? AND p.seq = ?`,
    )
    .get(session.id, seq)
  if (row === undefined) return null
  const { at, body, seal } = row
  const previous = seq === 1 ? CHAIN_START : (readHash(sqlite, session, seq - 1) ?? '')
  return { seq, at: Number(at), body: String(body), previous, seal: typeof seal === 'string' ? seal : null }
}

/** The newest entry whose row exists; the tables have to be up to date. */
export function readHead(sqlite: Sqlite, session: SessionRow): Head | null {
  const row = sqlite
    .statement(
      `SELECT l.seq, l.hash FROM place p JOIN log l ON l.id = p.id AND l.seq = p.seq
       WHERE p.session = ? ORDER BY p.seq DESC LIMIT 1`,
    )
    .get(session.id)
  return row === undefined ? null : { seq: Number(row['seq']), hash: hexOf(row['hash']) }
}

function pageOf(
  sqlite: Sqlite,
  session: SessionRow,
  from: string,
  bound: readonly Bindable[],
  rows = PAGE_ROWS,
): readonly EntryRow[] {
  return sqlite
    .statement(`SELECT ${COLUMNS} ${from} LIMIT ${rows}`)
    .all(session.id, ...bound)
    .map((row) => entryOf(sqlite, row, session.key))
}

function entryOf(sqlite: Sqlite, row: Readonly<Record<string, unknown>>, session: SessionKey): EntryRow {
  const seq = Number(row['seq'])
  const at = Number(row['at'])
  return {
    id: Number(row['id']),
    stored: {
      session,
      seq,
      at: isTime(at) ? at : 0,
      hash: hexOf(row['hash']),
      entry: readEntry(sqlite, row, seq),
    },
  }
}

function readEntry(sqlite: Sqlite, row: Readonly<Record<string, unknown>>, seq: number): Entry {
  try {
    if (!isTime(Number(row['at']))) throw new Error('nothing is recorded at such a time')
    return parseEntryText(
      String(row['body']),
      (tool, digest) => readFindings(sqlite, tool, digest) ?? DAMAGED_FINDINGS,
    )
  } catch (thrown) {
    // A fault of the database says nothing about the entry.
    if (sqliteFaultOf(thrown) !== null) throw thrown
    const kind = sqlite.statement('SELECT kind FROM log WHERE id = ?').get(Number(row['id']))?.['kind']
    return standInFor(seq, kind)
  }
}

/** A stored hash as hex. */
export function hexOf(blob: unknown): Digest {
  return blob instanceof Uint8Array ? Buffer.from(blob).toString('hex') : ''
}
