import { seal } from '../../host/system/hash.ts'
import type { SealKey } from '../../host/system/hash.ts'
import type { Sqlite } from '../../host/db/sqlite.ts'
import type { Digest, SessionKey } from '../entries/entry.ts'
import { hexOf } from '../store/read-log.ts'
import type { SessionRow } from '../store/read-log.ts'
import { CHAIN_START, sessionId } from './chain.ts'
import type { Head } from './chain.ts'

/**
 * The chain of closings: whenever a session is closed, its head is listed here, linked to the closing before it. An old
 * anchor agrees with the old state of its session, but not with the closings since; and if these are taken away too,
 * the anchors of other sessions that were closed since know better.
 */
export interface ClosingsView {
  /** The number and the link of the newest closing. */
  readonly head: Head
  readonly lastSeq: number
  /** The link of a closing. */
  readonly hashAt: (number: number) => Digest | null
}

/** A session was closed with this head. */
export interface Closing {
  readonly number: number
  /** The session's row. */
  readonly row: number
  readonly head: Head
  readonly link: Digest
}

const NEWEST = 'SELECT id, link FROM closing WHERE id = (SELECT max(id) FROM closing)'

/** The chain of closings, as it is now. */
export function viewClosings(sqlite: Sqlite): ClosingsView {
  const newest = sqlite.statement(NEWEST).get()
  const head = { seq: Number(newest?.['id'] ?? 0), hash: String(newest?.['link'] ?? CHAIN_START) }
  const byNumber = sqlite.statement('SELECT link FROM closing WHERE id = ?')
  return {
    head,
    lastSeq: head.seq,
    hashAt: (number) => {
      const link = byNumber.get(number)?.['link']
      return typeof link === 'string' ? link : null
    },
  }
}

/** Lists the head of a session and returns the head of the closings. Call it in a transaction. */
export function appendClosing(sqlite: Sqlite, key: SealKey, session: SessionRow, head: Head): Head {
  const { head: last } = viewClosings(sqlite)
  const number = last.seq + 1
  const link = linkOf(key, last.hash, { number, session: session.key, head })
  sqlite
    .statement('INSERT INTO closing (id, session, seq, hash, link) VALUES (?, ?, ?, unhex(?), ?)')
    .run(number, session.id, head.seq, head.hash, link)
  return { seq: number, hash: link }
}

/** The head with which a session was closed last; null if it never was. */
export function lastClosing(sqlite: Sqlite, row: number): Head | null {
  const found = sqlite
    .statement('SELECT seq, hash FROM closing WHERE session = ? ORDER BY id DESC LIMIT 1')
    .get(row)
  return found === undefined ? null : { seq: Number(found['seq']), hash: hexOf(found['hash']) }
}

/** All closings, oldest first. */
export function* readClosings(sqlite: Sqlite): Generator<Closing> {
  const rows = sqlite.statement(
    'SELECT id, session, seq, hash, link FROM closing WHERE id > ? ORDER BY id LIMIT 500',
  )
  for (let last = 0, page = rows.all(last); page.length > 0; page = rows.all(last)) {
    for (const { id, session, seq, hash, link } of page) {
      last = Number(id)
      const head = { seq: Number(seq), hash: hexOf(hash) }
      yield { number: last, row: Number(session), head, link: String(link) }
    }
  }
}

/** The number of the first closing that does not follow the one before it; null if all do. */
export function findBrokenLink(
  closings: Iterable<Closing>,
  key: SealKey,
  sessions: ReadonlyMap<number, SessionKey>,
): number | null {
  let last: Head = { seq: 0, hash: CHAIN_START }
  for (const { number, row, head, link } of closings) {
    const session = sessions.get(row)
    const isNext = number === last.seq + 1 && session !== undefined
    if (!isNext || link !== linkOf(key, last.hash, { number, session, head })) return last.seq + 1
    last = { seq: number, hash: link }
  }
  return null
}

function linkOf(
  key: SealKey,
  previous: Digest,
  { number, session, head }: { readonly number: number; readonly session: SessionKey; readonly head: Head },
): Digest {
  return seal(
    key,
    `tongs closing 1\n${previous}\n${number}\n${sessionId(session)}\n${head.seq}\n${head.hash}`,
  )
}
