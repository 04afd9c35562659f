import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { ModelClient } from '../../../src/model/model-client.ts'
import { bench } from '../../bench-folder.ts'
import { agreed, call, outcomes, scripted, stopOf, talk, talkWith, write } from '../talk.ts'

const delegate = (id: string, task: string, more: object = {}) => call(id, 'delegate', { task, ...more })
const TASK = 'Write n.txt.'

/** A model that never ends what it says in a delegated conversation once a file was written there. */
function stuck(onStuck: () => void, more: object = {}): { model: ModelClient; aborted: () => boolean } {
  const script = scripted([{ calls: [delegate('d1', TASK, more)] }, { text: 'ok' }], [], 'script:test', {
    [TASK]: [{ calls: [write('c1')] }, { text: 'never said' }],
  })
  let isAborted = false
  const model: ModelClient = {
    ...script,
    stream: async function* (request, signal) {
      const [first, ...others] = request.messages
      if (first?.role !== 'user' || first.text !== TASK || others.length === 0) {
        yield* script.stream(request, signal)
        return
      }
      const aborted = once(signal, 'abort')
      onStuck()
      await aborted
      isAborted = true
      signal.throwIfAborted()
    },
  }
  return { model, aborted: () => isAborted }
}

describe('stopping a turn with a delegated conversation', () => {
  it('stops it too; the result says what was done, and the model is not asked again', async () => {
    const { model, aborted } = stuck(() => t.conversation.cancel())
    const t = await talkWith(model, agreed)
    const events = await t.say('go')
    expect(stopOf(events)).toEqual(['cancelled'])
    expect(aborted()).toBe(true)
    expect(outcomes(events)).toEqual(['ok', 'cancelled'])
    const own = events.findLast((event) => event.event === 'result')
    expect(own).toMatchObject({ execution: { state: 'ABORTED' }, error: { details: { effects: 'kept' } } })
    expect(own?.content).toContain('it had made 1 call, and created n.txt')
    expect(await t.runtime.recover({ session: 's' })).toEqual([])
    expect((await t.runtime.undo({ session: 's', turn: true })).ok).toBe(true)
    expect(existsSync(join(t.b.root, 'n.txt'))).toBe(false)
  })

  it('by its own time ends only it, and the parent goes on with what was done', async () => {
    const { model, aborted } = stuck(() => undefined, { max_seconds: 1 })
    const t = await talkWith(model, agreed)
    const events = await t.say('go')
    expect(stopOf(events)).toEqual(['end'])
    expect(aborted()).toBe(true)
    expect(events.findLast((event) => event.event === 'result')).toMatchObject({
      ok: true,
      result: { stop: 'budget', changes: [{ path: 'n.txt', change: 'created' }] },
    })
  })

  it('by the time of the turn ends both', async () => {
    const { model, aborted } = stuck(() => undefined)
    const t = await talkWith(model, { ...agreed, talk: { maxSeconds: 1 } })
    expect(stopOf(await t.say('go'))).toEqual(['budget'])
    expect(aborted()).toBe(true)
  })

  it('whose model fails says so, with what was done', async () => {
    const { model } = stuck(() => undefined)
    const t = await talkWith(
      {
        ...model,
        stream: async function* (request, signal) {
          const [first, ...others] = request.messages
          if (first?.role === 'user' && first.text === TASK && others.length > 0)
            throw new (await import('../../../src/model/model-client.ts')).ModelError(
              'auth',
              'the key is wrong',
            )
          yield* model.stream(request, signal)
        },
      },
      agreed,
    )
    const events = await t.say('go')
    expect(stopOf(events)).toEqual(['end'])
    const own = events.findLast((event) => event.event === 'result')
    expect(own?.content).toContain('the key is wrong; it had made 1 call, and created n.txt')
  })
})

describe('a process that is killed in the middle of a delegated conversation', () => {
  it('ends it: the parent is told what it did, and it is never begun again', async () => {
    const b = bench({ 'a.txt': 'alpha\n' })
    const script = join(import.meta.dirname, 'held-process.ts')
    const child = spawn(process.execPath, [script, b.root, b.stateDir], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    await once(child.stdout, 'data')
    child.kill('SIGKILL')
    await once(child, 'exit')
    expect(existsSync(join(b.root, 'n.txt'))).toBe(true)

    const turns = [{ calls: [delegate('d1', TASK)] }, { text: 'I see.' }]
    const t = await talk(turns, {
      ...agreed,
      durability: 'full',
      in: b,
      delegates: { [TASK]: [{ text: 'again' }] },
    })
    expect(t.conversation.state()).toBe('interrupted')
    const recovery = await t.conversation.resume()
    expect(recovery?.calls).toMatchObject([{ name: 'delegate', status: 'in_doubt' }])
    expect(recovery?.calls[0]?.evidence).toContain('it had made 1 call, and created n.txt')
    const events = await t.say(null)
    expect(stopOf(events)).toEqual(['end'])
    expect(t.requests).toHaveLength(1)
    const [request] = t.requests
    expect(request?.messages[0]).toEqual({ role: 'user', text: 'go' })
    const last = request?.messages.at(-1)
    expect(last?.role === 'tool' ? last.results[0]?.content : '').toContain('It was not run again')
    const began = [...t.runtime.log()].filter(
      ({ entry }) => entry.kind === 'note' && entry.about === 'delegation',
    )
    expect(began).toHaveLength(1)
    expect((await t.runtime.undo({ session: 's', turn: true })).ok).toBe(true)
    expect(existsSync(join(b.root, 'n.txt'))).toBe(false)
  })
})
