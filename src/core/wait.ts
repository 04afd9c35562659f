import { LONGEST_TIMER_MS } from './clock.ts'
import type { Clock } from './clock.ts'

/**
 * Waits so many milliseconds, on the clock's own timer if it has one. Returns true if all of the time passed, and false
 * as soon as the signal aborts; a caller that wants an error then calls `signal.throwIfAborted()`.
 */
export async function waitFor(
  ms: number,
  signal?: AbortSignal,
  clock?: Pick<Clock, 'sleep'>,
): Promise<boolean> {
  if (signal?.aborted === true) return false
  const { promise, resolve, reject } = Promise.withResolvers<boolean>()
  const onAbort = (): void => resolve(false)
  const onTime = (): void => resolve(true)
  signal?.addEventListener('abort', onAbort, { once: true })
  const slept = clock?.sleep?.(ms).then(onTime, reject)
  const timer = slept === undefined ? setTimeout(onTime, Math.min(ms, LONGEST_TIMER_MS)) : undefined
  try {
    return await promise
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', onAbort)
  }
}

/** The result of the work, or the signal's reason as an error as soon as it aborts. The work itself is not stopped. */
export async function raceAbort<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const aborted = Promise.withResolvers<never>()
  const onAbort = (): void => aborted.reject(signal.reason)
  // Work that heeds the same signal fails at the same moment, and its own error would hide the reason.
  const result = work.catch((error: unknown) => {
    signal.throwIfAborted()
    throw error
  })
  result.catch(() => undefined)
  signal.addEventListener('abort', onAbort, { once: true })
  try {
    signal.throwIfAborted()
    return await Promise.race([result, aborted.promise])
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}

/**
 * What is there at once, or is promised. Most calls wait for nothing, and every turn of the queue that they are spared is
 * a part of what they cost.
 */
export type Soon<T> = T | Promise<T>

/** Goes on with what is there: at once, or when it arrives. */
export function goOnWith<T, Next>(value: Soon<T>, go: (value: T) => Soon<Next>): Soon<Next> {
  return value instanceof Promise ? value.then(go) : go(value)
}
