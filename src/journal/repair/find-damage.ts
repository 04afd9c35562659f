import { parseJson } from '../../core/json/value.ts'
import { digest } from '../../host/system/hash.ts'
import type { SealKey } from '../../host/system/hash.ts'
import type { Sqlite } from '../../host/db/sqlite.ts'
import { CHAIN_START, chainHash, sessionId } from '../chain/chain.ts'
import { createPayloadCheck } from '../chain/check-payloads.ts'
import { isSealedEntry } from '../chain/sealed-entries.ts'
import { findSpan, readAllSeals, UNSEALED } from '../chain/seals.ts'
import type { SealedSpan, Seals } from '../chain/seals.ts'
import type { Digest, Entry, SessionKey } from '../entries/entry.ts'
import { isPossibleEntry } from '../entries/possible-entry.ts'
import { hexOf } from '../store/read-log.ts'
import { readSessions } from '../store/read-state.ts'

/** The damage in one session that is not sealed yet. */
export interface SessionDamage {
  readonly key: SessionKey
  readonly spans: readonly SealedSpan[]
  readonly contents: readonly Digest[]
}

interface Walk {
  readonly id: string
  readonly seals: Seals
  readonly spans: SealedSpan[]
  seq: number
  hash: Digest
  /** The damage that the walk is in. */
  open: SealedSpan | null
}

/** Removes contents that do not match their digest; they are worth nothing, and hide that the right ones are missing. */
export function removeWrongContents(sqlite: Sqlite): number {
  const rows = sqlite.statement(
    "SELECT id, hash, body FROM log WHERE kind = 'payload' AND id > ? ORDER BY id LIMIT 100",
  )
  let removed = 0
  for (let last = 0, page = rows.all(last); page.length > 0; page = rows.all(last)) {
    for (const { id, hash, body } of page) {
      last = Number(id)
      if (body instanceof Uint8Array && digest(body) === hexOf(hash)) continue
      sqlite.statement('DELETE FROM log WHERE id = ?').run(last)
      removed++
    }
  }
  return removed
}

/**
 * Finds what does not match: entries that break their chain, and contents that are missing. The tables have to be right.
 * A seal that is damaged itself stops to count, so what it covered is looked for again.
 */
export function findDamage(sqlite: Sqlite, sealedBy: SealKey): readonly SessionDamage[] {
  const known = new Map<number, readonly SealedSpan[]>()
  for (;;) {
    const found = findUnsealed(sqlite, sealedBy, readAllSeals(sqlite, sealedBy, known))
    for (const { row, spans } of found)
      if (spans.length > 0) known.set(row, [...(known.get(row) ?? []), ...spans])
    if (found.some(({ spans }) => spans.length > 0)) continue
    const contentsOf = new Map(found.map(({ row, contents }) => [row, contents]))
    return readSessions(sqlite).flatMap(({ id, key }) => {
      const spans = [...(known.get(id) ?? [])].toSorted((one, other) => one.from - other.from)
      const contents = contentsOf.get(id) ?? []
      return spans.length === 0 && contents.length === 0 ? [] : [{ key, spans, contents }]
    })
  }
}

/** The damage that these seals do not cover, by the row of its session. */
function findUnsealed(
  sqlite: Sqlite,
  sealedBy: SealKey,
  seals: ReadonlyMap<number, Seals>,
): readonly (Omit<SessionDamage, 'key'> & { readonly row: number })[] {
  const walks = new Map<number, Walk>()
  for (const { id: row, key } of readSessions(sqlite))
    walks.set(row, {
      id: sessionId(key),
      seals: seals.get(row) ?? UNSEALED,
      spans: [],
      seq: 0,
      hash: CHAIN_START,
      open: null,
    })
  const payloads = createPayloadCheck(sqlite, seals)
  const rows = sqlite.statement(
    'SELECT id, session, seq, at, hash, entry_text(body) AS body FROM log WHERE seq IS NOT NULL AND id > ? ORDER BY id LIMIT 500',
  )
  for (let last = 0, page = rows.all(last); page.length > 0; page = rows.all(last)) {
    for (const row of page) {
      last = Number(row['id'])
      const session = Number(row['session'])
      const walk = walks.get(session)
      if (walk === undefined) continue
      const [seq, at, body] = [Number(row['seq']), Number(row['at']), row['body']]
      const hash = hexOf(row['hash'])
      const entry = step(walk, { seq, at, body, hash })
      if (entry === null) continue
      const isGenuine = (): boolean =>
        isSealedEntry(sqlite, session, { entry, session: walk.id, seq, hash }, sealedBy)
      payloads.check({ session, seq, at, entry, isGenuine })
    }
  }
  const missing = Map.groupBy(payloads.unexplained(), ({ session }) => session)
  return [...walks].flatMap(([row, { spans, open }]) => {
    const contents = [...new Set((missing.get(row) ?? []).map((one) => one.digest))]
    const all = open === null ? spans : [...spans, open]
    return all.length === 0 && contents.length === 0 ? [] : [{ row, spans: all, contents }]
  })
}

/** Moves on to a row; the entry if it is intact, null if it is damaged. A span ends where the next entry fits again. */
function step(
  walk: Walk,
  row: { readonly seq: number; readonly at: number; readonly body: unknown; readonly hash: Digest },
): Entry | null {
  const { seq, at, body, hash } = row
  if (seq <= walk.seq) return null
  const isSealed = findSpan(walk.seals, { after: walk.seq, seq, hash }) !== null
  const fits =
    seq === walk.seq + 1 &&
    typeof body === 'string' &&
    chainHash(walk.hash, { session: walk.id, seq, at, body }) === hash &&
    isPossibleEntry(parseJson(body))
  if (fits || isSealed) {
    if (walk.open !== null) walk.spans.push(walk.open)
    walk.open = null
  } else walk.open = { from: walk.open?.from ?? walk.seq + 1, to: seq, hash }
  walk.seq = seq
  walk.hash = hash
  return fits ? (JSON.parse(body) as Entry) : null
}
