import { basename, join } from 'node:path'
import { removeFreeLocks } from '../../host/db/session-lock.ts'
import { namesIn, oddNamesIn, removeFile, sizeOf } from '../../host/fs/private-files.ts'
import { explaining } from '../explain-fault.ts'

/** The paths of the journal's files in a state folder. */
export interface StateFiles {
  readonly folder: string
  readonly database: string
  /** Committed pages that are not in the database file yet. */
  readonly writeAheadLog: string
  readonly sharedMemory: string
  readonly key: string
  /** Space that is given back to the disk when there is none left, for erasing. */
  readonly reserve: string
  readonly anchors: string
  /** The anchor of the database as a whole. */
  readonly storeAnchor: string
  readonly anchorOf: (session: string) => string
  readonly locks: string
  readonly lockOf: (session: string) => string
  /** What long-lived processes have recorded and the database does not hold yet. */
  readonly segments: string
}

/** What follows the name of the database in the name of a copy: of a repair, or of one that was found damaged. */
export const REPAIR_MARK = '.before-repair-'
export const DAMAGE_MARK = '.damaged-'
const COPY_MARKS = [REPAIR_MARK, DAMAGE_MARK]

/** File names use this many characters of a session's id. */
const NAME_LENGTH = 32

/** Computes the paths of the journal's files; does not touch the disk. */
export function stateFiles(folder: string): StateFiles {
  const database = join(folder, 'journal.db')
  const anchors = join(folder, 'anchors')
  const locks = join(folder, 'locks')
  return {
    folder,
    database,
    writeAheadLog: `${database}-wal`,
    sharedMemory: `${database}-shm`,
    key: join(folder, 'key'),
    reserve: join(folder, 'reserve'),
    anchors,
    storeAnchor: join(anchors, 'store'),
    anchorOf: (session) => join(anchors, session.slice(0, NAME_LENGTH)),
    locks,
    lockOf: (session) => join(locks, `${session.slice(0, NAME_LENGTH)}.db`),
    segments: join(folder, 'segments'),
  }
}

/** What repairs and refusals have kept of the journal as it was. Nothing is erased from these. */
export function findKeptCopies(stateDir: string): readonly string[] {
  const { folder, database, segments } = stateFiles(stateDir)
  const isCopy = (name: string): boolean =>
    COPY_MARKS.some((mark) => name.startsWith(`${basename(database)}${mark}`))
  const copies = namesIn(folder).filter(isCopy)
  const parts = filesIn(segments).filter((name) => /\.(?:accepted|contested|damaged)$/.test(name))
  return [...copies.map((name) => join(folder, name)), ...parts.map((name) => join(segments, name))]
}

/** Removes such copies that are older than a time in epoch milliseconds; what no repair has accepted yet stays. */
export function pruneKeptCopies(stateDir: string, before: number): void {
  for (const path of findKeptCopies(stateDir)) {
    const isOpen = /\.(?:contested|damaged)$/.test(path)
    if (!isOpen && (sizeOf(path)?.modifiedMs ?? Infinity) < before) removeFile(path)
  }
}

/** Removes the locks that no process holds any more. */
export function pruneLocks(stateDir: string): void {
  removeFreeLocks(stateFiles(stateDir).locks)
}

/** The folders with a file for each session, which are created under another name first. */
export function draftFolders(stateDir: string): readonly string[] {
  const { anchors, locks } = stateFiles(stateDir)
  return [anchors, locks]
}

/** Without what is not a file, such as a link that leads to itself. */
function filesIn(folder: string): readonly string[] {
  const odd = oddNamesIn(folder)
  return namesIn(folder).filter((name) => !odd.has(name))
}

/** What shows that there was a journal whose database is gone, as the end of a sentence; null if nothing does. */
export function findTraces(stateDir: string): string | null {
  const { database, writeAheadLog, storeAnchor, segments } = stateFiles(stateDir)
  if (sizeOf(database) !== null) return null
  const traces = [
    ...(sizeOf(storeAnchor) === null ? [] : ['its anchors']),
    ...(sizeOf(writeAheadLog) === null ? [] : ['pages of its write-ahead log']),
    ...(filesIn(segments).length === 0 ? [] : ['segments of it']),
    ...(findKeptCopies(stateDir).length === 0 ? [] : ['copies of it']),
  ]
  return traces.length === 0 ? null : `has been removed, but ${traces.join(' and ')} are still there`
}

/** The size of the journal on disk in bytes; null if there is none. */
export function storeSize(stateDir: string): number | null {
  const { database, writeAheadLog, sharedMemory, segments } = stateFiles(stateDir)
  return explaining(stateDir, () => {
    const found = sizeOf(database)
    if (found === null) return null
    const beside = [writeAheadLog, sharedMemory, ...filesIn(segments).map((name) => join(segments, name))]
    return beside.reduce((sum, path) => sum + (sizeOf(path)?.bytes ?? 0), found.bytes)
  })
}
