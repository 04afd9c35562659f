import { basename } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { waitFor } from '../../core/wait.ts'
import { steadyMs } from '../system/clock.ts'
import { readTextIfExists } from '../fs/plain-file.ts'
import { createPrivateFile, removeFile, writePrivateText } from '../fs/private-files.ts'
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
 * Takes the lock at `path`, waiting for its holder if necessary. The lock is an open transaction on a database of its
 * own, which the system frees when the holder dies, however that happens.
 */
export async function takeLock(path: string, waitMs: number, now: () => number): Promise<LockAttempt> {
  // Opening and closing the file ourselves would drop a lock that this process has on it already.
  createPrivateFile(path)
  const database = new DatabaseSync(path, { timeout: 0 })
  try {
    const deadline = steadyMs() + waitMs
    for (
      let pauseMs = FIRST_PAUSE_MS;
      !tryToHold(database);
      pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)
    ) {
      const leftMs = deadline - steadyMs()
      if (leftMs <= 0) {
        database.close()
        return { isHeld: false, holder: readHolder(path) }
      }
      await waitFor(Math.min(pauseMs, leftMs))
    }
    writePrivateText(
      holderFile(path),
      JSON.stringify({ pid: process.pid, command: commandName(), since: now() } satisfies Holder),
    )
  } catch (error) {
    database.close()
    throw error
  }
  held.add(database)
  return {
    isHeld: true,
    lock: {
      release: () => {
        try {
          removeFile(holderFile(path))
        } catch {
          // It is only informative.
        } finally {
          held.delete(database)
          database.close()
        }
      },
    },
  }
}

/** Takes the lock at `path` if it is free; null if it is held. It does not say who holds it. */
export function tryLock(path: string): Lock | null {
  createPrivateFile(path)
  const database = new DatabaseSync(path, { timeout: 0 })
  let isHeld = false
  try {
    isHeld = tryToHold(database)
  } finally {
    if (!isHeld) database.close()
  }
  if (!isHeld) return null
  held.add(database)
  return {
    release: () => {
      held.delete(database)
      database.close()
    },
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
  const database = new DatabaseSync(path, { timeout: 0 })
  try {
    return !tryToHold(database)
  } finally {
    database.close()
  }
}

function tryToHold(database: DatabaseSync): boolean {
  try {
    database.exec('BEGIN EXCLUSIVE')
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
    const { pid, command, since } = JSON.parse(
      readTextIfExists(holderFile(path), 'own') ?? '',
    ) as Partial<Holder>
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
