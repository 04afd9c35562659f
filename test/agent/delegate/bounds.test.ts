import { describe, expect, it } from 'vitest'
import type { ModelClient, ModelRequest } from '../../../src/model/model-client.ts'
import { agreed, call, outcomes, read, scripted, stopOf, talk, talkWith, write } from '../talk.ts'
import type { Turn } from '../talk.ts'

const delegate = (id: string, task: string, more: object = {}) => call(id, 'delegate', { task, ...more })
const contentOf = (request: ModelRequest | undefined): readonly string[] => {
  const last = request?.messages.at(-1)
  return last?.role === 'tool' ? last.results.map(({ content }) => content) : []
}

describe('the tools of a delegated conversation', () => {
  const task = 'Write n.txt.'
  const delegates = { [task]: [{ calls: [write('c1')] }, { text: 'I could not.' }] }

  it('are at most those that it was given: any other is not there, and nothing happens', async () => {
    const t = await talk(
      [{ calls: [delegate('d1', task, { tools: ['read_file', 'search'] })] }, { text: 'ok' }],
      { ...agreed, delegates },
    )
    const events = await t.say('go')
    expect(outcomes(events)).toEqual(['unknown_tool', 'ok'])
    expect(t.requests[1]?.tools.map(({ name }) => name)).toEqual(['read_file', 'search'])
    expect(events.at(-1)).toMatchObject({ changes: [] })
  })

  it('are at most those of the conversation around it', async () => {
    const config = { 'tools.advertise': ['read_file', 'delegate'] }
    const t = await talk(
      [{ calls: [delegate('d1', task, { tools: ['read_file', 'write_file'] })] }, { text: 'ok' }],
      {
        ...agreed,
        config,
        delegates,
      },
    )
    expect(outcomes(await t.say('go'))).toEqual(['unknown_tool', 'ok'])
    expect(t.requests[1]?.tools.map(({ name }) => name)).toEqual(['read_file'])
  })

  it('are all of them if it names none, but for lists that a conversation keeps for itself', async () => {
    const t = await talk([{ calls: [delegate('d1', task)] }, { text: 'ok' }], { ...agreed, delegates })
    await t.say('go')
    const names = (at: number) => t.requests[at]?.tools.map(({ name }) => name) ?? []
    expect(names(1)).toEqual(names(0).filter((name) => name !== 'todo_write'))
  })

  it('have to be there: a list of which none is refuses the call', async () => {
    const t = await talk([{ calls: [delegate('d1', task, { tools: ['nope'] })] }, { text: 'ok' }], {
      delegates,
    })
    expect(outcomes(await t.say('go'))).toEqual(['bad_args'])
    expect(t.requests).toHaveLength(2)
  })
})

describe('delegating further', () => {
  const chain = (depth: number): Record<string, readonly Turn[]> =>
    Object.fromEntries(
      Array.from({ length: depth }, (_, at) => [
        `level ${at + 1}`,
        [{ calls: [delegate(`d${at + 2}`, `level ${at + 2}`)] }, { text: `${at + 1} is done.` }],
      ]),
    )

  it('goes as deep as the setting says, and no deeper', async () => {
    const t = await talk([{ calls: [delegate('d1', 'level 1')] }, { text: 'ok' }], { delegates: chain(4) })
    const events = await t.say('go')
    expect(outcomes(events)).toEqual(['unknown_tool', 'ok', 'ok'])
    const [, second, own] = events.flatMap((event) => (event.event === 'result' ? [event] : []))
    expect(second?.delegate).toEqual({ id: 'd1', execution: own?.execution.id })
    expect(contentOf(t.requests.at(-1))).toEqual(['1 is done.'])
    expect(t.requests.map(({ tools }) => tools.some(({ name }) => name === 'delegate'))).toEqual([
      true,
      true,
      false,
      false,
      true,
      true,
    ])
  })
})

