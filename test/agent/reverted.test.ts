import { describe, expect, it } from 'vitest'
import { agreed, read, talk, write } from './talk.ts'
import type { Talk } from './talk.ts'

const TAKEN_BACK =
  '[The user took back edits of yours: n.txt. Read what you still need, and do not repeat them unasked.]'
const BROUGHT_BACK = '[The user brought edits of yours back: n.txt. They are in place again.]'

const last = (t: Talk, count: number) => t.requests.at(-1)?.messages.slice(-count)
const user = (text: string) => ({ role: 'user', text })

describe('a person reverts what the model did', () => {
  it('and the model is told with its next message, once', async () => {
    const t = await talk(
      [{ calls: [write('1')] }, { text: 'Done.' }, { text: 'I see.' }, { text: 'Yes.' }],
      agreed,
    )
    await t.say('go')
    await t.runtime.undo({ session: 's' })
    await t.say('and now?')
    expect(last(t, 2)).toEqual([user(TAKEN_BACK), user('and now?')])
    await t.say('really?')
    expect(JSON.stringify(t.requests.at(-1)?.messages).split('took back')).toHaveLength(2)
    expect(last(t, 1)).toEqual([user('really?')])
  })

  it('by undo and redo, which are both told in their order', async () => {
    const t = await talk([{ calls: [write('1')] }, { text: 'Done.' }, { text: 'I see.' }], agreed)
    await t.say('go')
    await t.runtime.undo({ session: 's' })
    await t.runtime.redo({ session: 's' })
    await t.say('and now?')
    expect(last(t, 2)).toEqual([user(`${TAKEN_BACK}\n${BROUGHT_BACK}`), user('and now?')])
  })

  it('from another process, and the model is told when the conversation goes on', async () => {
    const durable = { ...agreed, durability: 'normal' } as const
    const t = await talk([{ calls: [write('1')] }, { text: 'Done.' }], durable)
    await t.say('go')
    await t.runtime.close()
    const other = await t.b.open(durable)
    await other.undo({ session: 's' })
    await other.close()
    const later = await talk([{ text: 'I see.' }], { ...durable, in: t.b })
    await later.say('and now?')
    expect(last(later, 2)).toEqual([user(TAKEN_BACK), user('and now?')])
  })

  it('between a call and its result, and the model is told after the result', async () => {
    const durable = { ...agreed, durability: 'normal' } as const
    const t = await talk([{ calls: [write('1')] }, { text: 'Done.' }], durable)
    await t.say('go')
    await t.runtime.close()
    const held = { ...durable, config: { 'tools.mode': 'parse_only' }, in: t.b }
    const waiting = await talk([{ calls: [read('2')] }, { text: 'Ok.' }], held)
    await waiting.say('go on')
    await waiting.runtime.undo({ session: 's' })
    waiting.conversation.answerTool('2', { result: 'alpha' })
    await waiting.say(null)
    expect(last(waiting, 2)).toMatchObject([{ role: 'tool', results: [{ id: '2' }] }, user(TAKEN_BACK)])
  })

  it('but hears nothing of what a person takes back of their own', async () => {
    const t = await talk([{ text: 'Hello.' }, { text: 'Yes.' }], agreed)
    await t.say('hi')
    await t.runtime.run([write('mine')], { session: 's' })
    await t.runtime.undo({ session: 's' })
    await t.say('there?')
    expect(JSON.stringify(t.requests.at(-1)?.messages)).not.toContain('took back')
  })
})
