import { describe, expect, it } from 'vitest'
import { ModelError } from '../../src/model/model-client.ts'
import type { ModelClient, ModelDelta } from '../../src/model/model-client.ts'
import { openModel } from '../../src/model/open-model.ts'
import { withRetries } from '../../src/model/with-retries.ts'
import type { Retry, RetryOptions } from '../../src/model/with-retries.ts'
import { PATIENCE_MS } from '../harness/patience.ts'
import { startModelServer } from './model-server.ts'
import type { Answer } from './model-server.ts'
import { PROVIDER_STREAMS } from './provider-streams.ts'

const QUICK = { maxRetries: 4, firstDelayMs: 1, maxDelayMs: 50, idleMs: PATIENCE_MS } satisfies RetryOptions
const REQUEST = { system: '', messages: [{ role: 'user', text: 'Go' }], tools: [] } as const
const BUSY: Answer = { status: 429, headers: { 'retry-after-ms': '1' }, pieces: ['{}'] }

type Attempt = readonly (ModelDelta | ModelError | 'hang')[]

/** Plays its attempts in order, and counts them. */
function makeClient(...attempts: readonly Attempt[]) {
  const seen = { attempts: 0, aborted: 0 }
  const client: ModelClient = {
    id: 'test/model',
    hasTools: true,
    contextTokens: null,
    async *stream(_request, signal) {
      const attempt = attempts[seen.attempts] ?? []
      seen.attempts += 1
      signal.addEventListener('abort', () => (seen.aborted += 1))
      for (const step of attempt) {
        if (step instanceof ModelError) throw step
        if (step === 'hang') await new Promise(() => undefined)
        else yield step
      }
    },
  }
  return { client, seen }
}

async function listen(client: ModelClient, signal = AbortSignal.timeout(PATIENCE_MS)) {
  const deltas: ModelDelta[] = []
  let error: unknown = null
  try {
    for await (const delta of client.stream(REQUEST, signal)) deltas.push(delta)
  } catch (thrown) {
    error = thrown
  }
  return { deltas, error }
}

const fail = (code: ModelError['code'], retryAfterMs: number | null = null) =>
  new ModelError(code, code, retryAfterMs)
const TEXT: ModelDelta = { type: 'text', text: 'Hi' }
const CALL: ModelDelta = { type: 'call_end', id: 'c1', argsText: '{}' }
const START: ModelDelta = { type: 'call_start', id: 'c1', name: 'glob' }
const END: ModelDelta = { type: 'end', reason: 'stop' }

describe.each(PROVIDER_STREAMS)('$model, asked again', (provider) => {
  it('answers after a rate limit, an overload and a torn stream', async () => {
    const server = await startModelServer(
      BUSY,
      { status: 529, pieces: ['{}'] },
      { pieces: provider.begun, ending: 'tear' },
      { pieces: provider.hello },
    )
    const inner = await openModel(provider.model, {
      env: { [provider.key]: 'key-of-a-test' },
      baseUrl: server.url + provider.path,
    })
    const retries: Retry[] = []
    const kept: string[] = []
    const client = withRetries(inner, {
      ...QUICK,
      onRetry: (retry) => {
        retries.push(retry)
        kept.length = 0
      },
    })
    for await (const delta of client.stream(REQUEST, AbortSignal.timeout(PATIENCE_MS)))
      if (delta.type === 'text') kept.push(delta.text)
    expect(kept.join('')).toBe('Hi')
    expect(retries.map(({ attempt, error, hasHandedOut }) => [attempt, error.code, hasHandedOut])).toEqual([
      [1, 'rate_limited', false],
      [2, 'overloaded', false],
      [3, 'torn_stream', true],
    ])
    expect(server.seen).toHaveLength(4)
    expect(new Set(server.seen.map(({ body }) => body)).size).toBe(1)
  })

  it('fails with idle where the stream falls silent, and hangs up', async () => {
    const server = await startModelServer({ pieces: provider.begun, ending: 'hang' })
    const inner = await openModel(provider.model, {
      env: { [provider.key]: 'key-of-a-test' },
      baseUrl: server.url + provider.path,
    })
    const { error } = await listen(withRetries(inner, { ...QUICK, idleMs: 100 }))
    expect(error).toMatchObject({ name: 'ModelError', code: 'idle' })
    await server.left
  })
})

