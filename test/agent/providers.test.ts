import { describe, expect, it } from 'vitest'
import { openModel } from '../../src/model/open-model.ts'
import { startModelServer } from '../model/model-server.ts'
import type { Answer } from '../model/model-server.ts'
import { objectsIn } from '../model/objects-in.ts'
import { PROVIDER_STREAMS } from '../model/provider-streams.ts'
import { bench } from '../bench-folder.ts'
import { errorsOf, outcomes, stopOf, talkWith } from './talk.ts'
import type { TalkOptions } from './talk.ts'

const KEY = 'top-secret-value-123456'
const quickly = { firstDelayMs: 1, maxRetries: 2 }
/** Short enough to be waited for, and long enough for a machine that has much to do. */
const IDLE_MS = 3000

describe.for(PROVIDER_STREAMS)('a conversation with $model', (provider) => {
  const { whole, begun, hello } = provider

  async function converse(answers: readonly Answer[], options: TalkOptions = {}, model = provider.model) {
    const server = await startModelServer(...answers)
    const client = await openModel(model, {
      env: { [provider.key]: KEY },
      baseUrl: server.url + provider.path,
    })
    const t = await talkWith(client, {
      files: { 'a.txt': 'crimson\n' },
      durability: 'normal',
      ...options,
      talk: { environment: null, retries: { ...quickly, ...options.talk?.retries } },
    })
    return { ...t, server }
  }

  it('IT-E2E-01: runs the call, sends the result right after it, and tells what was used', async () => {
    const t = await converse([{ pieces: whole }, { pieces: hello }])
    const events = await t.say('Read a.txt')
    expect(outcomes(events)).toEqual(['ok'])
    expect(stopOf(events)).toEqual(['end'])
    expect(events.at(-1)).toMatchObject({ usage: { input_tokens: 20, output_tokens: 14, cached_tokens: 8 } })
    const body = t.server.seen[1]?.body ?? ''
    expect(body.indexOf('crimson')).toBeGreaterThan(body.lastIndexOf('a.txt'))
    expect(
      [...t.runtime.log({ session: 's' })].map(({ entry }) => JSON.stringify(entry)).join(''),
    ).not.toContain(KEY)
  })

  it('gives its reasoning back unchanged after a restart, and to no other model', async () => {
    const b = bench({ 'a.txt': 'crimson\n' })
    const first = await converse([{ pieces: whole }, { pieces: hello }], { in: b })
    await first.say('Read a.txt')
    await first.runtime.close()
    const again = await converse([{ pieces: hello }], { in: b })
    await again.say('And now?')
    const body = again.server.seen[0]?.body ?? ''
    for (const part of provider.returned) expect(objectsIn(body)).toContainEqual(part)
    await again.runtime.close()
    const other = await converse([{ pieces: hello }], { in: b }, `${provider.model}-other`)
    await other.say('And you?')
    expect(other.server.seen[0]?.body).not.toMatch(/sealed-by|hidden-by|Hmm/)
    expect(other.server.seen[0]?.body).toContain('Looking.')
  })

  it('begins each request with all of the one before', async () => {
    const t = await converse([{ pieces: whole }, { pieces: hello }, { pieces: hello }])
    await t.say('Read a.txt')
    await t.say('And now?')
    const [, second = '', third = ''] = t.server.seen.map(({ body }) => body)
    const same = [...second].findIndex((sign, index) => sign !== third[index])
    expect(same).toBeGreaterThan(second.indexOf('crimson'))
  })

  it('asks again after a torn stream, a garbled one, a rate limit and silence, and acts once', async () => {
    for (const failure of [
      { pieces: begun, ending: 'tear' },
      { pieces: [...begun, 'data: {"type": oh no\n\n'] },
      { status: 429, headers: { 'retry-after-ms': '1' }, pieces: ['{}'] },
      { pieces: begun, ending: 'hang' },
    ] as const) {
      const patience = 'ending' in failure && failure.ending === 'hang' ? { idleMs: IDLE_MS } : {}
      const t = await converse([failure, { pieces: whole }, { pieces: hello }], {
        talk: { retries: patience },
      })
      const events = await t.say('Read a.txt')
      expect(errorsOf(events)).toEqual([])
      expect(outcomes(events)).toEqual(['ok'])
      expect(t.server.seen).toHaveLength(3)
      const batches = [...t.runtime.log({ session: 's' })].filter(({ entry }) => entry.kind === 'batch')
      expect(batches).toHaveLength(1)
      await t.runtime.close()
    }
  })

  it.each([
    [400, 'prompt is too long: 208310 tokens > 200000 maximum'],
    [
      400,
      "This model's maximum context length is 8192 tokens. However, your messages resulted in 9001 tokens.",
    ],
    [400, 'The input token count (1048600) exceeds the maximum number of tokens allowed (1048575).'],
    [400, 'the request exceeds the available context size (4096 tokens), try increasing it'],
    [413, 'Request exceeds the maximum size'],
  ])('compacts and asks once more where it refuses with %i: %s', async (status, message) => {
    const refusal = {
      status,
      pieces: [JSON.stringify({ error: { type: 'invalid_request_error', message } })],
    }
    const t = await converse([{ pieces: whole }, refusal, { pieces: hello }], {
      files: { 'a.txt': `crimson ${'and long '.repeat(900)}\n` },
    })
    const events = await t.say('Read a.txt')
    expect([errorsOf(events), stopOf(events)]).toEqual([[], ['end']])
    expect(t.server.seen[1]?.body).toContain('crimson and long')
    expect(t.server.seen.at(-1)?.body).not.toContain('crimson and long')
    expect(t.server.seen.at(-1)?.body).toContain('[Shortened: a.txt, all of it')
  })

  it('does not compact for another refusal', async () => {
    const refusal = { status: 400, pieces: [JSON.stringify({ error: { message: 'unknown field tools' } })] }
    const t = await converse([{ pieces: whole }, refusal, { pieces: hello }])
    expect(errorsOf(await t.say('Read a.txt'))).toEqual(['bad_request'])
    expect([...t.runtime.log({ session: 's' })].some(({ entry }) => entry.kind === 'condensed')).toBe(false)
  })

  it('gives up with an error that shows no key, and goes on when it is asked again', async () => {
    const t = await converse([
      { status: 500, pieces: [KEY] },
      { status: 500, pieces: [KEY] },
      { status: 500, pieces: [KEY] },
      { pieces: hello },
    ])
    const events = await t.say('Read a.txt')
    expect(errorsOf(events)).toEqual(['overloaded'])
    expect(JSON.stringify(events)).not.toContain(KEY)
    expect(stopOf(await t.say(null))).toEqual(['end'])
  })
})

