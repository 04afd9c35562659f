import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { takenBy } from '../../src/agent/context/taken-attachments.ts'
import { forkSession } from '../../src/agent/sessions/fork-session.ts'
import type { ModelClient, ModelRequest } from '../../src/model/model-client.ts'
import { ModelError } from '../../src/model/model-client.ts'
import { ATTACHMENT_TYPES } from '../../src/core/attachment/attachment.ts'
import { openModel } from '../../src/model/open-model.ts'
import { bench } from '../bench-folder.ts'
import type { Bench } from '../bench-folder.ts'
import { gif, jpeg, pdf, png } from '../harness/sample-pictures.ts'
import { startModelServer } from '../model/model-server.ts'
import type { Answer } from '../model/model-server.ts'
import { objectsIn } from '../model/objects-in.ts'
import { PROVIDER_STREAMS } from '../model/provider-streams.ts'
import type { ProviderStream } from '../model/provider-streams.ts'
import { call, errorsOf, kinds, outcomes, scripted, stopOf, talkWith } from './talk.ts'
import type { Talk, TalkOptions, Turn } from './talk.ts'

const SHOT = png(640, 480)
const DATA = SHOT.toString('base64')
const PAPER = pdf(2)
const read = (id: string, path: string) => call(id, 'read_file', { path })

/** How each provider is given a picture, and a PDF, in a result. */
const SHAPES: Readonly<Record<string, (type: string, data: string) => unknown>> = {
  'anthropic/claude-sonnet-4-5': (type, data) => ({
    type: type === 'application/pdf' ? 'document' : 'image',
    source: { type: 'base64', media_type: type, data },
  }),
  'openai/gpt-5': (type, data) =>
    type === 'application/pdf'
      ? { type: 'input_file', filename: 'document.pdf', file_data: `data:${type};base64,${data}` }
      : { type: 'input_image', image_url: `data:${type};base64,${data}` },
  'google/gemini-3-pro': (type, data) => ({ inlineData: { mimeType: type, data } }),
  'compatible/llama': (type, data) =>
    type === 'application/pdf'
      ? { type: 'file', file: { filename: 'document.pdf', file_data: `data:${type};base64,${data}` } }
      : { type: 'image_url', image_url: { url: `data:${type};base64,${data}` } },
}

async function converse(
  { model, key, path }: ProviderStream,
  answers: readonly Answer[],
  { in: b, ...options }: TalkOptions & { readonly in: Bench },
) {
  const server = await startModelServer(...answers)
  const client = await openModel(model, { env: { [key]: 'k' }, baseUrl: server.url + path })
  const t = await talkWith(client, {
    in: b,
    ...options,
    talk: { environment: null, retries: { maxRetries: 0 } },
  })
  return { ...t, bodies: () => server.seen.map(({ body }) => body) }
}

/** A model that takes everything and says what it is told to. */
function seeing(turns: readonly Turn[], requests: ModelRequest[] = []): ModelClient {
  const model = scripted(turns, requests)
  return {
    ...model,
    takes: ATTACHMENT_TYPES,
    // A script counts the letters of a request, and a picture has none.
    async *stream(request, signal) {
      for await (const delta of model.stream(request, signal)) if (delta.type !== 'usage') yield delta
    },
  }
}

async function watch(turns: readonly Turn[], files: Parameters<typeof bench>[0], options: TalkOptions = {}) {
  const requests: ModelRequest[] = []
  return talkWith(seeing(turns, requests), { in: bench(files), ...options }, requests)
}

const shown = (request: ModelRequest | undefined) => [...(request?.attachments?.contents.values() ?? [])]
const textOf = (request: ModelRequest | undefined) => JSON.stringify(request?.messages)
const pointsOf = (t: Talk) =>
  [...t.runtime.log({ session: 's' })].flatMap(({ entry }) => (entry.kind === 'condensed' ? [entry] : []))

