import type { Sqlite } from '../../host/db/sqlite.ts'
import { CHAIN_START, chainHash, sessionId } from '../chain/chain.ts'
import type { Digest } from '../entries/entry.ts'
import { hexOf } from '../store/read-log.ts'
import { readSessions } from '../store/read-state.ts'

/** An entry as it stands in the log. */
interface Numbered {
  readonly id: number
  readonly seq: number
  readonly at: number
  readonly body: unknown
  readonly hash: Digest
}

/** The place behind which the next entry belongs. */
interface Place {
  readonly seq: number
  readonly hash: Digest
}

/**
 * Entries are numbered in the order in which they were written. Where a number is damaged, the entry gets it back if its
 * hash proves which one it was, and is removed otherwise: an entry out of order cannot be sealed. Returns how many.
 */
export function mendOrder(sqlite: Sqlite): number {
  return readSessions(sqlite).reduce(
    (mended, { id, key }) => mended + mendSession(sqlite, id, sessionId(key)),
    0,
  )
}

function mendSession(sqlite: Sqlite, row: number, session: string): number {
  const renumber = sqlite.statement('UPDATE log SET seq = ? WHERE id = ?')
  const remove = sqlite.statement('DELETE FROM log WHERE id = ?')
  let last: Place = { seq: 0, hash: CHAIN_START }
  let mended = 0
  for (const [entry, next] of withNext(readEntries(sqlite, row))) {
    const due = last.seq + 1
    if (entry.seq === due) last = entry
    else if (belongsAt(due, { session, last, entry, next })) {
      mended++
      renumber.run(due, entry.id)
      last = { seq: due, hash: entry.hash }
    } else if (entry.seq > due && !isAhead(session, entry, next)) last = entry
    else {
      mended++
      remove.run(entry.id)
    }
  }
  return mended
}

/** Whether an entry had this number: its own hash says so, or the next entry, which has the number after it. */
function belongsAt(
  due: number,
  { session, last, entry, next }: { session: string; last: Place; entry: Numbered; next: Numbered | null },
): boolean {
  return (
    follows(session, last, { ...entry, seq: due }) || (next?.seq === due + 1 && follows(session, entry, next))
  )
}

/** Whether the number of an entry is too large: the next one has a smaller number, and follows it all the same. */
function isAhead(session: string, entry: Numbered, next: Numbered | null): boolean {
  return next !== null && next.seq <= entry.seq && follows(session, entry, next)
}

function follows(session: string, { hash: before }: Place, { seq, at, body, hash }: Numbered): boolean {
  return typeof body === 'string' && chainHash(before, { session, seq, at, body }) === hash
}

function* readEntries(sqlite: Sqlite, session: number): Generator<Numbered> {
  const rows = sqlite.statement(
    'SELECT id, seq, at, hash, entry_text(body) AS body FROM log WHERE seq IS NOT NULL AND session = ? AND id > ? ORDER BY id LIMIT 500',
  )
  for (let last = 0, page = rows.all(session, last); page.length > 0; page = rows.all(session, last))
    for (const row of page) {
      last = Number(row['id'])
      yield toNumbered(row)
    }
}

function toNumbered({ id, seq, at, body, hash }: Readonly<Record<string, unknown>>): Numbered {
  return { id: Number(id), seq: Number(seq), at: Number(at), body, hash: hexOf(hash) }
}

function* withNext<T>(items: Iterable<T>): Generator<readonly [T, T | null]> {
  let held: T | null = null
  for (const item of items) {
    if (held !== null) yield [held, item]
    held = item
  }
  if (held !== null) yield [held, null]
}
