import type { Clock } from '../../core/clock.ts'

/** The machine's clock. */
export const systemClock: Clock = { now: () => Date.now(), elapsed: steadyMs }

/** Milliseconds of a monotonic clock. Using `performance` would load a part of Node that a short command does not need. */
export function steadyMs(): number {
  const [seconds, nanoseconds] = process.hrtime()
  return seconds * 1000 + nanoseconds / 1e6
}

/** Small calls are so quick that yielding after each would cost more than the calls themselves. */
const LONGEST_MS = 2

/** Creates a function that yields to the event loop, if it must or if the last time was a while ago; by itself, it was never. */
export function createPause(
  since = -Infinity,
  longestMs = LONGEST_MS,
): (must: boolean) => Promise<void> | undefined {
  let lastMs = since
  return (must) => {
    if (!must && steadyMs() - lastMs < longestMs) return undefined
    return new Promise((resolve) => {
      setImmediate(() => {
        lastMs = steadyMs()
        resolve()
      })
    })
  }
}
