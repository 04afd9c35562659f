import type { SealKey } from '../../host/system/hash.ts'
import { identityOf } from '../../host/fs/private-files.ts'
import type { ChainView } from '../chain/anchor.ts'
import { makeKey, openAnchor, readAnchor, readKey } from '../chain/anchor-file.ts'
import type { AnchorFile } from '../chain/anchor-file.ts'
import { CHAIN_START } from '../chain/chain.ts'
import { explainFault } from '../explain-fault.ts'
import { JournalError } from '../journal-error.ts'
import { createDatabase, openDatabase, prepareFolder } from './open-database.ts'
import type { JournalDatabase } from './open-database.ts'
import type { StateFiles } from './state-files.ts'

/** What the anchor of the whole database is called in itself. */
export const WHOLE_STORE = 'store'

/** A state folder, ready for use. */
export interface OpenState {
  readonly database: JournalDatabase
  readonly key: SealKey
  /** Vouches for the existence of a session, so that none can vanish as a whole. */
  readonly anchorSession: (row: number, isSynced: boolean) => void
}

/** Opens folder, key and database, or makes them where there never were any. What has gone missing is not made anew. */
export function openState(files: StateFiles, migrations?: readonly string[]): OpenState {
  try {
    for (const folder of [files.folder, files.anchors, files.locks]) prepareFolder(folder)
    // The anchor is made last, so whatever it belongs to has been there.
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
    const anchorSession = (row: number, isSynced: boolean): void => {
      const anchor = openStoreAnchor(files, database, key)
      anchor.prepare({ seq: row, hash: CHAIN_START }, isSynced)()
      anchor.close()
    }
    return { database, key, anchorSession }
  } catch (error) {
    throw explainFault(error, files.folder)
  }
}

/** The sessions of a database, seen as a chain: its anchor counts them. */
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
    `The key ${files.key} is missing or cut short; without it nothing can vouch for the journal.`,
    `Put it back from a backup, or move the folder ${files.folder} aside to begin with a new journal.`,
  )
}

function databaseMissing(files: StateFiles): JournalError {
  return new JournalError(
    'missing',
    `The journal ${files.database} has been removed; what belongs to it is still there.`,
    `Put it back from a backup, or move the folder ${files.folder} aside to begin with a new journal.`,
  )
}

function requireSameDatabase(files: StateFiles, id: string, key: SealKey): void {
  const anchor = readAnchor(files.storeAnchor, key)
  if (typeof anchor === 'string' || anchor.database === id) return
  throw new JournalError(
    'swapped',
    `${files.database} is not the journal that belongs in this folder.`,
    `Put the right file back; to keep this one after all, move ${files.anchors} aside.`,
  )
}
