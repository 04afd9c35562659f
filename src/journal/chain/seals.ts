import type { Sqlite } from '../../host/db/sqlite.ts'
import { isJsonObject, parseJson } from '../../core/json/value.ts'
import type { JsonValue } from '../../core/json/value.ts'
import type { Digest, NoteEntry } from '../entries/entry.ts'
import type { AnchorBreach } from './anchor.ts'

/** Damaged entries that a person knows of: the chain goes on after them from the hash that the last of them has. */
export interface SealedSpan {
  readonly from: number
  readonly to: number
  readonly hash: Digest
}

/** What a repair sealed in one session. */
export interface Seals {
  readonly spans: readonly SealedSpan[]
  /** Contents that were changed or missing. */
  readonly contents: ReadonlySet<Digest>
}

const ABOUT = 'sealed'

/** No seals. */
export const UNSEALED: Seals = { spans: [], contents: new Set() }

/** The entry that records what a repair sealed. */
export function sealedEntry(
  spans: readonly SealedSpan[],
  contents: readonly Digest[],
  breach: AnchorBreach | null,
): NoteEntry {
  const data: JsonValue = {
    spans: spans.map(({ from, to, hash }) => ({ from, to, hash })),
    contents: [...contents],
    breach: breach === null ? null : { seq: breach.seq, is: breach.is },
  }
  return { kind: 'note', about: ABOUT, execution: null, data }
}

/** What the entries of a session say was sealed. The chain holds these entries too, so they cannot be forged. */
export function readSeals(bodies: Iterable<string>): Seals {
  const spans: SealedSpan[] = []
  const contents = new Set<Digest>()
  for (const body of bodies) {
    const entry = parseJson(body)
    if (!isJsonObject(entry) || entry['about'] !== ABOUT || !isJsonObject(entry['data'])) continue
    const { spans: listed, contents: digests } = entry['data']
    for (const span of Array.isArray(listed) ? listed : []) {
      if (!isJsonObject(span)) continue
      const { from, to, hash } = span
      if (typeof from === 'number' && typeof to === 'number' && typeof hash === 'string')
        spans.push({ from, to, hash })
    }
    for (const one of Array.isArray(digests) ? digests : []) if (typeof one === 'string') contents.add(one)
  }
  return { spans, contents }
}

/** The seals of every session, by its row. */
export function readAllSeals(sqlite: Sqlite): ReadonlyMap<number, Seals> {
  const rows = sqlite
    .statement(
      `SELECT session, body FROM log WHERE seq IS NOT NULL AND kind = 'note'
       AND CASE WHEN json_valid(body) THEN body ->> 'about' END = '${ABOUT}'`,
    )
    .all()
  const bySession = Map.groupBy(rows, (row) => Number(row['session']))
  return new Map(
    [...bySession].map(([session, own]) => [session, readSeals(own.map((row) => String(row['body'])))]),
  )
}

/** Whether an entry belongs to a sealed span that begins where the chain is, or that the chain is in already. */
export function findSpan(
  { spans }: Seals,
  { after, seq, hash }: { readonly after: number; readonly seq: number; readonly hash: Digest },
): SealedSpan | null {
  return (
    spans.find(
      ({ from, to, hash: last }) =>
        from <= after + 1 && after < seq && seq <= to && (seq < to || hash === last),
    ) ?? null
  )
}