describe.for(PROVIDER_STREAMS)('a picture for $model', (provider) => {
  const shape = SHAPES[provider.model]
  const config = provider.model.startsWith('compatible') ? { 'model.attachments': 'all' as const } : {}

  it('goes with the result of read_file, in the shape of the provider, with a line of words', async () => {
    for (const [type, bytes] of [
      ['image/png', SHOT],
      ['image/jpeg', jpeg(3, 4)],
      ['application/pdf', PAPER],
    ] as const) {
      const t = await converse(provider, [{ pieces: provider.whole }, { pieces: provider.hello }], {
        in: bench({ 'a.txt': bytes }),
        config,
      })
      expect(outcomes(await t.say('Look'))).toEqual(['ok'])
      const body = t.bodies()[1] ?? ''
      expect(objectsIn(body)).toContainEqual(shape?.(type, bytes.toString('base64')))
      expect(body).toContain(`${bytes.length} bytes]`)
      expect(body.split(bytes.toString('base64'))).toHaveLength(2)
    }
  })

  it('goes with the prompt that names it, and every request begins with the one before', async () => {
    const b = bench({ 'shot.png': SHOT, 'a.txt': gif(2, 2) })
    const answers = [{ pieces: provider.hello }, { pieces: provider.whole }, { pieces: provider.hello }]
    const t = await converse(provider, answers, { in: b, config })
    const events = await t.say('What is in @shot.png?')
    expect(outcomes(events)).toEqual(['ok'])
    await t.say('And in a.txt?')
    const [first = '', second = '', third = ''] = t.bodies()
    expect(objectsIn(first)).toContainEqual(shape?.('image/png', DATA))
    const parting = (one: string, other: string) => [...one].findIndex((sign, at) => sign !== other[at])
    expect(parting(first, second)).toBeGreaterThan(first.indexOf(DATA) + DATA.length)
    expect(parting(second, third)).toBeGreaterThan(second.indexOf('And in a.txt?'))
  })

  it('is only described if the model is set to take none', async () => {
    const t = await converse(provider, [{ pieces: provider.whole }, { pieces: provider.hello }], {
      in: bench({ 'a.txt': SHOT }),
      config: { 'model.attachments': 'none' },
    })
    await t.say('Look')
    const body = t.bodies()[1] ?? ''
    expect(body).toContain('PNG picture, 640 x 480 pixels')
    expect(body).toContain('You cannot see this picture')
    expect(body).not.toContain(DATA.slice(0, 24))
  })

  it('that the provider refuses is left out, and the conversation goes on', async () => {
    const refusal = {
      status: 400,
      pieces: ['{"error":{"type":"invalid_request_error","message":"Could not process image"}}'],
    }
    const t = await converse(provider, [{ pieces: provider.whole }, refusal, { pieces: provider.hello }], {
      in: bench({ 'a.txt': SHOT }),
      config,
    })
    const events = await t.sayAll('Look')
    expect(stopOf(events)).toEqual(['end'])
    expect(kinds(events)).toContain('shrunk')
    const last = t.bodies().at(-1) ?? ''
    expect(last).not.toContain(DATA)
    expect(last).toContain('The provider refused a request with it.')
    await t.say('And now?')
    expect(t.bodies().at(-1)).not.toContain(DATA)
  })
})

