import type { Clock } from '../core/clock.ts'

/** The machine's clock. */
export const systemClock: Clock = { now: () => Date.now(), elapsed: () => performance.now() }
