import { describe, expect, it } from 'vitest'
import { capacityBytes, estimateTokens } from '../../src/agent/context/capacity.ts'
import type { RuntimeOptions } from '../../src/runtime/create-runtime.ts'
import { bench } from '../bench-folder.ts'
import { agreed, call, kinds, outcomes, read, scripted, stopOf, talk as open, talkWith } from './talk.ts'
import type { Turn } from './talk.ts'

const talk = (
  turns: readonly Turn[],
  options: Partial<RuntimeOptions> = {},
  protocol: 'native' | 'fenced' | 'auto' = 'auto',
) => open(turns, { ...options, talk: { protocol } })

describe('the loop', () => {
  it('IT-E2E-01, FR-MODE-03, FR-RES-02: a model asks, the tool runs, and the same model goes on with the result', async () => {
    const t = await talk([{ text: 'Looking.', calls: [read('c1')] }, { text: 'It says alpha.' }])
    const events = await t.say('what is in a.txt?')
    expect(kinds(events)).toEqual(['turn', 'text', 'call', 'result', 'text', 'done'])
    expect(stopOf(events)).toEqual(['end'])
    expect(t.requests).toHaveLength(2)
    expect(t.requests[1]?.messages.at(-1)).toEqual({
      role: 'tool',
      results: [{ id: 'c1', name: 'read_file', content: 'alpha\n', isError: false }],
    })
  })

  it('FR-RES-01, FR-RES-01a, SRD/§8.1: text, then all uses in order, then all results in the same order, nothing between', async () => {
    const t = await talk([
      { text: 'Both.', calls: [read('x'), call('y', 'nope', {}), read('z')] },
      { text: 'ok' },
    ])
    await t.say('go')
    const [user, assistant, tool] = t.requests[1]?.messages ?? []
    expect(user).toEqual({ role: 'user', text: 'go' })
    expect(assistant).toMatchObject({
      role: 'assistant',
      parts: [{ type: 'text', text: 'Both.' }, { id: 'x' }, { id: 'y' }, { id: 'z' }],
    })
    expect(tool).toMatchObject({
      role: 'tool',
      results: [
        { id: 'x', isError: false },
        { id: 'y', isError: true },
        { id: 'z', isError: false },
      ],
    })
  })

  it('FR-RES-01a: calls stand in the order in which the model began them, whichever was complete first', async () => {
    const script = scripted([])
    let count = 0
    const t = await talkWith({
      ...script,
      stream: async function* () {
        count += 1
        if (count === 1) {
          yield { type: 'call_start', id: 'x', name: 'read_file' }
          yield { type: 'call_start', id: 'y', name: 'read_file' }
          yield { type: 'call_end', id: 'y', argsText: '{"path":"a.txt"}' }
          yield { type: 'text', text: 'Both.' }
          yield { type: 'call_end', id: 'x', argsText: '{"path":"a.t' }
        }
        yield { type: 'end', reason: 'stop' }
      },
    })
    const events = await t.say('go')
    expect(outcomes(events)).toEqual(['bad_args', 'ok'])
    expect(events.flatMap((event) => (event.event === 'call' ? [event.id] : []))).toEqual(['x', 'y'])
  })

  it.for(['length', 'refused', 'other', 'stop'] as const)(
    'tells with the end of the turn that its last message ended for %s',
    async (reason) => {
      const t = await talkWith({
        ...scripted([]),
        stream: async function* () {
          yield { type: 'text', text: 'Well, ' }
          yield { type: 'end', reason }
        },
      })
      const events = await t.say('go')
      expect(stopOf(events)).toEqual(['end'])
      expect(events.at(-1)).toHaveProperty('usage')
      if (reason === 'stop') expect(events.at(-1)).not.toHaveProperty('cut')
      else expect(events.at(-1)).toHaveProperty('cut', reason)
    },
  )

  it('takes no turn without words', async () => {
    const t = await talk([{ text: 'ok' }])
    expect(await t.say(' \n')).toMatchObject([{ event: 'error', code: 'empty_prompt' }])
    expect(t.requests).toEqual([])
    expect(stopOf(await t.say('go'))).toEqual(['end'])
  })

  it('SRD/§8.2: a batch that is denied altogether goes back to the model like any other', async () => {
    const t = await talk([{ calls: [call('1', 'read_file', { path: '../x' })] }, { text: 'I see.' }])
    expect(stopOf(await t.say('go'))).toEqual(['end'])
    expect(t.requests[1]?.messages.at(-1)).toMatchObject({ results: [{ isError: true }] })
  })

  it('FR-LIM-02, FR-RES-03: after four rounds calls are refused, the model hears it once more, and then the turn ends', async () => {
    const t = await talk(
      Array.from({ length: 12 }, (_, index) => ({ calls: [read(`c${index}`)] })),
      { profile: 'strict', config: { 'tools.mode': 'enabled' } },
    )
    const events = await t.say('go')
    const results = events.flatMap((event) =>
      event.event === 'result' ? [event.ok ? 'ok' : event.error.message] : [],
    )
    expect(results).toEqual([
      'ok',
      'ok',
      'ok',
      'ok',
      'Max tool iterations reached',
      'Max tool iterations reached',
    ])
    expect(stopOf(events)).toEqual(['max_iterations'])
  })

  it('FR-MODE-01: disabled tools are not advertised, and calls are refused', async () => {
    const t = await talk([{ calls: [read('1')] }, { text: 'ok' }], { config: { 'tools.mode': 'disabled' } })
    const events = await t.say('go')
    expect(t.requests[0]?.tools).toEqual([])
    expect(
      events.flatMap((event) => (event.event === 'result' && !event.ok ? [event.error.code] : [])),
    ).toEqual(['disabled'])
  })

  it('FR-MODE-02, T-MODE-02: under parse_only calls are shown and held, and none runs', async () => {
    const t = await talk([{ calls: [call('1', 'write_file', { path: 'n.txt', content: 'x' })] }], {
      ...agreed,
      config: { 'tools.mode': 'parse_only' },
    })
    const events = await t.say('go')
    expect(t.requests[0]?.tools.length).toBeGreaterThan(3)
    expect(stopOf(events)).toEqual(['held'])
    expect(
      events.flatMap((event) => (event.event === 'result' && !event.ok ? [event.error.code] : [])),
    ).toEqual(['held'])
  })

  it('FR-REG-03a, CFG-TOOLS-02a: a model is told about the tools of the registry and no others', async () => {
    const t = await talk([{ text: 'hi' }])
    await t.say('go')
    const told = t.requests[0]?.tools.map(({ name }) => name) ?? []
    expect(told).toEqual(t.runtime.advertised().map(({ name }) => name))
    const known = t.runtime.definitions().map(({ name }) => name)
    expect(known).toEqual(expect.arrayContaining(told))
    expect(told.length).toBeGreaterThan(5)
    expect(told.length).toBeLessThan(known.length)
  })
})

