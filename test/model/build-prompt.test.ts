import { describe, expect, it } from 'vitest'
import { buildPrompt } from '../../src/model/build-prompt.ts'
import type { AssistantPart, ModelMessage } from '../../src/model/model-client.ts'
import { PROVIDERS } from '../../src/model/providers.ts'

const call = (id: string): AssistantPart => ({ type: 'call', id, name: 'read_file', argsText: '{}' })
const said = (...parts: readonly AssistantPart[]): ModelMessage => ({ role: 'assistant', parts })
const user = (text: string): ModelMessage => ({ role: 'user', text })
const results = (...ids: readonly string[]): ModelMessage => ({
  role: 'tool',
  results: ids.map((id, index) => ({ id, name: 'read_file', content: `of ${index}`, isError: false })),
})

/** The messages as roles and ids, or text. */
function build(provider: keyof typeof PROVIDERS, messages: readonly ModelMessage[]): readonly unknown[] {
  const { ids } = PROVIDERS[provider]
  return buildPrompt(
    { system: '', messages, tools: [] },
    { model: `${provider}/x`, ids, cacheMarker: null, attachedTo: 'result' },
  ).map(({ role, content }) => [
    role,
    ...(typeof content === 'string' ? [content] : content).map((part) => {
      if (typeof part === 'string') return part
      if (part.type === 'tool-call' || part.type === 'tool-result') return { id: part.toolCallId }
      return part.type === 'text' ? part.text : part.type
    }),
  ])
}

describe('the ids of calls', () => {
  const doubled = [user('go'), said(call('a'), call('a'), call('b:1')), results('a', 'a', 'b:1')]

  it('SRD/§8.1: what a provider would refuse becomes a label, for a call and its result alike', () => {
    expect(build('anthropic', doubled).slice(1)).toEqual([
      ['assistant', { id: 'a' }, { id: 'call_2' }, { id: 'call_3' }],
      ['tool', { id: 'a' }, { id: 'call_2' }, { id: 'call_3' }],
    ])
    const long = 'x'.repeat(65)
    expect(build('openai', [user('go'), said(call(long), call('')), results(long, '')]).slice(1)).toEqual([
      ['assistant', { id: 'call_1' }, { id: 'call_2' }],
      ['tool', { id: 'call_1' }, { id: 'call_2' }],
    ])
  })

  it('SRD/§8.1: what a provider takes stays as it is', () => {
    const plain = [user('go'), said(call('b:1'), call('ü x')), results('b:1', 'ü x')]
    const twice = [...plain, ...plain.slice(1)]
    for (const provider of ['compatible', 'google', 'openai'] as const)
      expect(build(provider, twice).slice(-2)).toEqual([
        ['assistant', { id: 'b:1' }, { id: 'ü x' }],
        ['tool', { id: 'b:1' }, { id: 'ü x' }],
      ])
  })

  it('SRD/§8.1: an id of an earlier message is new in a later one only where the provider wants that, and no label is doubled', () => {
    const again = [user('go'), said(call('a')), results('a'), said(call('call_2')), results('call_2')]
    expect(build('anthropic', [...again, said(call('a')), results('a')]).slice(3)).toEqual([
      ['assistant', { id: 'call_2' }],
      ['tool', { id: 'call_2' }],
      ['assistant', { id: 'call_3' }],
      ['tool', { id: 'call_3' }],
    ])
    const clash = [user('go'), said(call('call_2'), call('call_2')), results('call_2', 'call_2')]
    expect(build('anthropic', clash)[1]).toEqual(['assistant', { id: 'call_2' }, { id: 'call_2_' }])
  })

  it('a longer conversation begins with the shorter one', () => {
    const longer = [...doubled, said(call('a')), results('a')]
    expect(build('anthropic', longer).slice(0, 3)).toEqual(build('anthropic', doubled))
  })
})

it('SRD/§8.1: a name that a model made up is sent in letters that providers take', () => {
  const named = { ...call('a'), name: 'functions.read file' } as const
  const nameless = { ...call('b'), name: '' } as const
  const dotted = { ...call('c'), name: 'shop.buy' } as const
  const messages = [user('go'), said(named, nameless, dotted), results('a', 'b', 'c')]
  const { ids } = PROVIDERS.openai
  const tools = [{ name: 'shop.buy', description: '', inputSchema: {} }]
  const [, spoken] = buildPrompt(
    { system: '', messages, tools },
    { model: 'openai/x', ids, cacheMarker: null, attachedTo: 'result' },
  )
  expect(spoken?.content).toMatchObject([
    { toolName: 'functions_read_file' },
    { toolName: 'unnamed' },
    { toolName: 'shop.buy' },
  ])
})

describe('a message', () => {
  it('of white space is left out, and so is white space before a call', () => {
    const blank = { type: 'text', text: '\n\n ' } as const
    const sealed = {
      type: 'reasoning',
      text: '',
      metadata: { model: 'google/x', of: 'text', options: { google: { thoughtSignature: 's' } } },
    } as const
    expect(build('google', [user('go'), said(blank, sealed, call('a')), results('a'), said(blank)])).toEqual([
      ['user', 'go'],
      ['assistant', { id: 'a' }],
      ['tool', { id: 'a' }],
    ])
  })

  it('SRD/§8.1: of a person that got no answer is joined with the next one, so that the roles alternate', () => {
    expect(build('compatible', [user('one'), user('two'), said(), user('three')])).toEqual([
      ['user', 'one\n\ntwo\n\nthree'],
    ])
  })
})
