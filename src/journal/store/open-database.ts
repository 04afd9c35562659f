import { Buffer } from 'node:buffer'
import { secretBytes } from '../../host/system/hash.ts'
import {
  copyPrivately,
  createWhole,
  identityOf,
  makePrivateFolder,
  requireWritable,
  sizeOf,
} from '../../host/fs/private-files.ts'
import { requirePlainFile } from '../../host/fs/plain-file.ts'
import { findLooseFolder } from '../../host/fs/loose-folders.ts'
import { openSqlite, sqliteFaultOf } from '../../host/db/sqlite.ts'
import type { Sqlite } from '../../host/db/sqlite.ts'
import { defineEntryText } from '../entries/packed-entries.ts'
import { explainFault } from '../explain-fault.ts'
import { JournalError } from '../journal-error.ts'
import { describeSchemaFault, findSchemaFaults } from '../repair/check-schema.ts'
import { APPLICATION_ID, MIGRATIONS } from './schema.ts'
import { DAMAGE_MARK } from './state-files.ts'
import type { StateFiles } from './state-files.ts'

/** How long to wait for other writers; each needs only a moment. */
const BUSY_MS = 30_000

/**
 * Once the database is open, only other writers can block it, and transactions retry on their own. SQLite's own wait
 * sleeps longer after each try, so a process that writes without a pause would always win.
 */
const RETRY_BUSY_MS = 12

/** At this many pages the write-ahead log is checkpointed into the database and overwritten from its beginning. */
const CHECKPOINT_PAGES = 1000

/** The size the write-ahead log reaches by then: pages of 4096 bytes, each with a header. */
export const WORKING_LOG_BYTES = CHECKPOINT_PAGES * (4096 + 24)

/** The journal's database, checked and migrated to this program's schema. */
export interface JournalDatabase {
  readonly sqlite: Sqlite
  /** A random id, created with the database. */
  readonly id: string
  /** Throws if the files are no longer the ones that were opened. */
  readonly requireInPlace: () => void
}

/** Rejects a state folder that other users could exchange as a whole. */
export function requireOutOfReach(path: string): void {
  const loose = findLooseFolder(path)
  if (loose === null) return
  throw new JournalError(
    'unsafe_folder',
    `${path} cannot hold the journal: other users can rename what is in ${loose}.`,
    'Set HOME to your own home folder (sudo -H does so), or TONGS_STATE_DIR to a folder of your own, below folders that only you or root can change.',
  )
}

/** Creates the state folder, or rejects one that other users could tamper with. */
export function prepareFolder(path: string): void {
  const fault = makePrivateFolder(path)
  if (fault === null) return
  const why = {
    not_a_folder: 'it is not a folder',
    foreign: 'it belongs to another user',
    open_to_others: 'other users can write to it',
  }[fault.is]
  const hint =
    fault.is === 'open_to_others' ? `Run: chmod go-w ${path}` : 'Set TONGS_STATE_DIR to a folder of your own.'
  throw new JournalError('unsafe_folder', `${path} cannot hold the journal: ${why}.`, hint)
}

/** Creates a new database. If another process is faster, its database is used. */
export function createDatabase(files: StateFiles, migrations = MIGRATIONS): void {
  createWhole(files.database, (draft) => {
    const sqlite = openSqlite(draft, { busyMs: BUSY_MS })
    try {
      // Without a rollback journal each write goes straight to the file, so a failing write shows at once and not on closing.
      sqlite.run('PRAGMA journal_mode=OFF')
      sqlite.transact(false, () => {
        sqlite.run(`PRAGMA application_id=${APPLICATION_ID}`)
        bringUpToDate(sqlite, migrations)
        const id = Buffer.from(secretBytes(16)).toString('hex')
        sqlite.statement("INSERT INTO meta VALUES ('database', ?)").run(id)
      })
      sqlite.run('PRAGMA journal_mode=WAL; PRAGMA wal_checkpoint(TRUNCATE)')
    } finally {
      sqlite.close()
    }
  })
}

