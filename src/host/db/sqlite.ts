import { fdatasyncSync, fstatSync, openSync, statSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import type { SQLInputValue, SQLOutputValue, StatementSync } from 'node:sqlite'
import { closeReadOnly, requirePlainFile } from '../fs/plain-file.ts'
import { steadyMs } from '../system/clock.ts'

/** A prepared statement, kept as long as its database is open. */
export type Statement = StatementSync

/** What can be bound to a statement. */
export type Bindable = SQLInputValue

/** What went wrong in a database, as far as a caller can react to it. */
export type SqliteFault = 'busy' | 'read_only' | 'full' | 'damaged' | 'cannot_open' | 'io' | 'other'

/** An open SQLite database. */
export interface Sqlite {
  readonly path: string
  /** The statement for this text; the same one each time. */
  readonly statement: (sql: string) => Statement
  readonly run: (script: string) => void
  /** Defines a function of one value for statements; whole numbers come as bigint. */
  readonly define: (name: string, answer: (value: SQLOutputValue) => SQLOutputValue) => void
  /** Runs `body` as one exclusive write transaction. A synced one has reached the disk when this returns. */
  readonly transact: <T>(isSynced: boolean, body: () => T) => T
  /** Whether a transaction could begin without waiting for another process. */
  readonly isFree: () => boolean
  /** Grows the write-ahead log to its working size at once, so that later commits overwrite instead of extending it. */
  readonly extendLog: (bytes: number) => void
  /** Moves the write-ahead log into the database and empties it; false if readers prevented that. */
  readonly emptyLog: (waitMs: number) => boolean
  /** Whether the open write-ahead log is still the one at its path; a person may have removed it. */
  readonly isLogInPlace: () => boolean
  readonly close: () => void
}

/** How a database is opened. */
export interface SqliteOptions {
  /** How long to wait for a locked database. */
  readonly busyMs: number
}

/** A transaction was committed, but the disk did not confirm that it would survive a power cut. */
export class UnsyncedError extends Error {
  constructor(cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause })
    this.name = 'UnsyncedError'
  }
}

/** The primary result codes of SQLite that are distinguished. */
const FAULTS: Readonly<Record<number, SqliteFault>> = {
  3: 'read_only',
  5: 'busy',
  6: 'busy',
  8: 'read_only',
  10: 'io',
  11: 'damaged',
  13: 'full',
  14: 'cannot_open',
  15: 'busy',
  26: 'damaged',
}

/** What a database exception means; null if it is not one. */
export function sqliteFaultOf(error: unknown): SqliteFault | null {
  if (!(error instanceof Error) || !('errcode' in error) || typeof error.errcode !== 'number') return null
  return FAULTS[error.errcode & 0xff] ?? 'other'
}

/** What SQLite opens: the database, and what it finds beside it. */
const OPENED = ['', '-wal', '-shm', '-journal']

/** Opens an existing database file without changing it. Throws if a pipe, a device or a folder is in the place of one of its files. */
export function openSqlite(path: string, { busyMs }: SqliteOptions): Sqlite {
  for (const suffix of OPENED) requirePlainFile(`${path}${suffix}`)
  const database = new DatabaseSync(path, { timeout: busyMs, enableForeignKeyConstraints: false })
  const statements = new Map<string, Statement>()
  let logFd: number | null = null

  function statement(sql: string): Statement {
    const known = statements.get(sql)
    if (known !== undefined) return known
    const made = database.prepare(sql)
    statements.set(sql, made)
    return made
  }

  function transact<T>(isSynced: boolean, body: () => T): T {
    retryWhileBusy(busyMs, () => statement('BEGIN IMMEDIATE').run())
    let value: T
    try {
      value = body()
      statement('COMMIT').run()
    } catch (error) {
      if (database.isTransaction) database.exec('ROLLBACK')
      throw error
    }
    if (isSynced) syncLog()
    return value
  }

  function isFree(): boolean {
    const waitMs = Number(statement('PRAGMA busy_timeout').get()?.['timeout'] ?? 0)
    statement('PRAGMA busy_timeout=0').get()
    try {
      statement('BEGIN IMMEDIATE').run()
      statement('ROLLBACK').run()
      return true
    } catch (error) {
      if (sqliteFaultOf(error) === 'busy') return false
      throw error
    } finally {
      statement(`PRAGMA busy_timeout=${waitMs}`).get()
    }
  }

  /**
   * SQLite itself would also sync the file times of the log, which costs more than the data. If the log cannot be
   * synced, it is moved into the database, which is synced in the process.
   */
  function syncLog(): void {
    try {
      logFd ??= openSync(`${path}-wal`, 'r')
      fdatasyncSync(logFd)
    } catch (cause) {
      if (!tryCheckpoint()) throw new UnsyncedError(cause)
    }
  }

  function tryCheckpoint(): boolean {
    try {
      return emptyLog(0)
    } catch {
      return false
    }
  }

  function emptyLog(waitMs: number): boolean {
    const deadline = steadyMs() + waitMs
    while (statement('PRAGMA wal_checkpoint(TRUNCATE)').get()?.['busy'] !== 0) {
      if (steadyMs() > deadline) return false
      pause(1)
    }
    return true
  }

  try {
    database.exec(
      `PRAGMA cache_size=${CACHE_SIZE}; PRAGMA synchronous=NORMAL; PRAGMA secure_delete=ON; PRAGMA temp_store=MEMORY; PRAGMA trusted_schema=OFF`,
    )
  } catch (error) {
    database.close()
    throw error
  }
  return {
    path,
    statement,
    run: (script) => database.exec(script),
    define: (name, answer) =>
      database.function(name, { deterministic: true, directOnly: true, useBigIntArguments: true }, answer),
    transact,
    isFree,
    extendLog: (bytes) => extendLog(database, bytes),
    emptyLog,
    isLogInPlace: () => (logFd === null ? isThere(`${path}-wal`) : fstatSync(logFd).nlink > 0),
    close: () => {
      const fd = logFd
      logFd = null
      if (fd !== null) closeReadOnly(fd)
      if (database.isOpen) database.close()
    },
  }
}

/** Throws where it cannot be looked at: that is no sign that it was removed. */
function isThere(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined
}

/** The busy timeout does not cover every reason for being locked out, such as another process repairing the log. */
function retryWhileBusy<T>(busyMs: number, attempt: () => T): T {
  const deadline = steadyMs() + busyMs
  for (;;) {
    try {
      return attempt()
    } catch (error) {
      if (sqliteFaultOf(error) !== 'busy' || steadyMs() > deadline) throw error
      pause(1)
    }
  }
}

function extendLog(database: DatabaseSync, bytes: number): void {
  database.exec(`PRAGMA cache_size=${SMALL_CACHE_PAGES}`)
  try {
    // Pages that do not fit the small cache are written to the log; rolling back leaves it long and without effect.
    database.exec(
      `BEGIN IMMEDIATE; CREATE TABLE growing(bytes BLOB); INSERT INTO growing VALUES (zeroblob(${bytes + 2 * SMALL_CACHE_PAGES * PAGE_BYTES})); ROLLBACK`,
    )
  } finally {
    if (database.isTransaction) database.exec('ROLLBACK')
    database.exec(`PRAGMA cache_size=${CACHE_SIZE}`)
  }
}

const SMALL_CACHE_PAGES = 50
const PAGE_BYTES = 4096

/** Negative: kibibytes. */
const CACHE_SIZE = -8192

/** Blocks this thread: no other code of this process may run during a transaction. */
function pause(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
}
