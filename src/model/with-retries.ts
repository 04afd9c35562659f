import { randomInt } from 'node:crypto'
import { raceAbort, waitFor } from '../core/wait.ts'
import { ModelError } from './model-client.ts'
import type { ModelClient, ModelDelta, ModelRequest } from './model-client.ts'

/** A retry that is about to start. */
export interface Retry {
  /** 1 for the first one. */
  readonly attempt: number
  readonly delayMs: number
  readonly error: ModelError
  /** Whether deltas of the failed attempt were handed out; they are void, and the message starts again. */
  readonly hasHandedOut: boolean
}

/** When and how often to retry. */
export interface RetryOptions {
  readonly maxRetries: number
  readonly firstDelayMs: number
  /** Also the longest wait that a provider may ask for; beyond it the error is reported at once. */
  readonly maxDelayMs: number
  /** How long a stream may be silent. */
  readonly idleMs: number
  /** Called before each wait. Without it, an attempt that has handed out anything is not repeated. */
  readonly onRetry?: (retry: Retry) => void
  /** At least 0 and less than 1. */
  readonly random?: () => number
}

const anyNumber = (): number => randomInt(1_000_000) / 1_000_000

const PASSING: ReadonlySet<ModelError['code']> = new Set([
  'rate_limited',
  'overloaded',
  'torn_stream',
  'idle',
])

/**
 * Retries after temporary failures, as long as no call of the message was complete: a complete call may already have
 * been acted upon. A stream that falls silent fails with `idle`.
 */
export function withRetries(client: ModelClient, options: RetryOptions): ModelClient {
  const { id, hasTools, contextTokens } = client
  return {
    id,
    hasTools,
    contextTokens,
    stream: (request, signal) => streamWithRetries(client, options, request, signal),
  }
}

async function* streamWithRetries(
  client: ModelClient,
  options: RetryOptions,
  request: ModelRequest,
  signal: AbortSignal,
): AsyncGenerator<ModelDelta> {
  for (let attempt = 1; ; attempt++) {
    let hasHandedOut = false
    let hasWholeCall = false
    try {
      for await (const delta of streamUntilIdle(client, options.idleMs, request, signal)) {
        hasHandedOut = true
        hasWholeCall ||= delta.type === 'call_end'
        yield delta
      }
      return
    } catch (error) {
      signal.throwIfAborted()
      const isLost = hasHandedOut && options.onRetry === undefined
      if (!(error instanceof ModelError) || !PASSING.has(error.code)) throw error
      if (hasWholeCall || isLost || attempt > options.maxRetries) throw error
      const delayMs = chooseDelay(attempt, error, options)
      if (delayMs > options.maxDelayMs) throw error
      options.onRetry?.({ attempt, delayMs, error, hasHandedOut })
      await waitFor(delayMs, signal)
      signal.throwIfAborted()
    }
  }
}

/** Doubles each time, with random jitter, so that many clients do not retry at once. */
function chooseDelay(
  attempt: number,
  { retryAfterMs }: ModelError,
  { firstDelayMs, maxDelayMs, random = anyNumber }: RetryOptions,
): number {
  const full = Math.min(firstDelayMs * 2 ** (attempt - 1), maxDelayMs)
  return Math.max(Math.round(full / 2 + (full / 2) * random()), retryAfterMs ?? 0)
}

async function* streamUntilIdle(
  client: ModelClient,
  idleMs: number,
  request: ModelRequest,
  signal: AbortSignal,
): AsyncGenerator<ModelDelta> {
  const silence = new AbortController()
  const stop = AbortSignal.any([signal, silence.signal])
  const idle = createIdleTimer(idleMs, () => {
    const message = `${client.id} sent nothing for ${idleMs / 1000} s. Try again, or choose another model.`
    silence.abort(new ModelError('idle', message))
  })
  const stream = client.stream(request, stop, idle.restart)
  const deltas = stream[Symbol.asyncIterator]()
  let isDone = false
  try {
    for (;;) {
      idle.start()
      const next = await raceAbort(deltas.next(), stop).finally(idle.stop)
      if (next.done === true) {
        isDone = true
        return
      }
      yield next.value
    }
  } finally {
    if (!isDone) {
      silence.abort()
      // A client that hangs also hangs when closed, so this is not awaited.
      deltas.return?.().then(undefined, () => undefined)
    }
  }
}

/** A timer that restarts with each sign of life. */
function createIdleTimer(timeoutMs: number, onTimeout: () => void) {
  let timer: NodeJS.Timeout | undefined
  return {
    start: (): void => {
      timer = setTimeout(onTimeout, timeoutMs)
    },
    restart: (): void => void timer?.refresh(),
    stop: (): void => {
      clearTimeout(timer)
      timer = undefined
    },
  }
}
