import { basename, dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { waitFor } from '../../core/wait.ts'
import { steadyMs } from '../system/clock.ts'
import { readTextIfExists } from '../fs/plain-file.ts'
import {
  createPrivateFile,
  identityOf,
  namesIn,
  removeFile,
  sizeOf,
  writePrivateText,
} from '../fs/private-files.ts'
import { sqliteFaultOf } from './sqlite.ts'

/** Who holds a lock, for people to read. The lock itself does not depend on it. */
export interface Holder {
  readonly pid: number
  readonly command: string
  /** Epoch milliseconds. */
  readonly since: number
}

/** A lock that ends with the process at the latest. */
export interface Lock {
  readonly release: () => void
}

/** The lock, or its current holder; null if the holder is not known. */
export type LockAttempt =
  | { readonly isHeld: true; readonly lock: Lock }
  | { readonly isHeld: false; readonly holder: Holder | null }

/** Keeps locked databases referenced: the garbage collector would close them, which frees the lock. */
const held = new Set<DatabaseSync>()

/** Locks are mostly held briefly, so the pause between attempts starts short and grows. */
const FIRST_PAUSE_MS = 2
const LONGEST_PAUSE_MS = 50

/**
 * In each folder with such locks, the database that is locked while a file of theirs is made and taken, or removed. So
 * the one that holds a lock always holds the file at its path, and not one that was removed and made again.
 */
const GATE = 'gate'

/** Each passes the gate in less than a millisecond. */
const GATE_WAIT_MS = 1_000

/**
 * Takes the lock at `path`, waiting for its holder if necessary. The lock is an open transaction on a database of its
 * own, which the system frees when the holder dies, however that happens. Its file is there only while it is held.
 */
export async function takeLock(path: string, waitMs: number, now: () => number): Promise<LockAttempt> {
  const deadline = steadyMs() + waitMs
  let pauseMs = FIRST_PAUSE_MS
  let database = throughGate(path, () => openHeld(path))
  while (database === null) {
    const leftMs = deadline - steadyMs()
    if (leftMs <= 0) return { isHeld: false, holder: readHolder(path) }
    await waitFor(Math.min(pauseMs, leftMs))
    pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)
    database = throughGate(path, () => openHeld(path))
  }
  const lock = holdFile(path, database)
  try {
    writePrivateText(
      holderFile(path),
      JSON.stringify({ pid: process.pid, command: commandName(), since: now() } satisfies Holder),
    )
  } catch (error) {
    lock.release()
    throw error
  }
  return { isHeld: true, lock }
}

/** Removes the files of locks that processes left which were killed, or of earlier versions. */
export function removeFreeLocks(folder: string): void {
  for (const name of namesIn(folder).filter((one) => one.endsWith('.db'))) {
    const path = join(folder, name)
    const database = throughGate(path, () => openHeld(path))
    if (database === null) continue
    // Earlier versions had one.
    removeFile(`${path}-journal`)
    holdFile(path, database).release()
  }
}

/** Runs `body` while no other process makes, takes or removes a file of these locks; null if another one never let go. */
function throughGate<T>(path: string, body: () => T): T | null {
  return whileLocked(join(dirname(path), GATE), GATE_WAIT_MS, body)
}

/** Opens the file of a lock, with the lock held; null if it is not free. */
function openHeld(path: string): DatabaseSync | null {
  // Opening and closing the file ourselves would drop a lock that this process has on it already.
  createPrivateFile(path)
  const database = new DatabaseSync(path, { timeout: 0 })
  let isHeld = false
  try {
    isHeld = tryToHold(database)
    return isHeld ? database : null
  } finally {
    if (!isHeld) database.close()
  }
}

function holdFile(path: string, database: DatabaseSync): Lock {
  const own = identityOrClose(path, database)
  held.add(database)
  return {
    release: () => {
      try {
        removeFile(holderFile(path))
        throughGate(path, () => {
          // If another program removed it, there may be one of another process in its place.
          if (identityOf(path) === own) removeFile(path)
        })
      } catch {
        // The lock does not depend on its files; what is left is removed by the next one that holds it.
      } finally {
        held.delete(database)
        database.close()
      }
    },
  }
}

/** A lock whose file cannot be looked at is given up, or this process would keep itself out for good. */
function identityOrClose(path: string, database: DatabaseSync): string | null {
  try {
    return identityOf(path)
  } catch (error) {
    database.close()
    throw error
  }
}

/**
 * Takes the lock at `path` if it is free; null if it is held. It does not say who holds it, and its file stays: only for
 * paths that are never used again once it is removed.
 */
export function tryLock(path: string): Lock | null {
  const database = openHeld(path)
  if (database === null) return null
  held.add(database)
  return {
    release: () => {
      held.delete(database)
      database.close()
    },
  }
}

/**
 * Runs `body` while no other process runs one for the same path, waiting for it; null if that took too long. For changes
 * that take milliseconds: nothing else happens in this process meanwhile. The file of the lock stays.
 */
export function whileLocked<T>(path: string, waitMs: number, body: () => T): T | null {
  createPrivateFile(path)
  const database = new DatabaseSync(path, { timeout: waitMs })
  try {
    return tryToHold(database) ? body() : null
  } finally {
    database.close()
  }
}

/** The live process that has the lock; null if it is free. */
export function lockHolder(path: string): Holder | null {
  const holder = readHolder(path)
  return holder !== null && isLockHeld(path) ? holder : null
}

/**
 * Whether a live process has the lock. A lock that nobody is known to hold is not tried, because a process that wants it
 * at this very moment would take it for held.
 */
export function isLockHeld(path: string): boolean {
  if (readHolder(path) === null) return false
  return (
    throughGate(path, () => {
      // Otherwise the look would make the file anew.
      if (sizeOf(path) === null) return false
      const database = new DatabaseSync(path, { timeout: 0 })
      try {
        return !tryToHold(database)
      } finally {
        database.close()
      }
    }) ?? true
  )
}

function tryToHold(database: DatabaseSync): boolean {
  try {
    // Nothing is ever committed, so that a rollback journal would only be one more open file.
    database.exec('PRAGMA journal_mode=MEMORY; BEGIN EXCLUSIVE')
    return true
  } catch (error) {
    if (sqliteFaultOf(error) === 'busy') return false
    throw error
  }
}

function holderFile(path: string): string {
  return `${path}.holder`
}

function readHolder(path: string): Holder | null {
  try {
    const file = holderFile(path)
    // Most locks are free, and a look costs a tenth of what an exception does.
    const text = sizeOf(file) === null ? null : readTextIfExists(file, 'own')
    if (text === null) return null
    const { pid, command, since } = JSON.parse(text) as Partial<Holder>
    if (typeof pid !== 'number' || typeof command !== 'string' || typeof since !== 'number') return null
    return { pid, command, since }
  } catch {
    return null
  }
}

/** The program and its subcommand; further arguments may be private. */
function commandName(): string {
  const [program = 'node', script = '', word = ''] = process.argv
  const name = basename(script === '' ? program : script).replace(/\.cjs$/, '')
  return /^[a-z][a-z-]{0,20}$/.test(word) ? `${name} ${word}` : name
}
