import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it } from 'vitest'
import { openConversationLog } from '../../../src/agent/log/conversation-log.ts'
import type { ConversationLog } from '../../../src/agent/log/conversation-log.ts'
import { bench } from '../../bench-folder.ts'
import type { Bench } from '../../bench-folder.ts'
import { agreed, errorsOf, outcomes, read, stopOf, talk, write } from '../talk.ts'
import type { Turn } from '../talk.ts'

const lasting = { ...agreed, durability: 'normal' } as const
const args = JSON.stringify({ path: 'n.txt', content: 'n\n' })

/** A session whose process ended when it had written so much. */
async function leave(leaving: (log: ConversationLog) => void): Promise<Bench> {
  const b = bench({ 'a.txt': 'alpha\n' })
  const runtime = await b.open(lasting)
  leaving(openConversationLog(await runtime.converse('s')))
  await runtime.close()
  return b
}

const reopen = (b: Bench, turns: readonly Turn[]) => talk(turns, { ...lasting, in: b })

const midMessage = () =>
  leave((log) => {
    log.sayUser('t', 'go')
    log.draft('t', [{ type: 'text', text: 'I will ' }])
    log.draft('t', [{ type: 'text', text: 'write.' }])
    log.streamCall('t', { id: 'c1', name: 'write_file', argsText: args })
  })

describe('a turn that was interrupted while the model spoke', () => {
  it('IT-JRN-01: has its calls in a batch that nobody runs, and asks before it goes on', async () => {
    const t = await reopen(await midMessage(), [{ text: 'never' }, { text: 'Then not.' }])
    expect(t.conversation.state()).toBe('interrupted')
    expect(await t.conversation.recovery()).toMatchObject({
      text: 'I will write.',
      calls: [{ id: 'c1', name: 'write_file', status: 'received' }],
    })
    const refused = await t.say('go on')
    expect(errorsOf(refused)).toEqual(['interrupted'])
    expect(JSON.stringify(refused)).toContain('tongs recover')
    expect(await t.runtime.recover({ session: 's' })).toMatchObject([
      { calls: [{ id: 'c1', name: 'write_file', status: 'never_started', execution: expect.any(String) }] },
    ])
    expect(t.requests).toEqual([])
  })

  it.for(['resume', 'discard'] as const)(
    'FR-RES-05: %s tells the model, and runs nothing',
    async (choice) => {
      const t = await reopen(await midMessage(), [{ text: 'never' }, { text: 'Then not.' }])
      await t.conversation[choice]()
      const events = await t.say(null)
      expect(events[1]).toEqual({ event: 'recovered', calls: 1, in_doubt: 0 })
      expect(stopOf(events)).toEqual(['end'])
      expect(t.requests[0]?.messages).toMatchObject([
        { role: 'user', text: 'go' },
        {
          role: 'assistant',
          parts: [
            { type: 'text', text: 'I will write.' },
            { type: 'call', id: 'c1' },
          ],
        },
        { role: 'tool', results: [{ id: 'c1', isError: true }] },
      ])
      expect(JSON.stringify(t.requests)).toContain(choice === 'resume' ? 'interrupted before' : 'discarded')
      expect(existsSync(join(t.b.root, 'n.txt'))).toBe(false)
      expect(await t.conversation.recovery()).toBeNull()
      expect([...t.runtime.audit({ session: 's' })].map(({ state }) => state)).toEqual(['DECLARED', 'FAILED'])
    },
  )

  it('FR-RES-04a: keeps the text that had come in, and goes on without a question where nothing was called', async () => {
    const b = await leave((log) => {
      log.sayUser('t', 'go')
      log.draft('t', [{ type: 'text', text: 'As I was say' }])
    })
    const t = await reopen(b, [{ text: 'never' }, { text: 'Sorry.' }])
    expect(await t.conversation.recovery()).toBeNull()
    const events = await t.say(null)
    expect(events[1]).toEqual({ event: 'recovered', calls: 0, in_doubt: 0 })
    expect(t.requests[0]?.messages).toMatchObject([
      {},
      {
        role: 'assistant',
        parts: [{ text: 'As I was say' }, { text: expect.stringContaining('broke off') }],
      },
      { role: 'user' },
    ])
  })

  it('does not take what a failing model said for an interruption', async () => {
    const b = await leave((log) => {
      log.sayUser('t', 'go')
      log.streamCall('t', { id: 'c1', name: 'write_file', argsText: args })
      log.dropDraft('t', 'torn_stream')
    })
    const t = await reopen(b, [{ text: 'Hello again.' }])
    expect(await t.conversation.recovery()).toBeNull()
    expect(stopOf(await t.say(null))).toEqual(['end'])
    expect(t.requests[0]?.messages).toEqual([{ role: 'user', text: 'go' }])
  })

  it('finds the calls also where the message was whole and the batch had not begun', async () => {
    const b = await leave((log) => {
      log.sayUser('t', 'go')
      log.streamCall('t', { id: 'c1', name: 'write_file', argsText: args })
      log.sayAssistant('t', [{ type: 'call', id: 'c1', name: 'write_file', argsText: args }], 'script:test')
    })
    const t = await reopen(b, [{ text: 'never' }, { text: 'ok' }])
    await t.conversation.resume()
    await t.say('next')
    expect(t.requests[0]?.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'user'])
  })

  it('gives back what the provider wants with a call that was interrupted', async () => {
    const metadata = { model: 'script:test', of: 'part', options: { google: { thoughtSignature: 'sealed' } } }
    const b = await leave((log) => {
      log.sayUser('t', 'go')
      log.draft('t', [{ type: 'reasoning', text: 'Hmm', metadata: { model: 'script:test', of: 'part' } }])
      log.streamCall('t', { id: 'c1', name: 'write_file', argsText: args, metadata })
    })
    const t = await reopen(b, [{ text: 'never' }, { text: 'ok' }])
    await t.conversation.resume()
    await t.say(null)
    expect(t.requests[0]?.messages[1]).toMatchObject({
      parts: [{ type: 'reasoning', text: 'Hmm' }, { metadata }],
    })
  })
})

