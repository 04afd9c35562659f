import { freeBytes } from '../host/system/resources.ts'
import { errnoOf } from '../host/fs/errno.ts'
import { sqliteFaultOf, UnsyncedError } from '../host/db/sqlite.ts'
import { JournalError } from './journal-error.ts'
import type { JournalFault } from './journal-error.ts'

const ERRNO_FAULTS: Readonly<Record<string, JournalFault>> = {
  EACCES: 'read_only',
  EPERM: 'read_only',
  EROFS: 'read_only',
  ENOSPC: 'disk_full',
  EDQUOT: 'disk_full',
  // Thrown by the database when it is used after closing.
  ERR_INVALID_STATE: 'closed',
}

/** With less free space than this, an I/O error is treated as a full disk. */
const SCARCE_BYTES = 64 * 1024

/** Turns a system or database error into a JournalError about the journal in `folder`; a JournalError is returned as is. */
export function explainFault(error: unknown, folder: string): JournalError {
  if (error instanceof JournalError) return error
  const detail = error instanceof Error ? error.message : String(error)
  if (error instanceof UnsyncedError) {
    return new JournalError(
      'io',
      `The journal in ${folder} wrote the entry, but the disk did not confirm it (${detail}); a power cut could still lose it.`,
      'Check the disk, then run any command on this root: it finishes what was committed. `tongs log` shows whether the entry is there.',
      error,
    )
  }
  switch (faultOf(error, folder)) {
    case 'closed':
      return new JournalError('closed', `The journal in ${folder} is closed.`, 'Open it again.', error)
    case 'read_only':
      return new JournalError(
        'read_only',
        `The journal in ${folder} is not writable (${detail}).`,
        'Make the folder and its files writable for your user, or set TONGS_STATE_DIR to another folder.',
        error,
      )
    case 'disk_full':
      return diskFull(folder, error)
    case 'damaged':
      return new JournalError(
        'damaged',
        `The journal in ${folder} is damaged (${detail}).`,
        'Run `tongs audit verify`, then restore a backup, or move the folder away to start a new journal.',
        error,
      )
    case 'busy':
      return new JournalError(
        'busy',
        `The journal in ${folder} is locked by another process.`,
        'Try again; if it stays locked, find the program that keeps journal.db open.',
        error,
      )
    default:
      return new JournalError(
        'io',
        `The journal in ${folder} cannot be used (${detail}).`,
        'Check the disk and the permissions of the folder, then try again.',
        error,
      )
  }
}

/** Looks for something in the state folder, and explains what the system reports instead. */
export function explaining<T>(folder: string, look: () => T): T {
  try {
    return look()
  } catch (error) {
    throw isOfSystem(error) ? explainFault(error, folder) : error
  }
}

/** The same for what takes longer. */
export async function explainingLater<T>(folder: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw isOfSystem(error) ? explainFault(error, folder) : error
  }
}

function isOfSystem(error: unknown): boolean {
  return /^E[A-Z]+$/.test(errnoOf(error) ?? '') || sqliteFaultOf(error) !== null
}

/** The error for a full disk. */
export function diskFull(folder: string, cause?: unknown): JournalError {
  return new JournalError(
    'disk_full',
    `The disk that holds the journal in ${folder} is full; nothing was recorded.`,
    'Free some space and try again, or run `tongs forget --older-than 30`, with fewer days if that is not enough: 0 erases all recorded contents. Space is reserved for it.',
    cause,
  )
}

/** Whether a failed append may have been recorded all the same. */
export function mayBeRecorded(error: unknown): boolean {
  return error instanceof JournalError && error.cause instanceof UnsyncedError
}

function faultOf(error: unknown, folder: string): JournalFault {
  const fault = sqliteFaultOf(error)
  if (fault === null) return ERRNO_FAULTS[errnoOf(error) ?? ''] ?? 'io'
  if (fault === 'full') return 'disk_full'
  if (fault === 'read_only' || fault === 'damaged' || fault === 'busy') return fault
  const free = freeBytes(folder)
  if (fault === 'io' && free !== null && free < SCARCE_BYTES) return 'disk_full'
  return fault === 'other' ? 'damaged' : 'io'
}
