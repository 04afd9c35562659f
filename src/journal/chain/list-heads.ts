import type { SealKey } from '../../host/system/hash.ts'
import type { Digest } from '../entries/entry.ts'
import { GRANT_CHAIN } from '../grants/grant-chain.ts'
import { foldLog } from '../store/fold-log.ts'
import type { JournalDatabase } from '../store/open-database.ts'
import { readHash, readHead } from '../store/read-log.ts'
import type { SessionRow } from '../store/read-log.ts'
import { readSessions } from '../store/read-state.ts'
import type { StateFiles } from '../store/state-files.ts'
import { judgeKnown } from './anchor.ts'
import { knownClosingsOf, knownGrantsOf, readAnchors } from './all-anchors.ts'
import type { Head } from './chain.ts'
import { appendClosing, lastClosing, viewClosings } from './closings.ts'

/**
 * Takes over a state folder of an earlier version: lists the heads of all sessions as closings, synced. Anchors know
 * whether there ever were any, so this happens once. Returns the newest closing; null if nothing was listed.
 */
export function takeOverSessions(files: StateFiles, database: JournalDatabase, key: SealKey): Head | null {
  const { sqlite } = database
  if (viewClosings(sqlite).lastSeq > 0) return null
  if (sqlite.statement('SELECT 1 FROM session LIMIT 1').get() === undefined) return null
  const known = knownClosingsOf(readAnchors(files, key).values())
  if (known.some(({ seq }) => seq > 0)) return null
  return listUnlisted(files, database, key)
}

/** Lists the heads of all sessions that have no closing, synced; returns the newest closing, or null if nothing was listed. */
export function listUnlisted(files: StateFiles, { sqlite }: JournalDatabase, key: SealKey): Head | null {
  return sqlite.transact(true, () => {
    foldLog(sqlite)
    let newest: Head | null = null
    for (const session of readSessions(sqlite)) {
      if (lastClosing(sqlite, session.id) !== null) continue
      const hashAt = (seq: number): Digest | null => readHash(sqlite, session, seq)
      const head = headToList(files, session, key, hashAt) ?? readHead(sqlite, session)
      if (head !== null) newest = appendClosing(sqlite, key, session, head)
    }
    return newest
  })
}

/** What anchors know of the chain of grants and that chain does not hold, so that it stays known. */
function headToList(
  files: StateFiles,
  { key: { root } }: SessionRow,
  key: SealKey,
  hashAt: (seq: number) => Digest | null,
): Head | null {
  if (root !== GRANT_CHAIN.root) return null
  const known = [...knownGrantsOf(readAnchors(files, key).values())]
  return known.find((head) => judgeKnown([head], { lastSeq: Infinity, hashAt }) !== null) ?? null
}
