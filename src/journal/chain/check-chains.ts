import { parseJson } from '../../core/json/value.ts'
import { digest } from '../../host/system/hash.ts'
import type { SealKey } from '../../host/system/hash.ts'
import type { Sqlite } from '../../host/db/sqlite.ts'
import { CHAIN_START, chainHash, sessionId } from './chain.ts'
import type { Digest, Entry, SessionKey } from '../entries/entry.ts'
import { isPossibleEntry } from '../entries/possible-entry.ts'
import { CALLS, IS_EDIT, readFolded } from '../store/fold-log.ts'
import type { Breach } from '../log.ts'
import { hexOf } from '../store/read-log.ts'
import { readSessions } from '../store/read-state.ts'
import { IS_HIDDEN_CALL, isFiledRight } from './filing.ts'
import { findAdded, isSealedEntry, sealedEndOf } from './sealed-entries.ts'
import { findSpan, readAllSeals, UNSEALED } from './seals.ts'
import type { Seals } from './seals.ts'
import { createPayloadCheck } from './check-payloads.ts'
import type { PayloadCheck } from './check-payloads.ts'

/** A session's chain, up to where it is intact. */
export interface CheckedChain {
  readonly key: SessionKey
  readonly id: string
  readonly lastSeq: number
  /** The hash that an entry was found to have; null for a sealed one, because its text is lost and nothing was computed. */
  readonly hashAt: (seq: number) => Digest | null
  /**
   * The same, and for a sealed entry the hash that it says it has. The seal accepted that hash together with the damage,
   * so what lies in the state folder is compared with it. What was kept elsewhere must not be: any hash can be written there.
   */
  readonly statedAt: (seq: number) => Digest | null
  /** The first entry after this one that was not recorded by a process with the key. */
  readonly addedAfter: (seq: number) => number | null
}

/** What reading the whole log found. */
export interface CheckedChains {
  readonly chains: readonly CheckedChain[]
  readonly events: number
  readonly bad: (Breach & { readonly key: SessionKey | null }) | null
  readonly erased: number
  /** How many damaged entries and contents a repair has sealed. */
  readonly sealed: number
  /** How many contradictions of an anchor a repair has accepted. */
  readonly breaches: number
  /** A hash over all entries that were read, in the order they were written; it changes with each of them. */
  readonly head: Digest
  /** How many entries were read when the known hash was met; null if it was not. */
  readonly known: number | null
  /** Whether the known hash is one that a sealed entry says it has, which proves nothing. */
  readonly isKnownSealed: boolean
}

/** What to look at. */
export interface ChainQuery {
  /** All sessions if null. */
  readonly only: SessionKey | null
  /** The places of a session, by its chain id, whose hashes are needed later. */
  readonly wanted: (id: string) => ReadonlySet<number>
  /** A head or an entry's hash from earlier, to be found again; null if there is none. */
  readonly known: Digest | null
  /** The state folder's key; null if it is lost, so that no repair counts. */
  readonly sealedBy: SealKey | null
}

/** A journal's head after one more entry. */
export function nextHead(head: Digest, hash: Digest): Digest {
  return digest(`${head}\n${hash}`)
}

interface Growing {
  readonly key: SessionKey
  readonly id: string
  seq: number
  hash: Digest
  /** Whether the newest entry is a sealed one. */
  isSealed: boolean
  readonly hashes: Map<number, Digest>
  readonly stated: Map<number, Digest>
  readonly wanted: ReadonlySet<number>
  readonly seals: Seals
}

type Row = Readonly<Record<string, unknown>>

const PAGE_ROWS = 500
const NEXT_ROWS = `SELECT id, kind, session, seq, at, hash, calls, lands, entry_text(body) AS body FROM log
  WHERE id > ?1 AND seq IS NOT NULL AND (?2 IS NULL OR session = ?2) ORDER BY id LIMIT ${PAGE_ROWS}`

