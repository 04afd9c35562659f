import { memoizeLast } from '../../core/memoize.ts'
import { stampOf } from '../../host/fs/plain-file.ts'
import { identityOf } from '../../host/fs/private-files.ts'
import { copyToRead } from '../access/copy-to-read.ts'
import { findRefusal } from '../access/find-refusal.ts'
import { readKey } from '../chain/anchor-file.ts'
import { sessionId } from '../chain/chain.ts'
import type { Digest } from '../entries/entry.ts'
import { JournalError } from '../journal-error.ts'
import { openDatabase } from '../store/open-database.ts'
import { stateFiles } from '../store/state-files.ts'
import { GRANT_CHAIN, readGrantHistory } from './grant-chain.ts'

/**
 * What is trusted now, by what it is: the digest of the text that was trusted last, as the chain of grants has it. Nothing
 * is if the chain does not hold or cannot be read. Read once for all texts, until a file that it depends on changes.
 */
export function readTrusted(stateDir: string): ReadonlyMap<string, Digest> {
  const { database, writeAheadLog, anchorOf, storeAnchor, key } = stateFiles(stateDir)
  const files = [database, writeAheadLog, anchorOf(sessionId(GRANT_CHAIN)), storeAnchor, key]
  return readAs(stateDir, files.map((file) => stampOf(file) ?? '').join('\n'))
}

/** A stamp is taken before what it stands for is read, so that a change meanwhile is read the next time. */
const readAs = memoizeLast((stateDir: string, _stamp: string): ReadonlyMap<string, Digest> => {
  try {
    if (findRefusal(stateDir) === null) return readHere(stateDir)
    const copy = copyToRead(stateDir)
    try {
      return readHere(copy.stateDir)
    } finally {
      copy.remove()
    }
  } catch (error) {
    // Whoever opens the journal next says what is wrong with it.
    if (error instanceof JournalError) return NOTHING
    throw error
  }
})

const NOTHING: ReadonlyMap<string, Digest> = new Map()

function readHere(stateDir: string): ReadonlyMap<string, Digest> {
  const files = stateFiles(stateDir)
  const key = readKey(files.key)
  if (key === null || identityOf(files.database) === null) return NOTHING
  const { sqlite, id } = openDatabase(files)
  try {
    const evidence = { sqlite, files, key, database: id, knownClosings: () => [] }
    const { trusted, isWhole } = readGrantHistory(evidence)
    return isWhole ? trusted : NOTHING
  } finally {
    sqlite.close()
  }
}
