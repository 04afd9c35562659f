/** Payloads were erased; the chain keeps their digests. */
export interface ForgottenEntry {
  readonly kind: 'forgotten'
  readonly why: string
  readonly payloads: number
  readonly bytes: number
  readonly executions: readonly string[]
  /** How many more calls were forgotten but are not listed. */
  readonly unlisted?: number
  /** Set if all entries up to a place were forgotten, or those of them before a point in time. */
  readonly span?: ForgottenSpan
}

/** Entries of a session that were forgotten together. */
export interface ForgottenSpan {
  readonly upTo: number
  /** Epoch milliseconds; null means no limit. */
  readonly before: number | null
}