describe('what is on record', () => {
  it('FR-RES-04a: a call is written down while the message that makes it is still coming in', async () => {
    const t = await talk([{ text: 'one', calls: [read('c1')] }, { text: 'two' }])
    await t.say('go')
    const order = [...t.runtime.log({ session: 's' })].map(({ entry }) =>
      entry.kind === 'said' ? entry.role : entry.kind,
    )
    expect(order.filter((kind) => kind !== 'note')).toEqual([
      'user',
      'drafted',
      'streamed',
      'assistant',
      'batch',
      'settled',
      'tool',
      'drafted',
      'assistant',
    ])
  })

  it('FR-RES-04a: so is a call in a block, as soon as the line that ends it is whole, however it comes in', async () => {
    const block = `Look:\n\`\`\`tool-call\n${JSON.stringify(read('c1'))}\n\`\`\`\nand `
    const seen: number[] = []
    const t = await talkWith(
      {
        ...scripted([]),
        stream: async function* ({ messages }) {
          for (const sign of messages.length === 1 ? block : 'Done.') {
            yield { type: 'text', text: sign }
            seen.push(
              [...t.runtime.log({ session: 's' })].filter(({ entry }) => entry.kind === 'streamed').length,
            )
          }
          yield { type: 'end', reason: 'stop' }
        },
      },
      { talk: { protocol: 'fenced' } },
    )
    expect(outcomes(await t.say('go'))).toEqual(['ok'])
    expect(seen.indexOf(1)).toBe(block.lastIndexOf('\n'))
    expect(seen.at(-1)).toBe(1)
  })

  it('approvals that wait end the turn, and it goes on from the same call once they are answered', async () => {
    const t = await talk(
      [{ calls: [call('w', 'write_file', { path: 'n.txt', content: 'n\n' })] }, { text: 'written' }],
      { approve: 'later' },
    )
    const first = await t.say('write')
    expect(stopOf(first)).toEqual(['approval_pending'])
    expect(kinds(first)).toContain('approval')
    expect(stopOf(await t.say(null))).toEqual(['approval_pending'])
    await t.runtime.decide('all', { isApproved: true })
    const second = await t.say(null)
    expect(stopOf(second)).toEqual(['end'])
    expect(t.requests).toHaveLength(2)
    expect(t.requests[1]?.messages.at(-1)).toMatchObject({
      role: 'tool',
      results: [{ id: 'w', isError: false }],
    })
  })
})

