import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { BudgetError, costOf, priceOf } from '../../../src/agent/loop/budget.ts'
import type { ModelClient } from '../../../src/model/model-client.ts'
import { ModelError } from '../../../src/model/model-client.ts'
import { agreed, call, errorsOf, outcomes, read, stopOf, talk, talkWith, write } from '../talk.ts'

const price = { model: 'script:*', input: 2, output: 10, cached: 0.5 }

describe('what a turn may use up', () => {
  it('stops it when the tokens are used up: calls get results, nothing runs, and the next turn goes on', async () => {
    const t = await talk([{ calls: [write('1'), write('2', 'm.txt')] }, { text: 'ok' }], {
      ...agreed,
      talk: { maxTokens: 10 },
    })
    const events = await t.say('go')
    expect(outcomes(events)).toEqual(['skipped', 'skipped'])
    expect(stopOf(events)).toEqual(['budget'])
    expect(existsSync(join(t.b.root, 'n.txt'))).toBe(false)
    expect(t.requests).toHaveLength(1)
    await t.say('again')
    expect(t.requests[1]?.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'user'])
  })

  it.for([{ maxTokens: 0 }, { maxSeconds: 0 }, { maxCost: 0 }])(
    'asks nobody where there is nothing to use: %j',
    async (limits) => {
      const t = await talk([{ text: 'Never.' }], { config: { 'model.prices': [price] }, talk: limits })
      expect(stopOf(await t.say('go'))).toEqual(['budget'])
      expect([t.requests.length, t.conversation.state()]).toEqual([0, 'idle'])
    },
  )

  it('sends no request that is known to need more than is left; what ran before is told in the next turn', async () => {
    const turns = [{ calls: [read('1')] }, { text: 'ok' }]
    const whole = (await (await talk(turns)).say('go')).at(-1)
    const first = (await (await talk([{ text: 'x' }])).say('go')).at(-1)
    if (whole?.event !== 'done' || first?.event !== 'done') throw new Error('not done')
    const maxTokens = Math.floor(first.usage.input_tokens * 1.5)
    const t = await talk(turns, { talk: { maxTokens } })
    const events = await t.say('go')
    expect([outcomes(events), stopOf(events), t.requests.length]).toEqual([['ok'], ['budget'], 1])
    const done = events.at(-1)
    expect(done?.event === 'done' && done.usage.input_tokens + done.usage.output_tokens).toBeLessThan(
      maxTokens,
    )
    const enough = whole.usage.input_tokens + whole.usage.output_tokens
    expect(stopOf(await (await talk(turns, { talk: { maxTokens: enough } })).say('go'))).toEqual(['end'])
    expect(stopOf(await t.say(null))).toEqual(['end'])
    expect(t.requests[1]?.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool'])
  })

  it('a limit of many years is a limit, and no reason to stop at once', async () => {
    const t = await talk([{ calls: [read('1')] }, { text: 'ok' }], { talk: { maxSeconds: 1e12 } })
    expect(stopOf(await t.say('go'))).toEqual(['end'])
  })

  it.for([{ maxTokens: -1 }, { maxSeconds: Number.NaN }, { maxCost: 1 }])(
    'refuses limits that could not be kept: %j',
    async (limits) => {
      await expect(talk([], { talk: limits })).rejects.toThrow(BudgetError)
    },
  )

  it('an answer that needed more than was left is still an answer', async () => {
    const t = await talk([{ text: 'Here it is.' }], { talk: { maxTokens: 1 } })
    expect(stopOf(await t.say('go'))).toEqual(['end'])
  })

  it('stops it when the time is up, also in the middle of a call', async () => {
    const t = await talk(
      [{ calls: [call('1', 'run_command', { command: 'sleep 20' }), read('2')] }, { text: 'ok' }],
      {
        ...agreed,
        config: { 'tools.run_command.enabled': true },
        talk: { maxSeconds: 0.3 },
      },
    )
    const events = await t.say('go')
    expect(stopOf(events)).toEqual(['budget'])
    expect(outcomes(events)).toEqual(['cancelled', 'cancelled'])
  })

  it('stops it at a cost, by the price of the model', async () => {
    const t = await talk([{ calls: [read('1')] }, { text: 'ok' }], {
      config: { 'model.prices': [price] },
      talk: { maxCost: 0.000_001 },
    })
    const events = await t.say('go')
    expect(stopOf(events)).toEqual(['budget'])
    const done = events.at(-1)
    expect(done?.event === 'done' ? done.usage.cost : null).toBeGreaterThan(0)
  })

  it('costs cached input at its own price, and nothing is made up without one', () => {
    const usage = { input_tokens: 3_000_000, cached_tokens: 1_000_000, output_tokens: 500_000 }
    expect(costOf(usage, price)).toBe(2 * 2 + 0.5 + 5)
    expect(costOf(usage, null)).toBeNull()
    expect(priceOf('script:x', [{ ...price, model: 'other' }, price])).toBe(price)
    expect(priceOf('anthropic/x', [price])).toBeNull()
  })
})

