import type { Clock } from '../../core/clock.ts'

/** The machine's clock. */
export const systemClock: Clock = { now: () => Date.now(), elapsed: steadyMs }

/** Milliseconds of a clock that never steps. Asking `performance` would load a part of Node that a short command can do without. */
export function steadyMs(): number {
  const [seconds, nanoseconds] = process.hrtime()
  return seconds * 1000 + nanoseconds / 1e6
}

/** Small calls one after the other take so little that a turn for each would cost more than they do. */
const LONGEST_MS = 2

/** Makes a way to let the rest of the process have its turn, if it must or when its last one is a while ago. */
export function createPause(): (must: boolean) => Promise<void> | undefined {
  let lastMs = -Infinity
  return (must) => {
    if (!must && steadyMs() - lastMs < LONGEST_MS) return undefined
    return new Promise((resolve) => {
      setImmediate(() => {
        lastMs = steadyMs()
        resolve()
      })
    })
  }
}
