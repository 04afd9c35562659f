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

/**
 * Work written from top to bottom that waits only for what is promised: `yield* arrived(value)` goes on at once with
 * what is there. An async function would take a turn of the queue, and everything that waits for it another one.
 */
export type Flow<T> = Generator<Promise<unknown>, T, unknown>

/** What is there, or is waited for. */
export function* arrived<T>(value: Soon<T>): Flow<T> {
  // Whatever runs the work gives back what the promise brought.
  return value instanceof Promise ? ((yield value) as T) : value
}

/** Runs such work to its end: at once if nothing in it has to be waited for. */
export function runFlow<T>(work: Flow<T>): Soon<T> {
  const step = work.next()
  return step.done === true ? step.value : finishFlow(work, step.value)
}

async function finishFlow<T>(work: Flow<T>, first: Promise<unknown>): Promise<T> {
  let waiting = first
  for (;;) {
    const step = await waiting.then(
      (value) => work.next(value),
      (fault: unknown) => work.throw(fault),
    )
    if (step.done === true) return step.value
    waiting = step.value
  }
}
