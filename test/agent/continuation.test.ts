import { describe, expect, it } from 'vitest'
import { call, kinds, outcomes, read, stopOf, talk } from './talk.ts'

const rule = (tool: string, type: string, more: object = {}) => ({ tool, type, ...more })
const listing = (id: string, more: object = {}) => call(id, 'list_directory', { path: '.', ...more })

describe('what goes on after a batch', () => {
  it('P-HB: under heartbeat the turn rests unless a call asks for more', async () => {
    const config = { 'tools.continuation': 'heartbeat' }
    const resting = await talk([{ calls: [read('1')] }, { text: 'never' }], { config })
    expect(stopOf(await resting.say('go'))).toEqual(['end'])
    expect(resting.requests).toHaveLength(1)
    const asking = await talk(
      [{ calls: [call('1', 'read_file', { path: 'a.txt', request_heartbeat: true })] }, { text: 'more' }],
      { config },
    )
    expect(stopOf(await asking.say('go'))).toEqual(['end'])
    expect(asking.requests).toHaveLength(2)
  })

  it('P-HB: what rested has its results on record, and the next words go on from there', async () => {
    const t = await talk([{ calls: [read('1')] }, { text: 'more' }], {
      config: { 'tools.continuation': 'heartbeat' },
    })
    await t.say('go')
    await t.say('and?')
    expect(t.requests[1]?.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'user'])
  })

  it('P-HB: a heartbeat begins a new pass, so what was done before it counts for order no more', async () => {
    const beat = (id: string) => call(id, 'read_file', { path: 'a.txt', request_heartbeat: true })
    const config = {
      'tools.continuation': 'heartbeat',
      'tools.rules': [rule('list_directory', 'RequiresPrecedingTools', { tools: ['read_file'] })],
    }
    const apart = await talk([{ calls: [beat('1')] }, { calls: [listing('2')] }], { config })
    expect(outcomes(await apart.say('go'))).toEqual(['ok', 'rule_violation'])
    const together = await talk([{ calls: [read('1')] }, { calls: [listing('2')] }, { text: 'ok' }], {
      config: { ...config, 'tools.continuation': 'always' },
    })
    expect(outcomes(await together.say('go'))).toEqual(['ok', 'ok'])
  })

  it('P-RULE-ContinueLoop: a tool with the rule goes on without being asked', async () => {
    const t = await talk([{ calls: [read('1')] }, { text: 'more' }], {
      config: { 'tools.continuation': 'heartbeat', 'tools.rules': [rule('read_file', 'ContinueLoop')] },
    })
    await t.say('go')
    expect(t.requests).toHaveLength(2)
  })

  it('P-RULE-ExitLoop, P-EXITCHK: a tool with the rule ends the turn once it succeeds, and not before', async () => {
    const config = { 'tools.rules': [rule('read_file', 'ExitLoop')] }
    const t = await talk(
      [{ calls: [call('1', 'read_file', { path: 'missing' })] }, { calls: [read('2')] }, { text: 'never' }],
      { config },
    )
    const events = await t.say('go')
    expect(outcomes(events)).toEqual(['execution_failed', 'ok'])
    expect(stopOf(events)).toEqual(['end'])
    expect(t.requests).toHaveLength(2)
  })
})

describe('what must come before the end', () => {
  it('P-RULE-RequiredBeforeExit, P-EXIT: the model is told twice, and then the runtime does it', async () => {
    const t = await talk([{ text: 'Done.' }, { text: 'Really.' }, { text: 'I insist.' }, { text: 'never' }], {
      config: { 'tools.rules': [rule('list_files', 'RequiredBeforeExit')] },
    })
    const events = await t.say('go')
    expect(kinds(events)).toEqual(['turn', 'text', 'text', 'text', 'call', 'result', 'done'])
    expect(events.at(-2)).toMatchObject({ name: 'list_files', ok: true, origin: 'runtime' })
    expect(events.slice(1, 4)).toEqual([
      { event: 'text', text: 'Done.' },
      { event: 'text', text: 'Really.', another: true },
      { event: 'text', text: 'I insist.', another: true },
    ])
    expect(stopOf(events)).toEqual(['end'])
    const [, first, second] = t.requests.map(({ messages }) => messages.at(-1))
    expect(first).toMatchObject({ role: 'user', text: expect.stringContaining('list_files') })
    expect(second).not.toEqual(first)
  })

  it('P-RULE-RequiredBeforeExit: a model that complies is let go', async () => {
    const t = await talk(
      [{ text: 'Done.' }, { calls: [listing('1')] }, { text: 'Now.' }, { text: 'never' }],
      {
        config: { 'tools.rules': [rule('list_directory', 'RequiredBeforeExit')] },
      },
    )
    const events = await t.say('go')
    expect(stopOf(events)).toEqual(['end'])
    expect(outcomes(events)).toEqual(['ok'])
    expect(t.requests).toHaveLength(3)
  })

  it('P-RULE-RequiredBeforeExitIf: is wanted only after what it goes with', async () => {
    const config = {
      'tools.rules': [rule('list_directory', 'RequiredBeforeExitIf', { tools: ['read_file'] })],
    }
    const free = await talk([{ text: 'Done.' }], { config })
    expect(stopOf(await free.say('go'))).toEqual(['end'])
    expect(free.requests).toHaveLength(1)
    const bound = await talk(
      [{ calls: [read('1')] }, { text: 'Done.' }, { calls: [listing('2')] }, { text: 'Now.' }],
      { config },
    )
    expect(outcomes(await bound.say('go'))).toEqual(['ok', 'ok'])
    expect(bound.requests).toHaveLength(4)
  })

  it('P-INTEG: start tools, rules, the batch, going on and the exit work together in one turn', async () => {
    const t = await talk(
      [
        { calls: [read('1')] },
        { calls: [listing('2')] },
        { calls: [read('3')] },
        { text: 'Done.' },
        { calls: [call('4', 'glob', { patterns: ['*'] })] },
        { text: 'Now.' },
      ],
      {
        config: {
          'tools.rules': [
            rule('list_directory', 'StartConstraint'),
            rule('glob', 'RequiredBeforeExit'),
            rule('read_file', 'MaxCalls', { max: 1 }),
          ],
        },
      },
    )
    const events = await t.say('go')
    expect(outcomes(events)).toEqual(['rule_violation', 'ok', 'ok', 'ok'])
    expect(stopOf(events)).toEqual(['end'])
    expect(t.requests[0]?.system).toContain('list_directory')
  })
})