describe('asking again', () => {
  it('never happens once a call of the message was complete', async () => {
    const { client, seen } = makeClient([TEXT, START, CALL, fail('torn_stream')], [TEXT, END])
    const { deltas, error } = await listen(withRetries(client, { ...QUICK, onRetry: () => undefined }))
    expect(error).toMatchObject({ code: 'torn_stream' })
    expect(deltas).toEqual([TEXT, START, CALL])
    expect(seen.attempts).toBe(1)
  })

  it('happens after a call that only began', async () => {
    const { client, seen } = makeClient([TEXT, START, fail('torn_stream')], [TEXT, END])
    const { error } = await listen(withRetries(client, { ...QUICK, onRetry: () => undefined }))
    expect(error).toBe(null)
    expect(seen.attempts).toBe(2)
  })

  it('does not say things twice to a listener that cannot be told', async () => {
    const { client, seen } = makeClient([TEXT, fail('torn_stream')], [TEXT, END])
    const { deltas, error } = await listen(withRetries(client, QUICK))
    expect(error).toMatchObject({ code: 'torn_stream' })
    expect(deltas).toEqual([TEXT])
    expect(seen.attempts).toBe(1)
  })

  it.each(['auth', 'bad_request', 'network', 'other'] as const)('does not happen after %s', async (code) => {
    const { client, seen } = makeClient([fail(code)], [END])
    expect((await listen(withRetries(client, QUICK))).error).toMatchObject({ code })
    expect(seen.attempts).toBe(1)
  })

  it('gives up after so many times, with the last error', async () => {
    const { client, seen } = makeClient(...Array.from({ length: 9 }, () => [fail('overloaded')]))
    expect((await listen(withRetries(client, { ...QUICK, maxRetries: 3 }))).error).toMatchObject({
      code: 'overloaded',
    })
    expect(seen.attempts).toBe(4)
  })

  it('waits twice as long each time, by chance down to half, and as long as it is told to', async () => {
    const attempts = [fail('overloaded'), fail('overloaded'), fail('rate_limited', 17), fail('overloaded')]
    const delaysWith = async (random: number): Promise<readonly number[]> => {
      const { client } = makeClient(...attempts.map((error) => [error]), [END])
      const delays: number[] = []
      const options = { ...QUICK, firstDelayMs: 4, maxDelayMs: 20, random: () => random }
      await listen(withRetries(client, { ...options, onRetry: ({ delayMs }) => delays.push(delayMs) }))
      return delays
    }
    expect(await delaysWith(0)).toEqual([2, 4, 17, 10])
    expect(await delaysWith(1)).toEqual([4, 8, 17, 20])
  })

  it('does not wait longer than it may, and says so at once', async () => {
    const { client, seen } = makeClient([fail('rate_limited', 3_600_000)], [END])
    expect((await listen(withRetries(client, QUICK))).error).toMatchObject({ retryAfterMs: 3_600_000 })
    expect(seen.attempts).toBe(1)
  })

  it('is cancelled during the wait', async () => {
    const { client, seen } = makeClient([fail('rate_limited', 60_000)], [END])
    const stop = new AbortController()
    const reason = new Error('enough')
    const patient = withRetries(client, {
      ...QUICK,
      maxDelayMs: 60_000,
      onRetry: () => queueMicrotask(() => stop.abort(reason)),
    })
    expect((await listen(patient, stop.signal)).error).toBe(reason)
    expect(seen.attempts).toBe(1)
  })

  it('is cancelled before it begins, and nothing that fails for it is left behind', async () => {
    const reason = new Error('enough')
    const lost: unknown[] = []
    const hear = (thrown: unknown): void => void lost.push(thrown)
    process.on('unhandledRejection', hear)
    const { client } = makeClient([fail('overloaded')])
    expect((await listen(withRetries(client, QUICK), AbortSignal.abort(reason))).error).toBe(reason)
    await new Promise((resolve) => setTimeout(resolve, 5))
    process.off('unhandledRejection', hear)
    expect(lost).toEqual([])
  })

  it('is cancelled also where the model ignores it', async () => {
    const { client } = makeClient([TEXT, 'hang'])
    const stop = new AbortController()
    const reason = new Error('enough')
    setTimeout(() => stop.abort(reason), 20)
    expect((await listen(withRetries(client, QUICK), stop.signal)).error).toBe(reason)
  })

  it('asks again after silence, and closes what fell silent', async () => {
    const { client, seen } = makeClient(['hang'], [TEXT, END])
    const { deltas, error } = await listen(withRetries(client, { ...QUICK, idleMs: 30 }))
    expect(error).toBe(null)
    expect(deltas).toEqual([TEXT, END])
    expect(seen).toEqual({ attempts: 2, aborted: 1 })
  })

  it('is patient with a model that gives signs of life, however long it says nothing', async () => {
    const client: ModelClient = {
      id: 'test/model',
      hasTools: true,
      contextTokens: null,
      async *stream(_request, _signal, onSign) {
        for (let sign = 0; sign < 30; sign++) {
          await new Promise((resolve) => setTimeout(resolve, 20))
          onSign?.()
        }
        yield END
      },
    }
    const { deltas, error } = await listen(withRetries(client, { ...QUICK, maxRetries: 0, idleMs: 400 }))
    expect([error, deltas]).toEqual([null, [END]])
  })

  it('closes the stream of a listener that leaves', async () => {
    const { client, seen } = makeClient([TEXT, TEXT, END])
    for await (const _ of withRetries(client, QUICK).stream(REQUEST, AbortSignal.timeout(PATIENCE_MS))) break
    expect(seen.aborted).toBe(1)
  })
})
