import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Conversation, ConversationOptions } from '../../../src/agent/conversation.ts'
import { isTurnEvent } from '../../../src/agent/events.ts'
import { LOOP_MOVES } from '../../../src/agent/loop/loop-state.ts'
import { openConversation } from '../../../src/agent/open-conversation.ts'
import { agreed, call, errorsOf, outcomes, read, scripted, stopOf, talk, write } from '../talk.ts'

describe('words in between', () => {
  it('skip the calls that have not begun, and are the next thing the model hears', async () => {
    const t = await talk(
      [{ calls: [read('1'), write('2'), write('3', 'm.txt')] }, { text: 'As you like.' }],
      agreed,
    )
    const events = []
    for await (const event of t.conversation.send('go')) {
      events.push(event)
      if (event.event === 'result' && event.id === '1') expect(t.conversation.steer('not that')).toBe(true)
    }
    expect(outcomes(events)).toEqual(['ok', 'skipped', 'skipped'])
    expect(stopOf(events)).toEqual(['end'])
    expect(existsSync(join(t.b.root, 'n.txt'))).toBe(false)
    expect(t.requests[1]?.messages.slice(-2)).toMatchObject([
      { role: 'tool', results: [{ isError: false }, { isError: true }, { isError: true }] },
      { role: 'user', text: 'not that' },
    ])
    const turns = new Set(
      [...t.runtime.log({ session: 's' })].flatMap(({ entry }) =>
        entry.kind === 'said' ? [entry.turn] : [],
      ),
    )
    expect(turns.size).toBe(1)
  })

  it('make a model that was done go on', async () => {
    const t = await talk([{ text: 'Done.' }, { text: 'That too.' }])
    const events = []
    for await (const event of t.conversation.send('go')) {
      events.push(event)
      if (event.event === 'text' && event.text === 'Done.') t.conversation.steer('and the rest')
    }
    expect(events.flatMap((event) => (event.event === 'text' ? [event.text] : []))).toEqual([
      'Done.',
      'That too.',
    ])
    expect(t.requests[1]?.messages.at(-1)).toEqual({ role: 'user', text: 'and the rest' })
  })

  it('are not lost where the turn ends before they can be heard', async () => {
    const t = await talk([{ calls: [read('1'), read('2')] }, { text: 'ok' }])
    for await (const event of t.conversation.send('go')) {
      if (event.event !== 'result' || event.id !== '1') continue
      t.conversation.steer('and then stop')
      t.conversation.cancel()
    }
    await t.say(null)
    expect(t.requests[1]?.messages.at(-1)).toEqual({ role: 'user', text: 'and then stop' })
  })

  it('said before the calls keep people from being asked about them', async () => {
    const t = await talk([{ text: 'Writing.', calls: [write('1')] }, { text: 'ok' }], { approve: 'later' })
    const events = []
    for await (const event of t.conversation.send('go')) {
      events.push(event)
      if (event.event === 'text' && event.text === 'Writing.') t.conversation.steer('rather not')
    }
    expect([outcomes(events), stopOf(events)]).toEqual([['skipped'], ['end']])
    expect(t.requests[1]?.messages.at(-1)).toEqual({ role: 'user', text: 'rather not' })
  })

  it('are not taken where no turn is at work', async () => {
    const t = await talk([{ text: 'hi' }])
    expect(t.conversation.steer('hello?')).toBe(false)
    await t.say('go')
    expect(t.requests[0]?.messages).toHaveLength(1)
  })
})

describe('cancelling', () => {
  it('FR-EXE-04: in the middle of a batch gives the rest their results, and the next turn tells the model', async () => {
    const t = await talk([{ text: 'Both.', calls: [read('1'), read('2')] }, { text: 'Back.' }])
    const events = []
    for await (const event of t.conversation.send('go')) {
      events.push(event)
      if (event.event === 'result') t.conversation.cancel()
    }
    expect(outcomes(events)).toEqual(['ok', 'cancelled'])
    expect(stopOf(events)).toEqual(['cancelled'])
    expect(t.conversation.state()).toBe('idle')
    expect(stopOf(await t.say('again'))).toEqual(['end'])
    expect(t.requests.at(-1)?.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'user'])
  })

  it('while the model speaks keeps what it said, and its calls get results without running', async () => {
    const t = await talk(
      [{ text: 'I will write.', calls: [write('1'), write('2', 'm.txt')] }, { text: 'ok' }],
      agreed,
    )
    const events = []
    for await (const event of t.conversation.send('go')) {
      events.push(event)
      if (event.event === 'text') t.conversation.cancel()
    }
    expect(stopOf(events)).toEqual(['cancelled'])
    expect(existsSync(join(t.b.root, 'n.txt'))).toBe(false)
    await t.say('and?')
    expect(t.requests.at(-1)?.messages).toMatchObject([
      { role: 'user', text: 'go' },
      { role: 'assistant', parts: [{ text: 'I will write.' }] },
      { role: 'user', text: 'and?' },
    ])
    expect(await t.conversation.recovery()).toBeNull()
  })

  it('before the model is asked ends the turn at once, and the words are kept', async () => {
    const t = await talk([{ text: 'ok' }])
    const events = []
    for await (const event of t.conversation.send('go', { signal: AbortSignal.abort() })) events.push(event)
    expect(stopOf(events)).toEqual(['cancelled'])
    expect(stopOf(await t.say('and now?'))).toEqual(['end'])
    expect(t.requests.at(-1)?.messages).toEqual([
      { role: 'user', text: 'go' },
      { role: 'user', text: 'and now?' },
    ])
  })

  it('happens by itself where the listener leaves, and the session can be used again', async () => {
    const t = await talk([{ calls: [read('1'), read('2')] }, { text: 'ok' }])
    for await (const event of t.conversation.send('go')) if (event.event === 'call') break
    expect(await t.conversation.recovery()).toBeNull()
    expect(stopOf(await t.say('again'))).toEqual(['end'])
  })

  it('a second turn meanwhile is refused', async () => {
    const t = await talk([{ text: 'hi' }, { text: 'ho' }])
    for await (const event of t.conversation.send('go'))
      if (event.event === 'turn') expect(errorsOf(await t.say('me too'))).toEqual(['busy'])
    expect(stopOf(await t.say('now'))).toEqual(['end'])
  })

  it('a second turn of the same session is refused also through another conversation, and words are wanted', async () => {
    const t = await talk([{ calls: [read('1')] }, { text: 'hi' }, { text: 'ho' }])
    const { runtime } = t
    const other = await openConversation({ runtime, model: scripted([{ text: 'me' }]), session: 's' })
    const elsewhere = await openConversation({ runtime, model: scripted([{ text: 'me' }]), session: 'other' })
    const hear = async (from: Conversation) => {
      const events = []
      for await (const event of from.send('me too')) events.push(event)
      return events
    }
    for await (const event of t.conversation.send('go')) {
      if (event.event !== 'turn') continue
      expect(errorsOf(await hear(other))).toEqual(['busy'])
      expect(stopOf(await hear(elsewhere))).toEqual(['end'])
    }
    expect(stopOf(await hear(other))).toEqual(['end'])
  })
})

