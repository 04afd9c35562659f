import { join } from 'node:path'
import { makeTemporaryFolder } from '../../host/fs/private-folder.ts'
import {
  copyPrivately,
  makePrivateFolder,
  namesIn,
  oddNamesIn,
  readIfExists,
  removeFile,
  sizeOf,
} from '../../host/fs/private-files.ts'
import { explainFault } from '../explain-fault.ts'
import { JournalError } from '../journal-error.ts'
import { stateFiles, storeSize } from '../store/state-files.ts'
import type { StateFiles } from '../store/state-files.ts'

/** A private copy of a state folder. */
export interface StateCopy {
  readonly stateDir: string
  readonly remove: () => void
}

/** SQLite brings a copy up to date by writing to it, so there has to be room beside it. */
const ROOM_BYTES = 16 * 1024 ** 2
const TRIES = 20
/** The header of a write-ahead log; it changes whenever the log begins anew. */
const HEADER_BYTES = 32

/**
 * Copies the journal to a folder for temporary files. SQLite cannot read a journal in place without writing beside it,
 * unless it is told that no process writes to it, and another user or another mount of the folder may.
 */
export function copyToRead(stateDir: string): StateCopy {
  const from = stateFiles(stateDir)
  const { path, remove } = makeTemporaryFolder('tongs-reading-', (storeSize(stateDir) ?? 0) + ROOM_BYTES)
  try {
    const to = stateFiles(path)
    makePrivateFolder(to.anchors)
    // The log may grow meanwhile: an anchor may lag behind it, but must not be ahead.
    copyNames(from.anchors, to.anchors)
    makePrivateFolder(to.segments)
    copyNames(from.segments, to.segments)
    if (sizeOf(from.key) !== null) copyPrivately(from.key, to.key)
    for (let tries = TRIES; !copyDatabase(from, to); tries--) if (tries === 0) throw changing(stateDir)
    return { stateDir: path, remove }
  } catch (error) {
    remove()
    throw explainFault(error, stateDir)
  }
}

/** Copies the files of a folder. What is not a file is never opened; a folder in its place is as odd, and reported alike. */
function copyNames(from: string, to: string): void {
  const odd = oddNamesIn(from)
  for (const name of namesIn(from).filter((one) => !one.endsWith('.lock') || odd.has(one))) {
    if (odd.has(name)) makePrivateFolder(join(to, name))
    else copyIfThere(join(from, name), join(to, name))
  }
}

/** Its owner may remove it at any time. */
function copyIfThere(from: string, to: string): void {
  try {
    copyPrivately(from, to)
  } catch (error) {
    if (sizeOf(from) !== null) throw error
  }
}

/**
 * Copies the database, then its write-ahead log; false if the log began anew meanwhile. Until it does, it holds every
 * page that could have been written to the database during the copy, so that reading it mends a copy of mixed age.
 */
function copyDatabase(from: StateFiles, to: StateFiles): boolean {
  removeFile(to.database)
  removeFile(to.writeAheadLog)
  const before = markOf(from)
  copyPrivately(from.database, to.database)
  if (before.log !== '') copyPrivately(from.writeAheadLog, to.writeAheadLog)
  const after = markOf(from)
  return before.log === after.log && (before.log !== '' || before.database === after.database)
}

function markOf({ database, writeAheadLog }: StateFiles): {
  readonly log: string
  readonly database: string
} {
  const { bytes = 0, modifiedMs = 0 } = sizeOf(database) ?? {}
  return {
    log: readIfExists(writeAheadLog, HEADER_BYTES)?.toString('hex') ?? '',
    database: `${bytes} ${modifiedMs}`,
  }
}

function changing(stateDir: string): JournalError {
  return new JournalError(
    'busy',
    `The journal in ${stateDir} changes too fast to be copied, and cannot be read in place without write access.`,
    'Try again when no other process writes to it.',
  )
}
