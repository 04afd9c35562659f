import { Buffer } from 'node:buffer'
import { digest } from '../../host/system/hash.ts'
import type { Sqlite } from '../../host/db/sqlite.ts'
import { CHAIN_START, chainHash, sessionId } from './chain.ts'
import type { Digest, Entry, SessionKey } from '../entries/entry.ts'
import { sharedIn } from '../entries/entry-text.ts'
import { readFolded } from '../store/fold-log.ts'
import type { Breach } from '../log.ts'
import { changesOf, digestsOf, executionsOf, payloadsOf } from '../entries/mentions.ts'
import { hexOf } from '../store/read-log.ts'
import { readSessions } from '../store/read-state.ts'
import { readFindings } from '../entries/shared-findings.ts'

/** A session's chain, up to where it is intact. */
export interface CheckedChain {
  readonly key: SessionKey
  readonly id: string
  readonly lastSeq: number
  readonly hashAt: (seq: number) => Digest | null
}

/** What reading the whole log found. */
export interface CheckedChains {
  readonly chains: readonly CheckedChain[]
  readonly events: number
  readonly bad: (Breach & { readonly key: SessionKey | null }) | null
  readonly erased: number
}

interface Growing {
  readonly key: SessionKey
  readonly id: string
  seq: number
  hash: Digest
  readonly hashes: Map<number, Digest>
}

type Row = Readonly<Record<string, unknown>>

const PAGE_ROWS = 500
const NEXT_ROWS = `SELECT id, kind, session, seq, at, hash, calls, lands, body FROM log
  WHERE id > ?1 AND seq IS NOT NULL AND (?2 IS NULL OR session = ?2) ORDER BY id LIMIT ${PAGE_ROWS}`

/** Walks the log row by row and trusts nothing but the bytes. Keeps only the hashes at the places in `wanted`. */
export function checkChains(
  sqlite: Sqlite,
  only: SessionKey | null,
  wanted: (id: string) => readonly number[],
): CheckedChains {
  const sessions = readSessions(sqlite).filter(
    ({ key }) => only === null || (key.root === only.root && key.name === only.name),
  )
  const chains = new Map<number, Growing>()
  for (const { id: row, key } of sessions) {
    chains.set(row, { key, id: sessionId(key), seq: 0, hash: CHAIN_START, hashes: new Map() })
  }
  const filter = only === null ? null : (sessions[0]?.id ?? -1)
  const payloads = createPayloadCheck(sqlite)
  let events = 0
  let bad: CheckedChains['bad'] = null
  let last = 0
  for (let page = nextRows(); page.length > 0 && bad === null; page = nextRows()) {
    for (const row of page) {
      last = Number(row['id'])
      events++
      const chain = chains.get(Number(row['session']))
      const why =
        chain === undefined ? 'does not belong to any session' : (checkRow(chain, row) ?? payloads.check(row))
      if (why !== null) {
        bad = {
          key: chain?.key ?? null,
          seq: why === MISSING ? (chain?.seq ?? 0) + 1 : Number(row['seq']),
          why,
        }
        break
      }
      if (chain !== undefined && wanted(chain.id).includes(chain.seq)) chain.hashes.set(chain.seq, chain.hash)
    }
  }
  return {
    chains: [...chains.values()].map(({ key, id, seq, hashes }) => ({
      key,
      id,
      lastSeq: seq,
      hashAt: (at) => hashes.get(at) ?? null,
    })),
    events: bad === null ? events : countEvents(sqlite, filter),
    bad: bad ?? findUnindexed(sqlite, chains, filter),
    erased: payloads.erased(),
  }

  function nextRows(): readonly Row[] {
    return sqlite.statement(NEXT_ROWS).all(last, filter)
  }
}

const MISSING = 'is missing'

function checkRow(chain: Growing, row: Row): string | null {
  const seq = Number(row['seq'])
  if (seq > chain.seq + 1) return MISSING
  if (seq <= chain.seq) return 'is out of order or duplicated'
  const body = row['body']
  if (typeof body !== 'string') return 'is no longer an entry'
  const hash = chainHash(chain.hash, { session: chain.id, seq, at: Number(row['at']), body })
  if (hexOf(row['hash']) !== hash) return 'does not match its hash: it was changed, moved or inserted'
  const entry = JSON.parse(body) as Entry
  const calls = executionsOf(entry)
  const isFiledRight =
    row['kind'] === entry.kind &&
    (row['calls'] ?? '[]') === JSON.stringify(calls) &&
    row['lands'] === (changesOf(entry).length > 0 ? 1 : null)
  if (!isFiledRight) return 'is filed under the wrong kind or calls'
  chain.seq = seq
  chain.hash = hash
  return null
}

/** Compares payloads with their digests, each of them once. */
function createPayloadCheck(sqlite: Sqlite) {
  const fresh = new Map<Digest, number>()
  const rows = sqlite
    .statement("SELECT id, hash FROM log WHERE id > ? AND kind = 'payload'")
    .all(readFolded(sqlite))
  for (const row of rows) fresh.set(hexOf(row['hash']), Number(row['id']))
  const right = new Set<number>()
  const gone = new Set<Digest>()

  function find(named: Digest): number | null {
    const row = sqlite
      .statement('SELECT id FROM payload_place WHERE digest = ?')
      .get(Buffer.from(named, 'hex'))
    return row === undefined ? (fresh.get(named) ?? null) : Number(row['id'])
  }

  function check(row: Row): string | null {
    const entry = JSON.parse(String(row['body'])) as Entry
    const shared = sharedIn(entry)
    if (shared !== null && readFindings(sqlite, shared.tool, shared.digest) === null)
      return 'refers to findings that were changed or removed'
    const needed = new Set(payloadsOf(entry).map((mention) => mention.digest))
    for (const { digest: named } of digestsOf(entry)) {
      const id = find(named)
      if (id === null && needed.has(named)) gone.add(named)
      if (id === null || right.has(id)) continue
      const bytes = sqlite.statement('SELECT body FROM log WHERE id = ?').get(id)?.['body']
      if (!(bytes instanceof Uint8Array) || digest(bytes) !== named)
        return 'refers to a payload that was changed'
      right.add(id)
    }
    return null
  }

  return { check, erased: () => gone.size }
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
  const lost = sqlite
    .statement(
      `SELECT l.session, l.seq FROM log l WHERE l.seq IS NOT NULL AND l.id <= ?1 AND (?2 IS NULL OR l.session = ?2)
       AND (NOT EXISTS (${places}) OR EXISTS (SELECT 1 FROM json_each(l.calls) c WHERE NOT EXISTS (${mentions})))
       ORDER BY l.id LIMIT 1`,
    )
    .get(readFolded(sqlite), filter)
  if (lost === undefined) return null
  const key = chains.get(Number(lost['session']))?.key ?? null
  return { key, seq: Number(lost['seq']), why: 'is hidden: the tables of the database do not lead to it' }
}

function countEvents(sqlite: Sqlite, filter: number | null): number {
  const count = sqlite.statement(
    'SELECT count(*) AS count FROM log WHERE seq IS NOT NULL AND (?1 IS NULL OR session = ?1)',
  )
  return Number(count.get(filter)?.['count'] ?? 0)
}
