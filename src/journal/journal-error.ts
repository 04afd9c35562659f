import type { Holder } from '../host/db/session-lock.ts'
import type { SessionKey } from './entries/entry.ts'

/** Why the journal cannot be used. */
export type JournalFault =
  | 'newer_schema'
  | 'foreign'
  | 'altered'
  | 'damaged'
  | 'missing'
  | 'removed'
  | 'swapped'
  | 'key_missing'
  | 'read_only'
  | 'disk_full'
  | 'unsafe_folder'
  | 'session_busy'
  | 'session_taken'
  | 'wait_stopped'
  | 'bad_session'
  | 'busy'
  | 'io'
  | 'closed'

/** The only error the journal throws: the message says what happened and where, the hint says what to do. */
export class JournalError extends Error {
  readonly code: JournalFault
  readonly hint: string

  constructor(code: JournalFault, message: string, hint: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    this.name = 'JournalError'
    this.code = code
    this.hint = hint
  }
}

const MAX_NAME_LENGTH = 200

/** Rejects names that are ambiguous or cannot be shown or stored. */
export function requireSessionName({ name }: SessionKey): void {
  const isFine = name !== '' && name.length <= MAX_NAME_LENGTH && name.isWellFormed() && !/\p{Cc}/u.test(name)
  if (isFine) return
  const shown = JSON.stringify(name.length > 40 ? `${name.slice(0, 40)}…` : name)
  throw new JournalError(
    'bad_session',
    `${shown} is not a valid session name.`,
    `Use 1 to ${MAX_NAME_LENGTH} characters without control characters.`,
  )
}

/** The error for a session that another process owns. */
export function sessionBusy({ root, name }: SessionKey, holder: Holder | null): JournalError {
  const who =
    holder === null
      ? 'another process'
      : `process ${holder.pid} (${holder.command}), since ${new Date(holder.since).toISOString()}`
  return new JournalError(
    'session_busy',
    `Session ${name} of ${root} is in use by ${who}.`,
    'Wait until it finishes, stop it, or open another session with --session NAME.',
  )
}

/** The error for a log that is used after it was closed. */
export function sessionClosed({ name }: SessionKey): JournalError {
  return new JournalError('closed', `The log of session ${name} is closed.`, 'Open it again.')
}