/** Walks the log row by row and trusts nothing but the bytes. Keeps only the hashes at the places in `wanted`. */
export function checkChains(sqlite: Sqlite, { only, wanted, known, sealedBy }: ChainQuery): CheckedChains {
  const sessions = readSessions(sqlite).filter(
    ({ key }) => only === null || (key.root === only.root && key.name === only.name),
  )
  const chains = new Map<number, Growing>()
  const seals = readAllSeals(sqlite, sealedBy)
  for (const { id: row, key } of sessions) {
    const id = sessionId(key)
    chains.set(row, {
      key,
      id,
      seq: 0,
      hash: CHAIN_START,
      isSealed: false,
      hashes: new Map(),
      stated: new Map(),
      wanted: new Set([...wanted(id), sealedEndOf(sqlite, row)]),
      seals: seals.get(row) ?? UNSEALED,
    })
  }
  const filter = only === null ? null : (sessions[0]?.id ?? -1)
  const payloads = createPayloadCheck(sqlite, seals)
  const isGenuine: IsGenuine = (row, read) => isSealedEntry(sqlite, row, read, sealedBy)
  let head = CHAIN_START
  let knownAt = known === CHAIN_START ? 0 : null
  let isKnownSealed = false
  let events = 0
  let bad: CheckedChains['bad'] = null
  let last = 0
  for (let page = nextRows(); page.length > 0 && bad === null; page = nextRows()) {
    for (const row of page) {
      last = Number(row['id'])
      events++
      const chain = chains.get(Number(row['session']))
      const why =
        chain === undefined ? 'does not belong to any session' : checkRow(chain, row, payloads, isGenuine)
      if (why !== null) {
        bad = {
          key: chain?.key ?? null,
          seq: why === MISSING ? (chain?.seq ?? 0) + 1 : Number(row['seq']),
          why,
        }
        break
      }
      if (chain === undefined) continue
      head = only === null ? nextHead(head, chain.hash) : chain.hash
      if (known === head || known === chain.hash) {
        if (chain.isSealed) isKnownSealed = true
        else knownAt = events
      }
      if (chain.wanted.has(chain.seq))
        (chain.isSealed ? chain.stated : chain.hashes).set(chain.seq, chain.hash)
    }
  }
  return {
    chains: [...chains].map(([row, { key, id, seq, hashes, stated }]) => ({
      key,
      id,
      lastSeq: seq,
      hashAt: (at) => hashes.get(at) ?? null,
      statedAt: (at) => hashes.get(at) ?? stated.get(at) ?? null,
      addedAfter: (at) =>
        sealedBy === null
          ? null
          : findAdded(
              sqlite,
              sealedBy,
              { row, session: id },
              { lastSeq: seq, hashAt: (one) => hashes.get(one) ?? stated.get(one) ?? null },
            )(at),
    })),
    events: bad === null ? events : countEvents(sqlite, filter),
    bad:
      bad ??
      findUnindexed(sqlite, chains, filter) ??
      findFalseEdit(sqlite, chains, filter) ??
      findUnexplained(),
    erased: payloads.erased(),
    sealed: [...chains.values()].reduce((sum, chain) => sum + countSealed(chain.seals), 0),
    breaches: [...chains.values()].reduce((sum, { seals: { breaches } }) => sum + breaches, 0),
    head,
    known: knownAt,
    isKnownSealed,
  }

  function nextRows(): readonly Row[] {
    return sqlite.statement(NEXT_ROWS).all(last, filter)
  }

  function findUnexplained(): CheckedChains['bad'] {
    const found = payloads.findUnexplained()
    if (found === null) return null
    const why = 'refers to contents that are missing, although no entry says that they were forgotten'
    return { key: chains.get(found.session)?.key ?? null, seq: found.seq, why }
  }
}

const MISSING = 'is missing'

type IsGenuine = (row: number, read: Parameters<typeof isSealedEntry>[2]) => boolean