describe('which models are shown pictures', () => {
  it.for([
    ['anthropic/claude-sonnet-4-5', 5],
    ['openai/gpt-5', 5],
    ['openai/gpt-4o', 5],
    ['openai/o3-mini', 0],
    ['openai/gpt-3.5-turbo', 0],
    ['google/gemini-2.5-pro', 4],
    ['compatible/llava', 0],
  ] as const)('is known by the provider: %s', async ([name, count]) => {
    const model = await openModel(name, { key: 'k', baseUrl: 'http://127.0.0.1:9' })
    expect(model.takes).toHaveLength(count)
  })

  it.for([
    ['auto', false, [], 0],
    ['all', false, [], 5],
    ['pictures', false, ATTACHMENT_TYPES, 4],
    ['none', false, ATTACHMENT_TYPES, 0],
    // What is set is meant for the configured model; for another one, what is known about it counts.
    ['pictures', true, ATTACHMENT_TYPES, 5],
    ['pictures', true, [], 4],
    ['none', true, ATTACHMENT_TYPES, 0],
  ] as const)('can be set: %s, another model %s', ([setting, isOther, takes, count]) => {
    expect(takenBy({ takes }, setting, isOther)).toHaveLength(count)
  })

  it('and one that takes none is told in words, with what to do about a document', async () => {
    const requests: ModelRequest[] = []
    const b = bench({ 'p.pdf': PAPER })
    const t = await talkWith(
      scripted([{ calls: [read('c1', 'p.pdf')] }, { text: 'So.' }], requests),
      { in: b },
      requests,
    )
    await t.say('Look')
    expect(t.conversation.takes()).toEqual([])
    expect(shown(requests[1])).toEqual([])
    expect(t.conversation.context().used_tokens).toBeLessThan(6_000)
  })
})