describe('approvals that nobody gives in time', () => {
  it.for([true, false])(
    'are denied when the turn goes on, and the rest of the batch runs (reopened: %s)',
    async (isReopened) => {
      const b = bench({ 'a.txt': 'alpha\n' })
      const options = {
        in: b,
        durability: 'normal',
        approve: 'later',
        config: { 'tools.approval.pending_seconds': 0.001 },
      } as const
      const turns = [
        { calls: [call('w', 'write_file', { path: 'n.txt', content: 'n' }), read('r')] },
        { text: 'oh' },
      ]
      let t = await open(turns, options)
      expect(stopOf(await t.say('write'))).toEqual(['approval_pending'])
      await new Promise((resolve) => setTimeout(resolve, 20))
      if (isReopened) {
        await t.runtime.close()
        t = await open(turns, options)
        expect(t.conversation.state()).toBe('idle')
      }
      const events = await t.say(null)
      expect([outcomes(events), stopOf(events)]).toEqual([['approval_denied', 'ok'], ['end']])
    },
  )
})

describe('fenced calls', () => {
  it('F-CONV, F-TEST-loop: a call in a block is run, its result comes back in a block, and the model uses it', async () => {
    const block = '```tool-call\n{"id":"c2","name":"read_file","args":{"path":"a.txt"}}\n```'
    const t = await talk([{ text: block }, { text: 'Done.' }], {}, 'fenced')
    const events = await t.say('go')
    expect(kinds(events)).toEqual(['turn', 'text', 'call', 'result', 'text', 'done'])
    expect(t.requests[0]?.tools).toEqual([])
    const told = t.requests[1]?.messages.at(-1)
    expect(told?.role === 'user' ? told.text : '').toMatch(/^```tool-result\n[\s\S]*"alpha\\n"/)
  })

  it.each([
    ['without arguments', '{"id":"c2","name":"read_file"}', 'c2', 'args is missing'],
    ['that is no JSON', '{"id":"c2","name":', 'block-1', 'the block is not valid JSON'],
    ['with two objects', '{"id":"a","name":"glob","args":{}} {}', 'block-1', 'one block holds one object'],
    ['without a name', '{"id":"c2","args":{}}', 'c2', 'name is missing'],
  ])(
    'F-TEST-dispatch-malformed, F-TEST-dispatch-contract: a block %s is answered with an error a program can read',
    async (_what, body, id, why) => {
      const t = await talk([{ text: `\`\`\`tool-call\n${body}\n\`\`\`` }, { text: 'Sorry.' }], {}, 'fenced')
      const events = await t.say('go')
      const failed = events.flatMap((event) => (event.event === 'result' && !event.ok ? [event] : []))
      expect(failed.map((event) => [event.id, event.error.code, event.error.type])).toEqual([
        [id, 'bad_args', 'validation-error'],
      ])
      expect(failed[0]?.error.message).toContain(why)
    },
  )

  it('F-TEST-dispatch-route: each call reaches its own tool with checked arguments', async () => {
    const block = (id: string, name: string, args: object) =>
      `\`\`\`tool-call\n${JSON.stringify({ id, name, args })}\n\`\`\``
    const t = await talk(
      [
        {
          text: `${block('1', 'read_file', { path: 'a.txt' })}\n${block('2', 'list_directory', { path: '.' })}\n${block('3', 'read_file', { pth: 'x' })}`,
        },
        { text: 'ok' },
      ],
      {},
      'fenced',
    )
    const events = await t.say('go')
    expect(
      events.flatMap((event) => (event.event === 'result' ? [[event.id, event.name, event.ok]] : [])),
    ).toEqual([
      ['1', 'read_file', true],
      ['2', 'list_directory', true],
      ['3', 'read_file', false],
    ])
  })
})

