import type { Holder } from '../../host/db/session-lock.ts'
import type { SessionKey } from '../entries/entry.ts'
import { JournalError } from '../journal-error.ts'

const MAX_NAME_LENGTH = 200

/** Refuses names that could not be told apart, shown or stored. */
export function requireSessionName({ name }: SessionKey): void {
  const isFine = name !== '' && name.length <= MAX_NAME_LENGTH && name.isWellFormed() && !/\p{Cc}/u.test(name)
  if (isFine) return
  const shown = JSON.stringify(name.length > 40 ? `${name.slice(0, 40)}…` : name)
  throw new JournalError(
    'bad_session',
    `${shown} cannot be the name of a session.`,
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
    'Wait for it to finish, end it, or open another session with --session NAME.',
  )
}
