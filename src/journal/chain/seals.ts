import type { Sqlite } from '../../host/db/sqlite.ts'
import { isJsonObject, parseJson } from '../../core/json/value.ts'
import type { JsonValue } from '../../core/json/value.ts'
import type { Digest, Entry, NoteEntry } from '../entries/entry.ts'
import type { SealKey } from '../../host/system/hash.ts'
import type { AnchorBreach } from './anchor.ts'
import { sessionId } from './chain.ts'
import { isSealedNote } from './sealed-notes.ts'

/** Damaged entries that a person knows of: the chain goes on after them from the hash that the last of them has. */
export interface SealedSpan {
  readonly from: number
  readonly to: number
  readonly hash: Digest
}

/** What repairs sealed in one session. */
export interface Seals {
  readonly spans: readonly SealedSpan[]
  /** Contents that were changed or missing. */
  readonly contents: ReadonlySet<Digest>
  /** How often a repair accepted a chain that its anchor contradicted, as after its end was cut off. */
  readonly breaches: number
}

/** What the note of a repair is about. */
export const SEALED = 'sealed'

/** No seals. */
export const UNSEALED: Seals = { spans: [], contents: new Set(), breaches: 0 }

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
  return { kind: 'note', about: SEALED, execution: null, data }
}

/** The id of a session in the chain, and the key that its seals were made with; null if that is lost. */
interface SealedBy {
  readonly session: string
  readonly key: SealKey | null
}

/** An entry that may be a seal, with its place in the chain. */
interface SealText {
  readonly seq: number
  readonly body: string
}

/**
 * What the entries of a session say was sealed. A note of a repair counts only with its own seal. It is about entries
 * before it, and one that a later one covers does not count: otherwise a changed entry could vouch for itself. `known` is
 * damage that is about to be sealed, so notes in it do not count any more.
 */
export function readSeals(
  entries: Iterable<SealText>,
  { session, key }: SealedBy,
  known: readonly SealedSpan[] = [],
): Seals {
  const spans: SealedSpan[] = [...known]
  const contents = new Set<Digest>()
  let breaches = 0
  for (const { seq, body } of [...entries].toSorted((one, other) => other.seq - one.seq)) {
    const entry = parseJson(body)
    if (!isJsonObject(entry) || entry['about'] !== SEALED || !isJsonObject(entry['data'])) continue
    if (spans.some(({ from, to }) => from <= seq && seq <= to)) continue
    if (!isSealedNote(entry, { session, seq }, key)) continue
    const { spans: listed, contents: digests, breach } = entry['data']
    for (const span of Array.isArray(listed) ? listed : []) {
      if (!isJsonObject(span)) continue
      const { from, to, hash } = span
      if (typeof from === 'number' && typeof to === 'number' && typeof hash === 'string' && to < seq)
        spans.push({ from, to, hash })
    }
    for (const one of Array.isArray(digests) ? digests : []) if (typeof one === 'string') contents.add(one)
    if (isJsonObject(breach)) breaches++
  }
  return { spans, contents, breaches }
}

/** The seals of every session, by its row; `known` is damage that is about to be sealed. */
export function readAllSeals(
  sqlite: Sqlite,
  key: SealKey | null,
  known: ReadonlyMap<number, readonly SealedSpan[]> = new Map(),
): ReadonlyMap<number, Seals> {
  const rows = sqlite
    .statement(
      `SELECT l.session, l.seq, l.body, s.root, s.name FROM log l JOIN session s ON s.id = l.session
       WHERE l.seq IS NOT NULL AND l.kind = 'note'
       AND CASE WHEN json_valid(l.body) THEN l.body ->> 'about' END = '${SEALED}'`,
    )
    .all()
  const bySession = Map.groupBy(rows, (row) => Number(row['session']))
  return new Map(
    [...new Set([...bySession.keys(), ...known.keys()])].map((session) => {
      const own = bySession.get(session) ?? []
      const texts = own.map((row) => ({ seq: Number(row['seq']), body: String(row['body']) }))
      const [first = {}] = own
      const id = sessionId({ root: String(first['root']), name: String(first['name']) })
      return [session, readSeals(texts, { session: id, key }, known.get(session))]
    }),
  )
}

/**
 * Whether an entry records that a repair accepted a chain that its anchor contradicted: whatever is before it may have
 * been rewritten, with right hashes.
 */
export function acceptsBreach(entry: Entry): boolean {
  return (
    entry.kind === 'note' &&
    entry.about === SEALED &&
    isJsonObject(entry.data) &&
    isJsonObject(entry.data['breach'])
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
