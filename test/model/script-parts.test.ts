import { describe, expect, it } from 'vitest'
import type { AssistantPart, ModelMessage } from '../../src/model/model-client.ts'
import { ScriptParts } from '../../src/model/script-parts.ts'
import type { ScriptedMessage } from '../../src/model/script-place.ts'

const delegate = (id: string, task: string) => ({ id, name: 'delegate', argsText: JSON.stringify({ task }) })
const read = { id: 'c1', name: 'read_file', argsText: '{"path":"a.txt"}' }
const say = (text: string, ...calls: ScriptedMessage['calls']): ScriptedMessage => ({ text, calls })

const SCRIPT = [
  say('I hand this on.', delegate('d1', 'Look around')),
  say('I read.', read),
  say('It says alpha.'),
  say('Now I know.'),
]
const PROMPT: ModelMessage = { role: 'user', text: 'Go' }
const TASK: ModelMessage = { role: 'user', text: 'Look around' }

const spoken = ({ text, calls }: ScriptedMessage): ModelMessage => ({
  role: 'assistant',
  parts: [{ type: 'text', text }, ...calls.map((call): AssistantPart => ({ type: 'call', ...call }))],
})
const answered = (id: string, isError: boolean): ModelMessage => ({
  role: 'tool',
  results: [{ id, name: 'delegate', content: '', isError }],
})

function textFor(parts: ScriptParts, messages: readonly ModelMessage[], isDelegated: boolean): string {
  const request = { system: '', messages, tools: [], ...(isDelegated ? { isDelegated: true as const } : {}) }
  return parts.of(request).next(request).text
}

describe('the parts of a script', () => {
  const [first = say(''), second = say('')] = SCRIPT
  const after = (isError: boolean) => [PROMPT, spoken(first), answered('d1', isError)]

  it('gives a delegated conversation what is behind its call, and the rest to the one around it', () => {
    const parts = new ScriptParts(SCRIPT, new Map())
    expect(textFor(parts, [PROMPT], false)).toBe('I hand this on.')
    expect(textFor(parts, [TASK], true)).toBe('I read.')
    expect(textFor(parts, [TASK, spoken(second), answered('c1', false)], true)).toBe('It says alpha.')
    expect(textFor(parts, after(false), false)).toBe('Now I know.')
  })

  it('leaves out what was played to a delegated conversation in another process', () => {
    expect(textFor(new ScriptParts(SCRIPT, new Map()), after(false), false)).toBe('Now I know.')
  })

  it('leaves every message to a conversation that was not allowed to delegate', () => {
    expect(textFor(new ScriptParts(SCRIPT, new Map()), after(true), false)).toBe('I read.')
  })

  it('takes a list of its own before anything else', () => {
    const parts = new ScriptParts([first, say('Done.')], new Map([['Look around', [say('From the list.')]]]))
    expect(textFor(parts, [TASK], true)).toBe('From the list.')
    expect(textFor(parts, after(false), false)).toBe('Done.')
  })

  it('gives messages in order to conversations that delegate in turn', () => {
    const deeper = say('Deeper.', delegate('d2', 'Dig'))
    const parts = new ScriptParts([first, deeper, say('Dug.'), say('Found.'), say('Done.')], new Map())
    expect(textFor(parts, [TASK], true)).toBe('Deeper.')
    expect(textFor(parts, [{ role: 'user', text: 'Dig' }], true)).toBe('Dug.')
    expect(textFor(parts, [TASK, spoken(deeper), answered('d2', false)], true)).toBe('Found.')
    expect(textFor(parts, after(false), false)).toBe('Done.')
  })

  it('goes on with a delegated conversation in another process', () => {
    const parts = new ScriptParts(SCRIPT, new Map())
    expect(textFor(parts, [TASK, spoken(second), answered('c1', false)], true)).toBe('It says alpha.')
    expect(textFor(parts, after(false), false)).toBe('Now I know.')
  })
})