it('a conversation that is opened without what it needs says so', async () => {
  const { runtime } = await talk([])
  const model = scripted([])
  for (const options of [
    undefined,
    {},
    { runtime, model },
    { runtime, session: 's' },
    { model, session: 's' },
  ])
    await expect(openConversation(options as ConversationOptions)).rejects.toThrow(
      /needs \{ runtime, model, session \}/,
    )
})

describe('the states of the loop', () => {
  it('SRD/§8.2: a turn goes from idle to streaming, to its tools, back to streaming, and to idle', async () => {
    const t = await talk([{ calls: [read('1')] }, { text: 'ok' }])
    expect(t.conversation.state()).toBe('idle')
    const events = await t.sayAll('go')
    expect(events.flatMap((event) => (event.event === 'state' ? [event.state] : []))).toEqual([
      'streaming',
      'tool_loop',
      'streaming',
      'idle',
    ])
    expect(events.filter((event) => !isTurnEvent(event)).length).toBeGreaterThan(4)
  })

  it('waits where a person has to answer', async () => {
    const t = await talk([{ calls: [write('1')] }], { approve: 'later' })
    await t.say('go')
    expect(t.conversation.state()).toBe('waiting')
  })

  it('moves only as the table says, also over answers and cancelled turns', async () => {
    const t = await talk(
      [
        { calls: [write('1')] },
        { text: 'ok' },
        { calls: [read('2'), read('3')] },
        { text: 'ok' },
        { text: 'ok' },
      ],
      { approve: 'later' },
    )
    const seen = [t.conversation.state()]
    const follow = async (prompt: string | null, isStopped = false) => {
      for await (const event of t.conversation.watch(prompt)) {
        if (event.event === 'state') seen.push(event.state)
        if (event.event === 'result' && isStopped) t.conversation.cancel()
      }
    }
    await follow('write')
    await t.runtime.decide('all', { isApproved: true })
    await follow(null)
    await follow('read', true)
    await follow('once more')
    expect(new Set(seen)).toEqual(new Set(['idle', 'streaming', 'tool_loop', 'waiting']))
    for (const [index, state] of seen.slice(1).entries()) {
      const before = seen[index]
      if (before !== undefined) expect(Object.values(LOOP_MOVES[before])).toContain(state)
    }
  })

  it('is one table: every move leads to a state that is in it', () => {
    for (const moves of Object.values(LOOP_MOVES))
      for (const state of Object.values(moves)) expect(Object.keys(LOOP_MOVES)).toContain(state)
  })
})

describe('another model', () => {
  it('goes on with the same conversation', async () => {
    const t = await talk([{ calls: [call('1', 'glob', { patterns: ['*'] })] }, { text: 'one' }])
    await t.say('go')
    const asked: unknown[] = []
    t.conversation.setModel({
      id: 'compatible/other',
      hasTools: false,
      contextTokens: null,
      async *stream(request) {
        asked.push(request)
        yield { type: 'text', text: 'two' }
        yield { type: 'end', reason: 'stop' }
      },
    })
    const events = await t.say('and now?')
    expect(events[0]).toMatchObject({ event: 'turn', model: 'compatible/other' })
    // It has no tools, so it is told about the earlier calls in text.
    expect(asked).toMatchObject([
      {
        tools: [],
        messages: [{}, { role: 'assistant', parts: [{ type: 'text' }] }, { role: 'user' }, {}, {}],
      },
    ])
    expect(JSON.stringify(asked)).toContain('tool-result')
  })
})