describe('the number of fenced calls', () => {
  it('F-PROTO-ONE, FR-LIM-06: blocks beyond tools.fenced.max_calls are over the limit, the others run', async () => {
    const block = (id: string) =>
      `\`\`\`tool-call\n{"id":"${id}","name":"read_file","args":{"path":"a.txt"}}\n\`\`\``
    const t = await talk(
      [{ text: ['1', '2', '3'].map(block).join('\n') }, { text: 'ok' }],
      { config: { 'tools.fenced.max_calls': 2 } },
      'fenced',
    )
    const events = await t.say('go')
    expect(
      events.flatMap((event) =>
        event.event === 'result' ? [[event.id, event.ok ? 'ok' : event.error.code]] : [],
      ),
    ).toEqual([
      ['1', 'ok'],
      ['2', 'ok'],
      ['3', 'limit_exceeded'],
    ])
  })
})

describe('capacity', () => {
  it('FR-REG-04b: spare tokens make four bytes each, and 64 KB where nobody knows', () => {
    const reserve = { responseTokens: 4096, marginTokens: 1024 }
    expect(capacityBytes(100_000, 40_000, reserve, 65_536)).toBe((100_000 - 40_000 - 4096 - 1024) * 4)
    expect(capacityBytes(10_000, 40_000, reserve, 65_536)).toBe(0)
    expect(capacityBytes(null, 40_000, reserve, 65_536)).toBe(65_536)
  })

  it('a token is guessed for every three characters of prompt, messages and tools, and for what is left over', () => {
    const emptyLists = '[][]'.length
    expect(estimateTokens('x'.repeat(300 - emptyLists), [])).toBe(100)
    expect(estimateTokens('x'.repeat(301 - emptyLists), [])).toBe(101)
    expect(estimateTokens('', [{ role: 'user', text: 'x'.repeat(271) }])).toBe(100)
    expect(estimateTokens('', [], [{ name: 't', description: 'x'.repeat(250), inputSchema: {} }])).toBe(100)
  })

  it('letters beyond ASCII count with all their bytes', () => {
    const emptyLists = '[][]'.length
    expect(estimateTokens(`${'\u6f22'.repeat(98)}xx`.slice(0), [])).toBe(
      Math.ceil((98 * 3 + 2 + emptyLists) / 3),
    )
    expect(estimateTokens('', [{ role: 'user', text: '\u00e9'.repeat(90) }])).toBeGreaterThan(
      estimateTokens('', [{ role: 'user', text: 'e'.repeat(90) }]) + 25,
    )
  })
})
