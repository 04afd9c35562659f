import type { Clock } from '../../core/clock.ts'

/** The machine's clock. */
export const systemClock: Clock = { now: () => Date.now(), elapsed: steadyMs }

/** Milliseconds of a clock that never steps. Asking `performance` would load a part of Node that a short command can do without. */
export function steadyMs(): number {
  const [seconds, nanoseconds] = process.hrtime()
  return seconds * 1000 + nanoseconds / 1e6
}
