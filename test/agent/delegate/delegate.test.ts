import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { agreed, call, kinds, outcomes, read, stopOf, talk, write } from '../talk.ts'

const delegate = (id: string, task: string, more: object = {}) => call(id, 'delegate', { task, ...more })

describe('a delegated conversation', () => {
  it('does a piece of the work with requests of its own, and returns its last message', async () => {
    const t = await talk(
      [{ text: 'I hand this on.', calls: [delegate('d1', 'What is in a.txt?')] }, { text: 'Done: alpha.' }],
      { delegates: { 'What is in a.txt?': [{ calls: [read('c1')] }, { text: 'It says alpha.' }] } },
    )
    const events = await t.say('look')
    expect(kinds(events)).toEqual(['turn', 'text', 'call', 'call', 'result', 'result', 'text', 'done'])
    expect(stopOf(events)).toEqual(['end'])
    expect(t.requests).toHaveLength(4)
    expect(t.requests[1]?.messages).toEqual([{ role: 'user', text: 'What is in a.txt?' }])
    expect(t.requests[1]?.system).toContain('one piece of a larger task')
    expect(t.requests[2]?.messages.at(-1)).toMatchObject({ role: 'tool', results: [{ id: 'c1' }] })
    expect(t.requests[3]?.messages.at(-1)).toEqual({
      role: 'tool',
      results: [{ id: 'd1', name: 'delegate', content: 'It says alpha.', isError: false }],
    })
    const results = events.filter((event) => event.event === 'result')
    const [nested, own] = results
    expect(nested?.delegate).toEqual({ id: 'd1', execution: own?.execution.id })
    expect(own?.delegate).toBeUndefined()
  })

  it('edits in the turn of its parent: done names the files, and undo of the turn takes them back', async () => {
    const t = await talk([{ calls: [delegate('d1', 'Write n.txt.')] }, { text: 'ok' }], {
      ...agreed,
      delegates: { 'Write n.txt.': [{ calls: [write('c1')] }, { text: 'Written.' }] },
    })
    const events = await t.say('go')
    expect(outcomes(events)).toEqual(['ok', 'ok'])
    const done = events.at(-1)
    expect(done).toMatchObject({ event: 'done', changes: [{ path: 'n.txt', change: 'created' }] })
    expect(existsSync(join(t.b.root, 'n.txt'))).toBe(true)
    const undone = await t.runtime.undo({ session: 's', turn: true })
    expect(undone.ok).toBe(true)
    expect(existsSync(join(t.b.root, 'n.txt'))).toBe(false)
  })
})