describe('a prompt with pictures', () => {
  it('says what was not attached and why, and is sent all the same', async () => {
    const t = await watch([{ text: 'Ok.' }], {
      'a.png': SHOT,
      'deep/long.png': png(1, 100_000),
      'text.png': 'words\n',
    })
    const events = await t.say(
      `See @a.png ${t.b.root}/deep/long.png @gone.png @text.png /etc/passwd.png @../x.png and mail ada@a.png`,
    )
    expect(outcomes(events)).toEqual([
      'ok',
      'limit_exceeded',
      'execution_failed',
      'ok',
      'path_outside_sandbox',
      'path_outside_sandbox',
    ])
    expect(shown(t.requests[0])).toEqual([new Uint8Array(SHOT)])
    const text = textOf(t.requests[0])
    expect(text.match(/\[Not attached: /g)).toHaveLength(4)
    expect(text).toContain('attachments.max_side_pixels')
    expect(text).not.toContain('iVBOR')
  })

  it('takes bytes from the caller, by what they are, within the limits', async () => {
    const t = await watch([{ text: 'Ok.' }], {}, { config: { 'attachments.max_bytes': 400 } })
    const attached = [SHOT, Buffer.from('no picture\0'), Buffer.concat([SHOT, Buffer.alloc(400)])]
    const stops: string[] = []
    for await (const event of t.conversation.watch('Look', { attached })) stops.push(...stopOf([event]))
    expect(stops).toEqual(['end'])
    expect(shown(t.requests[0])).toEqual([new Uint8Array(SHOT)])
    expect(textOf(t.requests[0]).match(/\[Not attached: /g)).toHaveLength(2)
  })

  it('may be sent while the model works', async () => {
    const t = await watch([{ calls: [read('c1', 'b.txt')] }, { text: 'Ok.' }, { text: 'Seen.' }], {
      'a.png': SHOT,
      'b.txt': 'b\n',
    })
    for await (const { event } of t.conversation.watch('Look'))
      if (event === 'call' && t.conversation.unheard().length === 0 && t.requests.length === 1)
        t.conversation.steer('And at @a.png')
    expect(shown(t.requests.at(-1))).toEqual([new Uint8Array(SHOT)])
  })

  it('is a call of the person on record, which goes with what is forgotten', async () => {
    const t = await watch([{ text: 'Ok.' }, { text: 'Hm.' }], { 'a.png': SHOT }, { durability: 'normal' })
    await t.say('See @a.png')
    const batch = [...t.runtime.log({ session: 's' })].find(({ entry }) => entry.kind === 'batch')?.entry
    expect(batch).toMatchObject({ origin: 'person' })
    expect((await t.runtime.verify()).ok).toBe(true)
    await t.runtime.forget({ session: 's' })
    await t.say('And now?')
    expect(shown(t.requests[1])).toEqual([])
    await t.runtime.close()
    const files = readdirSync(t.b.stateDir, { recursive: true, withFileTypes: true }).filter((one) =>
      one.isFile(),
    )
    expect(files.length).toBeGreaterThan(0)
    for (const { parentPath, name } of files)
      expect(readFileSync(join(parentPath, name)).includes(SHOT.subarray(8, 40)), name).toBe(false)
  })
})

describe('attachments in the context window', () => {
  const many = (count: number): readonly Turn[] =>
    Array.from({ length: count }, (_, at) => ({ text: `Look ${at}.`, calls: [read(`c${at}`, `p${at}.png`)] }))
  const pictures = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`p${at}.png`, png(2000, 1500 + at)]))

  it('are counted', async () => {
    const t = await watch([{ text: 'Ok.' }], { 'a.png': png(1500, 1000), 'b.pdf': pdf(5) })
    const before = t.conversation.context().used_tokens
    await t.say('See @a.png @b.pdf')
    expect(t.conversation.context().used_tokens - before).toBeGreaterThan(17_000)
  })

  it('go first when it is full: words say what was there and how to see it again, and results stay', async () => {
    const config = { 'model.context_tokens': 30_000, 'conversation.keep_percent': 0 }
    const files = { ...pictures(5), 'a.txt': 'a line of words\n'.repeat(300) }
    const t = await watch(
      [{ calls: [read('t', 'a.txt')] }, ...many(5), { text: 'Seen.' }, { text: 'On.' }],
      files,
      { config },
    )
    await t.say('Look at all')
    const [point, ...others] = pointsOf(t)
    expect(others.length).toBeLessThanOrEqual(1)
    expect(point).toMatchObject({ cause: 'full', summary: null, upTo: 0 })
    expect(point?.attachedUpTo).toBeGreaterThan(0)
    const request = t.requests.at(-1)
    expect(textOf(request)).toContain('a line of words')
    expect(textOf(request)).toContain('Left out to make room: PNG picture, 2000 x 1500 pixels')
    expect(textOf(request)).toContain(JSON.stringify('read_file {"path":"p0.png"}').slice(1, -1))
    expect(shown(request).length).toBeLessThan(5)
    // What the model has not seen yet is never left out.
    for (const [at, one] of t.requests.slice(2, 7).entries())
      expect(shown(one)).toContainEqual(new Uint8Array(png(2000, 1500 + at)))
  })

  it('are left out when there are more than providers take', async () => {
    const t = await watch([...many(23), { text: 'Seen.' }], pictures(23))
    await t.say('Look at all')
    expect(Math.max(...t.requests.map((one) => shown(one).length))).toBeLessThanOrEqual(21)
    expect(pointsOf(t).every(({ summary, attachedUpTo = 0 }) => summary === null && attachedUpTo > 0)).toBe(
      true,
    )
  })

  it('come along in a fork, and after a restart', async () => {
    const t = await watch(
      [{ calls: [read('c1', 'b.png')] }, { text: 'Ok.' }],
      { 'a.png': SHOT, 'b.png': png(5, 6) },
      { durability: 'normal' },
    )
    await t.say('See @a.png')
    const forked = await forkSession(t.runtime, 's', { at: '3' })
    if (!forked.ok) throw new Error(forked.why)
    const again = async (session: string) => {
      const requests: ModelRequest[] = []
      const other = await talkWith(
        seeing([{ text: 'Ok.' }], requests),
        { in: t.b, durability: 'normal', talk: { session } },
        requests,
      )
      await other.say('And?')
      await other.runtime.close()
      return shown(requests[0])
    }
    await t.runtime.close()
    const both = [new Uint8Array(SHOT), new Uint8Array(png(5, 6))]
    expect(await again('s')).toEqual(both)
    expect(await again(forked.session)).toEqual(both)
  })

  it('a refusal that is about something else leaves them in', async () => {
    const failing: ModelClient = {
      ...seeing([]),
      stream: () => {
        throw new ModelError('bad_request', 'temperature is not supported.')
      },
    }
    const t = await talkWith(failing, { in: bench({ 'a.png': SHOT }) })
    const events = await t.sayAll('See @a.png')
    expect(errorsOf(events)).toEqual(['bad_request'])
    expect(pointsOf(t)).toEqual([])
  })
})
