import type { SealKey } from '../../host/system/hash.ts'
import { identityOf, sweepDrafts } from '../../host/fs/private-files.ts'
import type { ChainView } from '../chain/anchor.ts'
import { makeKey, openAnchor, readAnchor, readKey } from '../chain/anchor-file.ts'
import type { AnchorFile } from '../chain/anchor-file.ts'
import { CHAIN_START } from '../chain/chain.ts'
import type { Head } from '../chain/chain.ts'
import { viewClosings } from '../chain/closings.ts'
import { takeOverSessions } from '../chain/list-heads.ts'
import { explainFault } from '../explain-fault.ts'
import { JournalError } from '../journal-error.ts'
import { createDatabase, openDatabase, prepareFolder, requireOutOfReach } from './open-database.ts'
import type { JournalDatabase } from './open-database.ts'
import type { StateFiles } from './state-files.ts'

/** The id of the whole database in its own anchor. */
export const WHOLE_STORE = 'store'

/** A state folder, ready for use. */
export interface OpenState {
  readonly database: JournalDatabase
  readonly key: SealKey
  /** Counts a new session in the store's anchor, so that removing a whole session is noticed. */
  readonly anchorSession: (row: number, isSynced: boolean) => void
  /** Has the store's anchor know a closing, which must be on disk. */
  readonly anchorClosing: (closing: Head) => void
  /** Lists the heads of all sessions as closings if an earlier version wrote them. */
  readonly takeOver: () => void
}

/** Opens the folder, key and database, or creates them if there never were any. A missing file is not created again. */
export function openState(files: StateFiles, migrations?: readonly string[]): OpenState {
  try {
    requireOutOfReach(files.folder)
    for (const folder of [files.folder, files.anchors, files.locks]) prepareFolder(folder)
    if (identityOf(files.segments) !== null) prepareFolder(files.segments)
    sweepDrafts(files.folder)
    // The anchor is created last: if it exists, the key and the database existed too.
    const isAnchored = identityOf(files.storeAnchor) !== null
    const key = openKey(files, isAnchored)
    if (identityOf(files.database) === null) {
      if (isAnchored) throw databaseMissing(files)
      createDatabase(files, migrations)
    }
    const database = openDatabase(files, migrations)
    try {
      requireSameDatabase(files, database.id, key)
      openStoreAnchor(files, database, key).close()
    } catch (error) {
      database.sqlite.close()
      throw error
    }
    const withAnchor = (use: (anchor: AnchorFile) => void): void => {
      const anchor = openStoreAnchor(files, database, key)
      try {
        use(anchor)
      } finally {
        anchor.close()
      }
    }
    const anchorSession = (row: number, isSynced: boolean): void =>
      withAnchor((anchor) => anchor.prepare({ seq: row, hash: CHAIN_START }, isSynced)())
    const anchorClosing = (closing: Head): void =>
      withAnchor((anchor) => {
        anchor.noteClosings({ ...viewClosings(database.sqlite), head: closing })
        anchor.prepare({ seq: sessionCount(database).lastSeq, hash: CHAIN_START }, true)()
      })
    const takeOver = (): void => {
      const listed = takeOverSessions(files, database, key)
      if (listed !== null) anchorClosing(listed)
    }
    return { database, key, anchorSession, anchorClosing, takeOver }
  } catch (error) {
    throw explainFault(error, files.folder)
  }
}

/** The sessions of a database as a chain, so that the store's anchor can count them. */
export function sessionCount({ id, sqlite }: JournalDatabase): ChainView {
  const count = sqlite.statement('SELECT count(*) AS count FROM session').get()?.['count']
  return { database: id, lastSeq: Number(count ?? 0), hashAt: () => CHAIN_START }
}

function openStoreAnchor(files: StateFiles, database: JournalDatabase, key: SealKey): AnchorFile {
  return openAnchor({ path: files.storeAnchor, of: WHOLE_STORE, label: '' }, key, () =>
    sessionCount(database),
  )
}

function openKey(files: StateFiles, isAnchored: boolean): SealKey {
  const known = readKey(files.key)
  if (known !== null) return known
  if (!isAnchored) makeKey(files.key)
  const made = readKey(files.key)
  if (made !== null) return made
  throw new JournalError(
    'key_missing',
    `The key ${files.key} is missing or incomplete; without it the journal cannot be verified.`,
    `Restore it from a backup, or move the folder ${files.folder} away to start a new journal.`,
  )
}

function databaseMissing(files: StateFiles): JournalError {
  return new JournalError(
    'missing',
    `The journal ${files.database} has been removed, but its anchors are still there.`,
    `Restore it from a backup, or move the folder ${files.folder} away to start a new journal.`,
  )
}

function requireSameDatabase(files: StateFiles, id: string, key: SealKey): void {
  const anchor = readAnchor(files.storeAnchor, key)
  if (typeof anchor === 'string' || anchor.database === id) return
  throw new JournalError(
    'swapped',
    `${files.database} is not the journal of this state folder.`,
    `Put the right file back, or move ${files.anchors} away to use this one.`,
  )
}
