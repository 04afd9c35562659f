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
  // What the database says to whoever asks it after it was closed.
  ERR_INVALID_STATE: 'closed',
}

/** Below this much room, a write error is taken for a full disk. */
const SCARCE_BYTES = 64 * 1024

/** Says in our words what a system or database error means for the journal in `folder`; an explained one stays itself. */
export function explainFault(error: unknown, folder: string): JournalError {
  if (error instanceof JournalError) return error
  const detail = error instanceof Error ? error.message : String(error)
  if (error instanceof UnsyncedError) {
    return new JournalError(
      'io',
      `The journal in ${folder} took the entry, but the disk did not confirm it (${detail}); a power cut could still take it.`,
      'Check the disk, then start again: the next command on this root finishes what was committed, and `tongs log` shows it.',
      error,
    )
  }
  switch (faultOf(error, folder)) {
    case 'closed':
      return new JournalError('closed', `The journal in ${folder} is closed.`, 'Open it again.', error)
    case 'read_only':
      return new JournalError(
        'read_only',
        `The journal in ${folder} cannot be written (${detail}).`,
        'Make the folder and the files in it writable for yourself, or set TONGS_STATE_DIR to another folder.',
        error,
      )
    case 'disk_full':
      return new JournalError(
        'disk_full',
        `The disk that holds the journal in ${folder} is full; nothing was recorded.`,
        'Free some space and try again; `tongs forget --older-than 30` makes room in the journal itself.',
        error,
      )
    case 'damaged':
      return new JournalError(
        'damaged',
        `The journal in ${folder} is damaged (${detail}).`,
        'Run `tongs audit verify`, then put a backup in its place or move the folder aside to begin anew.',
        error,
      )
    case 'busy':
      return new JournalError(
        'busy',
        `The journal in ${folder} stayed locked by other processes.`,
        'Try again; if it lasts, look for a program that keeps journal.db open.',
        error,
      )
    default:
      return new JournalError(
        'io',
        `The journal in ${folder} could not be used (${detail}).`,
        'Check the disk and the permissions of the folder, then try again.',
        error,
      )
  }
}

/** Whether what an append was to write may be in the journal although it failed. */
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