/** Opens an existing database. One that is foreign, too new, altered or damaged is rejected and left unchanged. */
export function openDatabase(files: StateFiles, migrations = MIGRATIONS): JournalDatabase {
  const path = files.database
  let sqlite: Sqlite | null = null
  try {
    // A pipe or a device has no size either.
    requirePlainFile(path)
    if (sizeOf(path)?.bytes === 0) throw damaged(files, 'the file is empty')
    // Opening a read-only database would leave a read-only write-ahead log beside it.
    for (const needed of [files.folder, path]) requireWritable(needed)
    sqlite = openSqlite(path, { busyMs: BUSY_MS })
    defineEntryText(sqlite)
    requireOurs(sqlite, migrations.length)
    requireOurSchema(sqlite, migrations)
    if (readNumber(sqlite, 'user_version') < migrations.length) {
      const opened = sqlite
      sqlite.transact(true, () => bringUpToDate(opened, migrations))
    }
    sqlite.run(`PRAGMA wal_autocheckpoint=${CHECKPOINT_PAGES}; PRAGMA busy_timeout=${RETRY_BUSY_MS}`)
    const id = sqlite.statement("SELECT value FROM meta WHERE key = 'database'").get()?.['value']
    if (typeof id !== 'string') throw damaged(files, 'its id is missing')
    return { sqlite, id, requireInPlace: watchPlace(files, sqlite) }
  } catch (error) {
    sqlite?.close()
    throw sqliteFaultOf(error) === 'damaged'
      ? damaged(files, messageOf(error))
      : explainFault(error, files.folder)
  }
}

/** Copies a damaged database, once for each state it is found in, and returns the error that says so. */
export function damaged(files: StateFiles, why: string): JournalError {
  const modifiedMs = sizeOf(files.database)?.modifiedMs ?? 0
  const copy = `${files.database}${DAMAGE_MARK}${new Date(modifiedMs).toISOString().replaceAll(/[-:]|\.\d+/g, '')}`
  let copyNote = `A copy was saved as ${copy}. `
  try {
    copyPrivately(files.database, copy)
    if (sizeOf(files.writeAheadLog) !== null) copyPrivately(files.writeAheadLog, `${copy}-wal`)
  } catch {
    copyNote = ''
  }
  return new JournalError(
    'damaged',
    `The journal ${files.database} is damaged: ${why}.`,
    `${copyNote}Restore a backup, or move the folder ${files.folder} away to start a new journal.`,
  )
}

function bringUpToDate(sqlite: Sqlite, migrations: readonly string[]): void {
  const version = readNumber(sqlite, 'user_version')
  for (const migration of migrations.slice(version)) sqlite.run(migration)
  sqlite.run(`PRAGMA user_version=${Math.max(version, migrations.length)}`)
}

function requireOurs(sqlite: Sqlite, known: number): void {
  const { path } = sqlite
  if (readNumber(sqlite, 'application_id') !== APPLICATION_ID) {
    throw new JournalError(
      'foreign',
      `${path} belongs to another program.`,
      'Move it away, or set TONGS_STATE_DIR to another folder; the file was not changed.',
    )
  }
  const version = readNumber(sqlite, 'user_version')
  if (version <= known) return
  throw new JournalError(
    'newer_schema',
    `${path} was written by a newer version of Tongs (schema version ${version}; this program supports up to ${known}).`,
    'Use the newer version, or set TONGS_STATE_DIR to another folder; the file was not changed.',
  )
}

/** A message names at most this many faults. */
const MAX_NAMED = 5

/** Nothing may run with our writes that is not ours, so even the migrations wait for this. */
function requireOurSchema(sqlite: Sqlite, migrations: readonly string[]): void {
  const faults = findSchemaFaults(sqlite, migrations.slice(0, readNumber(sqlite, 'user_version')))
  if (faults.length === 0) return
  const named = faults.slice(0, MAX_NAMED).map(describeSchemaFault).join(', ')
  throw new JournalError(
    'altered',
    `${sqlite.path} was altered by another program: ${named}.`,
    'Run `tongs audit verify` to see what else was changed, then `tongs repair`, or restore a backup; the file was not changed.',
  )
}

function watchPlace(files: StateFiles, sqlite: Sqlite): () => void {
  const database = identityOf(files.database)
  return () => {
    if (identityOf(files.database) === database && sqlite.isLogInPlace()) return
    throw new JournalError(
      'removed',
      `${files.database} was removed or replaced while in use; nothing more is recorded in it.`,
      'Put the file back, or move the whole state folder away to start a new journal; then try again.',
    )
  }
}

function readNumber(sqlite: Sqlite, pragma: 'application_id' | 'user_version'): number {
  return Number(sqlite.statement(`PRAGMA ${pragma}`).get()?.[pragma] ?? 0)
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