describe('a session that was damaged', () => {
  it.for([
    ['has lost its last entry', 'DELETE FROM log WHERE id = (SELECT max(id) FROM log)'],
    [
      'has a content that is no text any more',
      "UPDATE log SET body = x'00ff' WHERE id = (SELECT max(id) FROM log WHERE kind = 'payload')",
    ],
  ] as const)('opens and goes on where it %s', async ([, sql]) => {
    const t = await talk([{ text: 'one', calls: [read('1')] }, { text: 'two' }, { text: 'three' }], lasting)
    await t.say('go')
    await t.runtime.close()
    const database = new DatabaseSync(join(t.b.stateDir, 'journal.db'))
    database.exec(sql)
    database.close()
    const again = await reopen(t.b, [{ text: '' }, { text: '' }, { text: 'three' }])
    const events = await again.say('more')
    expect(stopOf(events)).toEqual(['end'])
    expect(JSON.stringify(again.requests)).toContain('more')
  })

  it('opens without the contents that were erased', async () => {
    const t = await talk(
      [{ text: 'secret', calls: [read('1')] }, { text: 'more' }, { text: 'hello' }],
      lasting,
    )
    await t.say('whisper')
    await t.runtime.forget({ session: 's' })
    await t.runtime.close()
    const again = await reopen(t.b, [{ text: '' }, { text: '' }, { text: 'hello' }])
    expect(stopOf(await again.say('still there?'))).toEqual(['end'])
    const asked = JSON.stringify(again.requests)
    expect(asked).not.toMatch(/secret|whisper|alpha/)
    expect(asked).toContain('erased')
  })

  it('forgetting one call takes what the model was told of it with it', async () => {
    const t = await talk([{ calls: [read('1')] }, { text: 'more' }, { text: 'hello' }], lasting)
    const result = (await t.say('go')).find(({ event }) => event === 'result')
    if (result?.event !== 'result') throw new Error('no result')
    await t.runtime.forget({ call: result.execution.id })
    await t.runtime.close()
    const again = await reopen(t.b, [{ text: '' }, { text: '' }, { text: 'hello' }])
    await again.say('and?')
    expect(JSON.stringify(again.requests)).not.toContain('alpha')
  })
})

describe('a turn that was not finished', () => {
  it('goes on from where it was, with the rounds it has had', async () => {
    const t = await talk(
      Array.from({ length: 9 }, (_, index) => ({ calls: [write(`c${index}`, `f${index}.txt`)] })),
      { approve: 'later', config: { 'tools.max_tool_iterations_per_user_turn': 2 } },
    )
    const all: string[] = []
    for (let round = 0; round < 6; round++) {
      const events = await t.say(round === 0 ? 'go' : null)
      all.push(...stopOf(events))
      if (stopOf(events)[0] !== 'approval_pending') break
      await t.runtime.decide('all', { isApproved: true })
    }
    expect(all).toEqual(['approval_pending', 'approval_pending', 'max_iterations'])
  })

  it('tells the results that somebody else has let happen', async () => {
    const t = await talk([{ calls: [write('1')] }, { text: 'ok' }], { approve: 'later' })
    await t.say('go')
    await t.runtime.decide('all', { isApproved: false, say: 'not there' })
    const events = await t.say(null)
    expect(outcomes(events)).toEqual(['approval_denied'])
    expect(JSON.stringify(t.requests[1])).toContain('not there')
  })
})