describe('the budget of a delegated conversation', () => {
  const delegates = {
    reading: [{ text: 'First.', calls: [read('c1')] }, { calls: [read('c2')] }, { text: 'Done.' }],
  }

  it('ends it after so many requests, and its result says so', async () => {
    const t = await talk([{ calls: [delegate('d1', 'reading', { max_requests: 1 })] }, { text: 'ok' }], {
      delegates,
    })
    const events = await t.say('go')
    expect(stopOf(events)).toEqual(['end'])
    expect(t.requests).toHaveLength(3)
    expect(contentOf(t.requests[2])).toEqual([
      'First.\n\n[It was stopped before it was done: its budget is used up.]',
    ])
  })

  it('is at most the setting, whatever the call wants', async () => {
    const config = { 'tools.delegate.max_requests': 2 }
    const t = await talk([{ calls: [delegate('d1', 'reading', { max_requests: 9 })] }, { text: 'ok' }], {
      config,
      delegates,
    })
    await t.say('go')
    expect(t.requests).toHaveLength(4)
  })

  it('is part of the budget of the turn: what it uses counts there, and ends both', async () => {
    const t = await talk([{ calls: [delegate('d1', 'reading')] }, { text: 'ok' }], {
      delegates,
      talk: { maxTokens: 3000 },
    })
    const events = await t.say('go')
    expect(stopOf(events)).toEqual(['budget'])
    const done = events.at(-1)
    const used = done?.event === 'done' ? done.usage.input_tokens + done.usage.output_tokens : 0
    expect(used).toBeGreaterThanOrEqual(3000)
    const results = events.flatMap((event) =>
      event.event === 'result' && event.name === 'delegate' ? [event] : [],
    )
    expect(results.map((row) => (row.ok ? row.result['stop'] : row.error.code))).toEqual(['budget'])
    expect(t.requests.length).toBeLessThan(5)
  })
})

describe('several delegated conversations of one message', () => {
  /** A model that answers delegated tasks only once as many are under way as are told. */
  function meeting(turns: readonly Turn[], most: number): { model: ModelClient; peak: () => number } {
    const script = scripted(turns, [], 'script:test', {})
    let [now, peak] = [0, 0]
    const met = Promise.withResolvers<void>()
    return {
      peak: () => peak,
      model: {
        ...script,
        stream: async function* (request, signal) {
          const [first] = request.messages
          if (first?.role !== 'user' || !first.text.startsWith('piece')) {
            yield* script.stream(request, signal)
            return
          }
          now += 1
          peak = Math.max(peak, now)
          if (now === most) met.resolve()
          if (most > 1) await met.promise
          yield { type: 'text', text: `${first.text} is done` }
          yield { type: 'end', reason: 'stop' }
          now -= 1
        },
      },
    }
  }

  it('run side by side if they only read', async () => {
    const tools = ['read_file']
    const calls = [delegate('d1', 'piece 1', { tools }), delegate('d2', 'piece 2', { tools })]
    const { model, peak } = meeting([{ calls }, { text: 'ok' }], 2)
    const requests: ModelRequest[] = []
    const t = await talkWith({
      ...model,
      stream: (request, signal) => {
        requests.push(structuredClone(request))
        return model.stream(request, signal)
      },
    })
    expect(outcomes(await t.say('go'))).toEqual(['ok', 'ok'])
    expect(peak()).toBe(2)
    expect(contentOf(requests.at(-1))).toEqual(['piece 1 is done', 'piece 2 is done'])
  })

  it('run one at a time, in order, if one of them may edit', async () => {
    const calls = [delegate('d1', 'piece 1'), delegate('d2', 'piece 2')]
    const { model, peak } = meeting([{ calls }, { text: 'ok' }], 1)
    const t = await talkWith(model)
    const events = await t.say('go')
    expect(peak()).toBe(1)
    expect(events.flatMap((event) => (event.event === 'result' ? [event.id] : []))).toEqual(['d1', 'd2'])
  })
})

describe('the rules of a session', () => {
  it('count what a delegated conversation does', async () => {
    const rules = [{ tool: 'read_file', type: 'MaxCalls', max: 2 }]
    const t = await talk(
      [{ calls: [read('c0'), delegate('d1', 'reading')] }, { calls: [read('c9')] }, { text: 'ok' }],
      {
        config: { 'tools.rules': rules },
        delegates: { reading: [{ calls: [read('c1')] }, { calls: [read('c2')] }, { text: 'Done.' }] },
      },
    )
    expect(outcomes(await t.say('go'))).toEqual(['ok', 'ok', 'rule_violation', 'ok', 'rule_violation'])
  })
})

describe('without a conversation', () => {
  it('delegate is refused in words, whoever calls it, and is not offered to others', async () => {
    const t = await talk([])
    for (const origin of ['person', 'model'] as const) {
      const [row] = await t.runtime.run([delegate('d1', 'look')], { origin })
      expect(row).toMatchObject({ ok: false, error: { code: 'not_allowed' } })
      expect(row?.content).toContain('only in a conversation with a model')
    }
    expect(t.runtime.offered().map(({ name }) => name)).not.toContain('delegate')
    expect(t.runtime.advertised().map(({ name }) => name)).toContain('delegate')
  })
})
