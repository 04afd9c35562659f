/** A day in milliseconds. */
export const DAY_MS = 86_400_000

/** The longest time that a timer of this platform can be set to. */
export const LONGEST_TIMER_MS = 2 ** 31 - 1

/** Time as the product sees it; tests bring their own. */
export interface Clock {
  /** Epoch milliseconds, for people and records. */
  readonly now: () => number
  /** Milliseconds that only go forward, for durations and deadlines. */
  readonly elapsed: () => number
  /** Resolves after this many milliseconds; a timer is used if the clock has no such method. */
  readonly sleep?: (ms: number) => Promise<void>
}
