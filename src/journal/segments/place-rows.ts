import { Buffer } from 'node:buffer'
import type { Sqlite } from '../../host/db/sqlite.ts'
import { readFolded } from '../store/fold-log.ts'
import { packEntries } from '../entries/packed-entries.ts'
import type { Rows } from '../store/rows.ts'
import type { PlainEntry, WaitingRow } from './frame.ts'

/** Places rows of segments in the log. Each is placed once, and only after those it builds on. */
export interface RowPlacer {
  /** Whether every entry follows the newest one of its session. */
  readonly follows: (rows: readonly WaitingRow[]) => boolean
  /**
   * Places rows and returns the sessions in which they have no place: other entries are there, because two processes
   * wrote to them, or entries before them are gone. After a power cut these may be gone by rights.
   */
  readonly place: (rows: readonly WaitingRow[], mayEndEarly: boolean) => ReadonlySet<number>
  /** Stores what was placed. Call it once, after the last of it. */
  readonly finish: () => void
  /** The sessions in which other entries are at the places of these, which were placed before. */
  readonly findContested: (rows: readonly WaitingRow[]) => ReadonlySet<number>
}

const NONE: ReadonlySet<number> = new Set()

/** Creates one for a transaction. */
export function createRowPlacer(sqlite: Sqlite, log: Rows): RowPlacer {
  const heads = new Map<number, number | null>()
  const folded = readFolded(sqlite)
  let recent: ReadonlyMap<number, number> | null = null
  /** In their order; stored together at the end. */
  const placed: WaitingRow[] = []

  /** The newest entries that the tables do not include. */
  function readRecent(): ReadonlyMap<number, number> {
    const rows = sqlite
      .statement('SELECT session, max(seq) AS seq FROM log WHERE id > ? AND seq IS NOT NULL GROUP BY session')
      .all(folded)
    return new Map(rows.map((row) => [Number(row['session']), Number(row['seq'])]))
  }

  /** The newest entry of a session whose row exists, as its owner sees it; null if there is no such session. */
  function headOf(session: number): number | null {
    const known = heads.get(session)
    if (known !== undefined) return known
    recent ??= readRecent()
    const found = sqlite
      .statement(
        `SELECT s.id, (SELECT l.seq FROM place p JOIN log l ON l.id = p.id AND l.seq = p.seq
           WHERE p.session = s.id ORDER BY p.seq DESC LIMIT 1) AS seq FROM session s WHERE s.id = ?`,
      )
      .get(session)
    const head = found === undefined ? null : Math.max(Number(found['seq'] ?? 0), recent.get(session) ?? 0)
    heads.set(session, head)
    return head
  }

  /** Whether this very entry is at its place already. */
  function isPlaced(session: number, { seq, hash }: PlainEntry): boolean {
    const isIt = (one: WaitingRow): boolean =>
      one.is === 'entry' && one.session === session && one.entry.seq === seq && one.entry.hash === hash
    return (
      placed.some(isIt) ||
      sqlite
        .statement(
          `SELECT 1 FROM place p JOIN log l ON l.id = p.id WHERE p.session = ?1 AND p.seq = ?2 AND l.hash = ?3
           UNION ALL SELECT 1 FROM log WHERE id > ?4 AND session = ?1 AND seq = ?2 AND hash = ?3 LIMIT 1`,
        )
        .get(session, seq, Buffer.from(hash, 'hex'), folded) !== undefined
    )
  }

  function place(rows: readonly WaitingRow[], mayEndEarly: boolean): ReadonlySet<number> {
    let contested = NONE
    /** Sessions whose entries before these are missing: a power cut has taken them. */
    const lost = new Set<number>()
    for (const row of rows) {
      if (row.is === 'payload') {
        placed.push(row)
        continue
      }
      const { session } = row
      const head = headOf(session)
      if (head === null || lost.has(session) || contested.has(session)) continue
      if (row.is === 'ledger') {
        placed.push(row)
        continue
      }
      const { entry } = row
      if (entry.seq === head + 1) {
        placed.push(row)
        heads.set(session, entry.seq)
      } else if (entry.seq > head && mayEndEarly) lost.add(session)
      else if (entry.seq > head || !isPlaced(session, entry)) contested = new Set([...contested, session])
    }
    return contested
  }

  return {
    follows: (rows) => {
      const next = new Map<number, number>()
      return rows.every((row) => {
        if (row.is !== 'entry') return true
        const expected = next.get(row.session) ?? (headOf(row.session) ?? 0) + 1
        next.set(row.session, row.entry.seq + 1)
        return row.entry.seq <= expected
      })
    },
    place,
    finish: () => {
      const places = packEntries(
        sqlite,
        placed.flatMap((row) => (row.is === 'entry' ? [row.entry] : [])),
      )
      for (const row of placed) {
        if (row.is === 'payload') log.payload(row.digest, row.bytes)
        else if (row.is === 'ledger') log.ledger(row.session, row.body)
        else {
          const packedAs = places.get(row.entry)
          const packed = packedAs === undefined ? {} : { packedAs }
          log.entry(row.session, { ...row.entry, hasChanges: false, isDoubt: false, shared: null, ...packed })
        }
      }
    },
    findContested: (rows) =>
      new Set(
        rows.flatMap((row) => (row.is === 'entry' && !isPlaced(row.session, row.entry) ? [row.session] : [])),
      ),
  }
}
