/** A session that another process owns, while somebody waits for it. */
export interface BusySession {
  readonly session: string
  /** Who owns it, as a sentence. */
  readonly message: string
  /** How long it is waited for at most. */
  readonly waitMs: number
}

/** What has been done about a session that is waited for. */
export interface SessionWait {
  /** Ends the waiting early. */
  readonly signal: AbortSignal
  /** Said once the waiting is over, however it ended. */
  readonly end: () => void
}

/** Hears that a session is in use elsewhere, as soon as that is known. */
export type OnBusy = (busy: BusySession) => SessionWait