describe('a model that turns out to have no tools', () => {
  it('is told about them in text from then on, and its blocks are calls', async () => {
    const chunk = (delta: object, end: string | null = null) =>
      `data: ${JSON.stringify({ id: 'x', created: 1, model: 'm', choices: [{ index: 0, delta, finish_reason: end }] })}\n\n`
    const block = '```tool-call\n{"id":"1","name":"read_file","args":{"path":"a.txt"}}\n```\n'
    const message = 'registry.example/tiny:latest does not support tools'
    const server = await startModelServer(
      { status: 400, pieces: [JSON.stringify({ error: { message } })] },
      { pieces: [chunk({ content: block }), chunk({}, 'stop'), 'data: [DONE]\n\n'] },
      { pieces: [chunk({ content: 'It says crimson.' }), chunk({}, 'stop'), 'data: [DONE]\n\n'] },
    )
    const model = await openModel('compatible/tiny', { env: {}, baseUrl: `${server.url}/v1` })
    const t = await talkWith(model, { files: { 'a.txt': 'crimson\n' } })
    const events = await t.say('Read a.txt')
    expect([errorsOf(events), outcomes(events), stopOf(events)]).toEqual([[], ['ok'], ['end']])
    expect(server.seen.map(({ body }) => 'tools' in JSON.parse(body))).toEqual([true, false, false])
    await t.say('Again?')
    expect(server.seen).toHaveLength(4)
  })
})