function checkRow(chain: Growing, row: Row, payloads: PayloadCheck, isSealed: IsGenuine): string | null {
  const seq = Number(row['seq'])
  const span = findSpan(chain.seals, { after: chain.seq, seq, hash: hexOf(row['hash']) })
  chain.isSealed = span !== null
  if (span !== null) {
    chain.seq = seq
    chain.hash = hexOf(row['hash'])
    return null
  }
  if (seq > chain.seq + 1) return MISSING
  if (seq <= chain.seq) return 'is out of order or duplicated'
  const body = row['body']
  if (typeof body !== 'string') return 'is no longer an entry'
  const hash = chainHash(chain.hash, { session: chain.id, seq, at: Number(row['at']), body })
  if (hexOf(row['hash']) !== hash) return 'does not match its hash: it was changed, moved or inserted'
  const found = parseJson(body)
  if (!isPossibleEntry(found)) return 'is not an entry: it has a value that none can have'
  const entry = found as unknown as Entry
  if (!isFiledRight(row, entry)) return 'is filed under the wrong kind or calls'
  chain.seq = seq
  chain.hash = hash
  const session = Number(row['session'])
  const isGenuine = (): boolean => isSealed(session, { entry, session: chain.id, seq, hash })
  return payloads.check({ session, seq, at: Number(row['at']), entry, isGenuine })
}

function countSealed({ spans, contents }: Seals): number {
  return spans.reduce((sum, { from, to }) => sum + to - from + 1, contents.size)
}

/** Finds an entry that is in the log but cannot be found through the tables. */
function findUnindexed(
  sqlite: Sqlite,
  chains: ReadonlyMap<number, Growing>,
  filter: number | null,
): CheckedChains['bad'] {
  const places =
    'SELECT 1 FROM place p WHERE p.session = l.session AND p.seq = l.seq AND p.id = l.id AND p.kind = l.kind'
  const mentions =
    'SELECT 1 FROM about a WHERE a.execution = c.value AND a.session = l.session AND a.seq = l.seq'
  const edits = 'SELECT 1 FROM edit e WHERE e.session = l.session AND e.seq = l.seq'
  const lost = sqlite
    .statement(
      `SELECT l.session, l.seq FROM log l WHERE l.seq IS NOT NULL AND l.id <= ?1 AND (?2 IS NULL OR l.session = ?2)
       AND (NOT EXISTS (${places}) OR (${CHANGES} AND NOT EXISTS (${edits})) OR EXISTS (SELECT 1 FROM ${CALLS} WHERE NOT EXISTS (${mentions})))
       ORDER BY l.id LIMIT 1`,
    )
    .get(readFolded(sqlite), filter)
  const hidden = lost ?? sqlite.statement(HIDDEN_CALL).get(readFolded(sqlite), filter)
  if (hidden === undefined) return null
  const key = chains.get(Number(hidden['session']))?.key ?? null
  return { key, seq: Number(hidden['seq']), why: 'is hidden: the tables of the database do not lead to it' }
}

/** The batch of a call that has no end and is not listed as open, where all else is found. */
const HIDDEN_CALL = `SELECT l.session, l.seq FROM log l, ${CALLS}
  WHERE l.kind = 'batch' AND l.seq IS NOT NULL AND l.id <= ?1 AND (?2 IS NULL OR l.session = ?2)
    AND ${IS_HIDDEN_CALL}
  ORDER BY l.id LIMIT 1`

/** Entries that every version has filed as edits. */
const CHANGES = "(l.lands = 1 OR l.kind IN ('undo', 'redo'))"

/** Finds an entry that the tables show as an edit although it is none; it could hide the edits before it. */
function findFalseEdit(
  sqlite: Sqlite,
  chains: ReadonlyMap<number, Growing>,
  filter: number | null,
): CheckedChains['bad'] {
  const row = sqlite
    .statement(
      `SELECT e.session, e.seq FROM edit e WHERE (?1 IS NULL OR e.session = ?1) AND NOT EXISTS
       (SELECT 1 FROM place p JOIN log l ON l.id = p.id WHERE p.session = e.session AND p.seq = e.seq AND ${IS_EDIT})
       ORDER BY e.session, e.seq LIMIT 1`,
    )
    .get(filter)
  if (row === undefined) return null
  const key = chains.get(Number(row['session']))?.key ?? null
  return { key, seq: Number(row['seq']), why: 'is shown as an edit by the tables, and is not an edit' }
}

function countEvents(sqlite: Sqlite, filter: number | null): number {
  const count = sqlite.statement(
    'SELECT count(*) AS count FROM log WHERE seq IS NOT NULL AND (?1 IS NULL OR session = ?1)',
  )
  return Number(count.get(filter)?.['count'] ?? 0)
}
