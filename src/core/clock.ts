/** Time as the product sees it; tests bring their own. */
export interface Clock {
  /** Epoch milliseconds, for people and records. */
  readonly now: () => number
  /** Milliseconds that only go forward, for durations and deadlines. */
  readonly elapsed: () => number
}
