import type { SealKey } from '../../host/system/hash.ts'
import type { Sqlite } from '../../host/db/sqlite.ts'
import type { SessionKey } from '../entries/entry.ts'
import { readSessions } from '../store/read-state.ts'
import { judgeKnown } from './anchor.ts'
import type { FoundAnchor } from './anchor.ts'
import { knownClosingsOf } from './all-anchors.ts'
import { sessionId } from './chain.ts'
import type { Head } from './chain.ts'
import type { CheckedChain } from './check-chains.ts'
import { findBrokenLink, readClosings, viewClosings } from './closings.ts'
import type { Closing } from './closings.ts'
import { entryFault, storeFault } from './verify-report.ts'
import type { FirstBad } from './verify-report.ts'

/** All closings, read once. */
export interface ListedClosings {
  readonly all: readonly Closing[]
  /** Those of a session, by its chain id. */
  readonly of: (id: string) => readonly Head[]
  readonly sessions: ReadonlyMap<number, SessionKey>
}

/** Reads all closings. */
export function listClosings(sqlite: Sqlite): ListedClosings {
  const all = [...readClosings(sqlite)]
  const sessions = new Map(readSessions(sqlite).map(({ id, key }) => [id, key]))
  const byId = new Map<string, Head[]>()
  for (const { row, head } of all) {
    const key = sessions.get(row)
    if (key === undefined) continue
    const id = sessionId(key)
    const known = byId.get(id) ?? []
    byId.set(id, known)
    known.push(head)
  }
  return { all, of: (id) => byId.get(id) ?? [], sessions }
}

const REASONS = {
  cut: 'is missing, but its session was closed with it: the session was put back to an older state',
  rewritten: 'is not the one that its session was closed with: the session was put back or rewritten',
} as const

/** The first chain that does not hold what it was closed with; null if all do. */
export function findPutBack(chains: readonly CheckedChain[], { of }: ListedClosings): FirstBad | null {
  for (const { key, id, lastSeq, statedAt } of chains) {
    const breach = judgeKnown(of(id), { lastSeq, hashAt: statedAt })
    if (breach !== null)
      return entryFault(key, breach.seq, breach.is === 'cut' ? REASONS.cut : REASONS.rewritten)
  }
  return null
}

/** What is wrong with the closings themselves; null if nothing is. */
export function checkLinks(
  sqlite: Sqlite,
  { all, sessions }: ListedClosings,
  anchors: Iterable<FoundAnchor>,
  key: SealKey,
): FirstBad | null {
  const broken = findBrokenLink(all, key, sessions)
  if (broken !== null) return storeFault(`closing ${broken} of the sessions was changed or removed`)
  const put = judgeKnown(knownClosingsOf(anchors), viewClosings(sqlite))
  if (put === null) return null
  return storeFault(
    `closing ${put.seq} of the sessions is missing, but an anchor knows it: a session was put back to an older state`,
  )
}
