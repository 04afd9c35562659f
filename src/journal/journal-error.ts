/** Why the journal cannot be used, or not now. */
export type JournalFault =
  | 'newer_schema'
  | 'foreign'
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

/** The one exception of the journal: what happened and where in the message, what to do in the hint. */
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

/** One entry cannot be read: whoever needs it cannot go on, and everybody else can. */
export class UnreadableEntry extends JournalError {
  constructor(session: string, seq: number) {
    super(
      'damaged',
      `Entry ${seq} of session ${session} cannot be read, and what is known of its calls rests on it.`,
      'Run `tongs audit verify` to see what was changed, and go on in another session with --session NAME.',
    )
  }
}
