import type { Sqlite } from '../../host/db/sqlite.ts'
import type { SealKey } from '../../host/system/hash.ts'
import type { Digest, SessionKey } from '../entries/entry.ts'
import { readHash, readHead } from '../store/read-log.ts'
import { findSession } from '../store/read-state.ts'
import type { StateFiles } from '../store/state-files.ts'
import { judgeAnchor } from './anchor.ts'
import { readAnchor } from './anchor-file.ts'
import { sessionId } from './chain.ts'
import { lastClosing, viewClosings } from './closings.ts'
import { findAdded } from './sealed-entries.ts'
import { holdsFrom } from './vouch-for-commits.ts'

/** What looking at the chain of one session needs. */
export interface SessionEvidence {
  readonly sqlite: Sqlite
  readonly files: StateFiles
  readonly key: SealKey
  /** The database's id. */
  readonly database: string
  /** Has the tables hold what is recorded. */
  readonly fold: () => void
}

/** Its owner may be writing between our reading of the anchor and of the chain. */
const TRIES = 3

/** Whether a session does not contradict its anchor and, if a place is given, holds from there on. It is not owned for it. */
export function verifySession(evidence: SessionEvidence, session: SessionKey, fromSeq?: number): boolean {
  for (let tries = TRIES; tries > 0; tries--) {
    const row = findInOrder(evidence, session)
    if (row !== null && (fromSeq === undefined || holdsFrom(evidence.sqlite, evidence.key, row, fromSeq)))
      return true
  }
  return false
}

/** The session, if it does not contradict its anchor; null otherwise. */
function findInOrder(
  { sqlite, files, key, database, fold }: SessionEvidence,
  session: SessionKey,
): ReturnType<typeof findSession> {
  const id = sessionId(session)
  const read = readAnchor(files.anchorOf(id), key)
  const found = typeof read === 'string' || read.of === id ? read : 'forged'
  fold()
  const row = findSession(sqlite, session)
  if (row === null) return null
  // In this order, because the log may grow meanwhile: what is listed as closed is in the chain by then.
  const [closed, closings] = [lastClosing(sqlite, row.id), viewClosings(sqlite)]
  const { seq: lastSeq } = readHead(sqlite, row) ?? { seq: 0 }
  const hashAt = (seq: number): Digest | null => readHash(sqlite, row, seq)
  const addedAfter = findAdded(sqlite, key, { row: row.id, session: id }, { lastSeq, hashAt })
  const chain = { database, lastSeq, hashAt, closed, closings, addedAfter }
  return judgeAnchor(found, chain) === null ? row : null
}
