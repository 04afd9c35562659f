/** A session that another process owns and this one waits for. */
export interface BusySession {
  readonly session: string
  /** Who owns it, as a sentence. */
  readonly message: string
  /** How long it is waited for at most. */
  readonly waitMs: number
}

/** A wait for a session that is in use. */
export interface SessionWait {
  /** Ends the waiting early. */
  readonly signal: AbortSignal
  /** Called when the wait is over, however it ended. */
  readonly end: () => void
}

/** Called as soon as a session turns out to be in use by another process. */
export type OnBusy = (busy: BusySession) => SessionWait