describe('what was used', () => {
  it('is told with the end of the turn, and kept over restarts', async () => {
    const t = await talk([{ calls: [read('1')] }, { text: 'ok' }, { text: 'more' }], {
      durability: 'normal',
      config: { 'model.prices': [price] },
    })
    const done = (await t.say('go')).at(-1)
    if (done?.event !== 'done') throw new Error('not done')
    expect(t.conversation.context()).toMatchObject({ turn: done.usage, total: done.usage, messages: 4 })
    expect(done.usage.input_tokens).toBeGreaterThan(100)
    await t.runtime.close()
    const again = await talk([], { durability: 'normal', in: t.b })
    expect(again.conversation.context().total).toEqual(done.usage)
  })
})

/** A model that fails in one way after the other, and then answers. */
function failing(
  ...failures: readonly ('limit' | 'torn' | 'torn after a call')[]
): ModelClient & { asked: number } {
  const model = {
    id: 'script:failing',
    hasTools: true,
    contextTokens: null,
    asked: 0,
    async *stream(): AsyncGenerator<never> {
      const failure = failures[model.asked++]
      const say = (delta: object): never => delta as never
      if (failure === 'limit') throw new ModelError('rate_limited', 'Slow down.')
      yield say({ type: 'text', text: failure === undefined ? 'At last.' : 'Half a' })
      if (failure === 'torn after a call') {
        yield say({ type: 'call_start', id: 'c', name: 'read_file' })
        yield say({ type: 'call_end', id: 'c', argsText: '{"path":"a.txt"}' })
      }
      if (failure !== undefined) throw new ModelError('torn_stream', 'It broke off.')
      yield say({ type: 'end', reason: 'stop' })
    },
  }
  return model
}

const quickly = { talk: { retries: { firstDelayMs: 1, maxRetries: 3 } } }

describe('a model that fails', () => {
  it('is asked again, and what it had said before does not count', async () => {
    const t = await talkWith(failing('limit', 'torn'), quickly)
    const events = await t.sayAll('go')
    expect(stopOf(events)).toEqual(['end'])
    expect(events.flatMap((event) => (event.event === 'retry' ? [event.is_void] : []))).toEqual([false, true])
    const said = [...t.runtime.log({ session: 's' })].map(({ entry }) => entry.kind)
    expect(said.filter((kind) => kind === 'voided')).toHaveLength(1)
    expect(t.conversation.context().messages).toBe(2)
    expect(await t.conversation.recovery()).toBeNull()
  })

  it('tells that its text is void also where it says none when it is asked again', async () => {
    const model = failing('torn')
    const silent: ModelClient = {
      ...model,
      async *stream(...asked) {
        for await (const delta of model.stream(...asked))
          if (model.asked === 1 || delta.type !== 'text') yield delta
      },
    }
    const t = await talkWith(silent, quickly)
    const texts = (await t.say('go')).flatMap((event) => (event.event === 'text' ? [event] : []))
    expect(texts).toEqual([
      { event: 'text', text: 'Half a' },
      { event: 'text', text: '', starts_over: true },
    ])
  })

  it('is not asked again once a call of the message was whole; the call never runs', async () => {
    const model = failing('torn after a call')
    const t = await talkWith(model, quickly)
    const events = await t.say('go')
    expect(errorsOf(events)).toEqual(['torn_stream'])
    expect(model.asked).toBe(1)
    expect(outcomes(events)).toEqual([])
    expect(await t.conversation.recovery()).toBeNull()
    expect(stopOf(await t.say(null))).toEqual(['end'])
  })

  it('ends the turn with its error after so many times, and the words are still there', async () => {
    const t = await talkWith(failing('limit', 'limit', 'limit', 'limit'), quickly)
    expect(errorsOf(await t.say('go'))).toEqual(['rate_limited'])
    expect(t.conversation.state()).toBe('idle')
    expect(stopOf(await t.say(null))).toEqual(['end'])
  })
})
