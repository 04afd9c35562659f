import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readToolLine } from '../../src/agent/loop/held-calls.ts'
import { agreed, call, outcomes, read, stopOf, talk, write } from './talk.ts'

const parseOnly = { ...agreed, config: { 'tools.mode': 'parse_only' } }
const described = {
  name: 'ask_boss',
  description: 'Asks the boss.',
  parameters: { type: 'object', properties: { what: { type: 'string' } }, required: ['what'] },
}

describe('a call that is held', () => {
  it('FR-MODE-02, T-MODE-02: waits for a person, and the model goes on with what the person says it came to', async () => {
    const t = await talk([{ calls: [write('1'), read('2')] }, { text: 'I see.' }], parseOnly)
    expect(stopOf(await t.say('go'))).toEqual(['held'])
    expect(t.conversation.held()).toMatchObject([
      { id: '1', name: 'write_file', args: { path: 'n.txt' }, isAnswered: false },
      { id: '2', name: 'read_file', isAnswered: false },
    ])
    expect(t.conversation.state()).toBe('waiting')
    expect(t.conversation.answerTool('1', { result: 'written by hand' })).toEqual({
      ok: true,
      received: 1,
      expected: 2,
    })
    expect(stopOf(await t.say(null))).toEqual(['held'])
    expect(t.requests).toHaveLength(1)
    expect(t.conversation.answerTool('2', { error: 'no such file here' })).toMatchObject({
      received: 2,
      expected: 2,
    })
    expect(stopOf(await t.say(null))).toEqual(['end'])
    expect(t.requests[1]?.messages.at(-1)).toEqual({
      role: 'tool',
      results: [
        { id: '1', name: 'write_file', content: 'written by hand', isError: false },
        { id: '2', name: 'read_file', content: 'read_file failed: no such file here', isError: true },
      ],
    })
    expect(existsSync(join(t.b.root, 'n.txt'))).toBe(false)
  })

  it('is listed again when a turn is continued without its result, and among what waits', async () => {
    const t = await talk([{ calls: [write('1'), read('2')] }, { text: 'I see.' }], parseOnly)
    await t.say('go')
    t.conversation.answerTool('1', { result: 'written by hand' })
    const events = await t.say(null)
    expect(events).toMatchObject([
      { event: 'call', id: '2', name: 'read_file', args: { path: 'a.txt' } },
      { event: 'error', code: 'held', message: expect.stringContaining('Waiting: 2.') as string },
      { event: 'done', stop: 'held' },
    ])
    expect(await t.runtime.held()).toMatchObject([
      { session: 's', id: '2', name: 'read_file', args: { path: 'a.txt' } },
    ])
    expect(await t.runtime.held({ session: 'other' })).toEqual([])
  })

  it('has one result: a second answer, or one to a call that is not held, is refused and says what waits', async () => {
    const t = await talk([{ calls: [read('1'), read('2')] }, { text: 'ok' }], parseOnly)
    await t.say('go')
    t.conversation.answerTool('1', { result: 'x' })
    expect(t.conversation.answerTool('1', { result: 'y' })).toEqual({
      ok: false,
      message: '1 already has its result. Waiting: 2.',
    })
    expect(t.conversation.answerTool('9', { result: 'y' })).toMatchObject({ ok: false })
    const settled = [...t.runtime.log({ session: 's' })].filter(({ entry }) => entry.kind === 'settled')
    expect(settled).toHaveLength(1)
    const verified = await t.runtime.verify({ session: 's' })
    expect(verified.ok).toBe(true)
  })

  it('is no interruption, also after a restart', async () => {
    const t = await talk([{ calls: [read('1')] }, { text: 'ok' }], { ...parseOnly, durability: 'normal' })
    await t.say('go')
    await t.runtime.close()
    const again = await talk([{ calls: [read('1')] }, { text: 'ok' }], {
      ...parseOnly,
      durability: 'normal',
      in: t.b,
    })
    expect(await again.runtime.recover({ session: 's' })).toEqual([])
    expect(again.conversation.held()).toHaveLength(1)
    again.conversation.answerTool('1', { result: 'alpha' })
    expect(stopOf(await again.say(null))).toEqual(['end'])
  })

  it('is found also where calls of a person wait in the same session', async () => {
    const t = await talk([{ calls: [read('1')] }, { text: 'ok' }], { ...parseOnly, approve: 'later' })
    await t.say('go')
    await t.runtime.run([write('w')], { session: 's' })
    expect(t.conversation.held().map(({ id }) => id)).toEqual(['1'])
    t.conversation.answerTool('1', { result: 'alpha' })
    expect(stopOf(await t.say(null))).toEqual(['end'])
    expect(await t.runtime.pending({ session: 's' })).toHaveLength(1)
  })

  it('keeps other words from being taken, and says so', async () => {
    const t = await talk([{ calls: [read('1')] }, { text: 'ok' }], parseOnly)
    await t.say('go')
    const events = await t.say('something else')
    expect(stopOf(events)).toEqual(['held'])
    expect(events.find(({ event }) => event === 'error')).toMatchObject({ code: 'held' })
  })
})

describe('a tool that is only described', () => {
  it('CFG-TOOLS-02: is told to the model where calls are held, and a person answers it', async () => {
    const t = await talk([{ calls: [call('1', 'ask_boss', { what: 'more money' })] }, { text: 'Oh.' }], {
      config: { 'tools.mode': 'parse_only', 'tools.definitions': [described] },
    })
    expect(stopOf(await t.say('go'))).toEqual(['held'])
    expect(t.requests[0]?.tools).toContainEqual({
      name: 'ask_boss',
      description: 'Asks the boss.',
      inputSchema: described.parameters,
    })
    expect(t.conversation.answerTool('1', { result: 'no' })).toMatchObject({ ok: true })
    await t.say(null)
    expect(t.requests[1]?.messages.at(-1)).toMatchObject({ results: [{ content: 'no', isError: false }] })
  })

  it('CFG-TOOLS-02, CFG-TOOLS-02a: in enabled mode is told only where it is named, and then the other calls run', async () => {
    const calls = [read('1'), call('2', 'ask_boss', { what: 'x' })]
    const silent = await talk([{ calls }, { text: 'ok' }], { config: { 'tools.definitions': [described] } })
    expect(outcomes(await silent.say('go'))).toEqual(['ok', 'unknown_tool'])
    expect(silent.requests[0]?.tools.map(({ name }) => name)).not.toContain('ask_boss')
    const named = await talk([{ calls }, { text: 'ok' }], {
      config: { 'tools.definitions': [described], 'tools.advertise': ['read_file', 'ask_boss'] },
    })
    expect(outcomes(await named.say('go'))).toEqual(['ok', 'held'])
    expect(named.requests[0]?.tools.map(({ name }) => name)).toEqual(['ask_boss', 'read_file'])
    named.conversation.answerTool('2', { result: 'fine' })
    expect(stopOf(await named.say(null))).toEqual(['end'])
  })
})

describe('the line that answers a call', () => {
  it.for([
    ['/tool c1 it is fine', 'c1', { result: 'it is fine' }],
    ['/tool c1 two\nlines', 'c1', { result: 'two\nlines' }],
    ['/tool error c1 it broke', 'c1', { error: 'it broke' }],
    ['/tool error text', 'error', { result: 'text' }],
    ['/tool c1', 'c1', { result: '' }],
  ] as const)('%j', ([line, id, answer]) => {
    expect(readToolLine(line)).toEqual({ id, answer })
  })

  it('is not any other line', () => {
    expect(readToolLine('please /tool c1 x')).toBeNull()
    expect(readToolLine('/tools')).toBeNull()
  })
})
