import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { ModelError } from '../../src/model/model-client.ts'
import type { AssistantPart, ModelDelta, ModelMessage, ModelRequest } from '../../src/model/model-client.ts'
import { openModel } from '../../src/model/open-model.ts'
import { PATIENCE_MS } from '../harness/patience.ts'
import { startModelServer } from './model-server.ts'
import type { Answer } from './model-server.ts'
import { objectsIn } from './objects-in.ts'
import { PROVIDER_STREAMS } from './provider-streams.ts'
import type { ProviderStream } from './provider-streams.ts'

const KEY = 'top-secret-value-123456'
const soon = (): AbortSignal => AbortSignal.timeout(PATIENCE_MS)

const REQUEST: ModelRequest = {
  system: 'Be brief.',
  messages: [{ role: 'user', text: 'Read a.txt' }],
  tools: [
    {
      name: 'read_file',
      description: 'Reads a file',
      inputSchema: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
    },
  ],
}

const MEGABYTE = 'x'.repeat(1024 ** 2)

async function ask(provider: ProviderStream, ...answers: readonly Answer[]) {
  const server = await startModelServer(...answers)
  const client = await openModel(provider.model, {
    env: { [provider.key]: KEY },
    baseUrl: server.url + provider.path,
  })
  const deltas: ModelDelta[] = []
  const listen = async (request: ModelRequest, signal = soon()): Promise<unknown> => {
    deltas.length = 0
    try {
      for await (const delta of client.stream(request, signal)) deltas.push(delta)
      return null
    } catch (error) {
      return error
    }
  }
  return { server, client, deltas, listen }
}

const textOf = (deltas: readonly ModelDelta[], type: 'text' | 'reasoning' | 'call_delta'): string =>
  deltas.map((delta) => (delta.type === type ? delta.text : '')).join('')

/** The message as a conversation keeps it, through JSON and back. */
function keep(deltas: readonly ModelDelta[]): ModelMessage {
  const names = new Map(deltas.flatMap((one) => (one.type === 'call_start' ? [[one.id, one.name]] : [])))
  const parts = deltas.flatMap((delta): AssistantPart[] => {
    if (delta.type === 'text' || delta.type === 'reasoning') return [delta]
    if (delta.type !== 'call_end') return []
    return [{ ...delta, type: 'call', name: names.get(delta.id) ?? '' }]
  })
  return JSON.parse(JSON.stringify({ role: 'assistant', parts: joinText(parts) })) as ModelMessage
}

function joinText(parts: readonly AssistantPart[]): readonly AssistantPart[] {
  const joined: AssistantPart[] = []
  for (const part of parts) {
    const last = joined.at(-1)
    if (part.type !== 'text' || last?.type !== 'text') joined.push(part)
    else joined[joined.length - 1] = { type: 'text', text: last.text + part.text }
  }
  return joined
}

const answered = (message: ModelMessage, isError = false): ModelRequest => ({
  ...REQUEST,
  messages: [
    ...REQUEST.messages,
    message,
    { role: 'tool', results: [{ id: 'c1', name: 'read_file', content: 'crimson', isError }] },
  ],
})

describe.each(PROVIDER_STREAMS)('$model', (provider) => {
  it("SRD/A-02: the provider's stream becomes the same start and delta events", async () => {
    const { deltas, listen } = await ask(provider, { pieces: provider.whole })
    expect(await listen(REQUEST)).toBe(null)
    expect(textOf(deltas, 'reasoning')).toBe('Hmm, so')
    expect(textOf(deltas, 'text')).toBe('Looking.')
    expect(textOf(deltas, 'call_delta')).toBe('{"path":"a.txt"}')
    const order = deltas.map(({ type }) => type).filter((type, index, all) => type !== all[index - 1])
    expect(order.filter((type) => type !== 'reasoning')).toEqual([
      'text',
      'call_start',
      'call_delta',
      'call_end',
      'usage',
      'end',
    ])
    expect(order[0]).toBe('reasoning')
    expect(deltas).toContainEqual({ type: 'call_start', id: 'c1', name: 'read_file' })
    expect(deltas.find(({ type }) => type === 'call_end')).toMatchObject({
      id: 'c1',
      argsText: '{"path":"a.txt"}',
    })
    expect(deltas.slice(-2)).toEqual([
      { type: 'usage', input: 10, output: 7, cached: 4 },
      { type: 'end', reason: 'calls' },
    ])
  })

  it('reads the same from a stream that arrives in pieces of three characters', async () => {
    const pieces = provider.whole.join('').match(/[^]{1,3}/g) ?? []
    const whole = await ask(provider, { pieces: provider.whole })
    const split = await ask(provider, { pieces })
    await whole.listen(REQUEST)
    expect(await split.listen(REQUEST)).toBe(null)
    expect(split.deltas).toEqual(whole.deltas)
  })

  it('ends with stop where nothing was called', async () => {
    const { deltas, listen } = await ask(provider, { pieces: provider.hello })
    expect(await listen({ ...REQUEST, tools: [] })).toBe(null)
    expect(textOf(deltas, 'text')).toBe('Hi')
    expect(deltas.at(-1)).toEqual({ type: 'end', reason: 'stop' })
  })

  it('gets its reasoning back unchanged, also after a restart, and the result right after the call', async () => {
    const first = await ask(provider, { pieces: provider.whole })
    await first.listen(REQUEST)
    const later = await ask(provider, { pieces: provider.hello })
    expect(await later.listen(answered(keep(first.deltas)))).toBe(null)
    const body = later.server.seen[0]?.body ?? ''
    for (const part of provider.returned) expect(objectsIn(body)).toContainEqual(part)
    expect(body.indexOf('crimson')).toBeGreaterThan(body.lastIndexOf('a.txt'))
    expect(body.match(/c1/g)?.length).toBeGreaterThanOrEqual(2)
  })

  it('is not given the reasoning of another model', async () => {
    const first = await ask(provider, { pieces: provider.whole })
    await first.listen(REQUEST)
    const other = await ask({ ...provider, model: `${provider.model}-other` }, { pieces: provider.hello })
    expect(await other.listen(answered(keep(first.deltas)))).toBe(null)
    expect(other.server.seen[0]?.body).not.toMatch(/sealed-by|hidden-by|Hmm/)
    expect(other.server.seen[0]?.body).toContain('Looking.')
  })

  it('sends a longer conversation as exactly the shorter one and more', async () => {
    const { server, listen, deltas } = await ask(provider, { pieces: provider.whole })
    await listen(REQUEST)
    const longer = answered(keep(deltas))
    await listen(longer)
    await listen({ ...longer, messages: [...longer.messages, { role: 'user', text: 'And now?' }] })
    const [, second = '', third = ''] = server.seen.map(({ body }) => body)
    const same = [...second].findIndex((sign, index) => sign !== third[index])
    expect(same).toBeGreaterThan(second.indexOf('crimson'))
  })

  it('is sent the calls of a message together, and their results together right after it', async () => {
    const { server, listen } = await ask(provider, { pieces: provider.hello })
    const calls = ['one', 'two'].map(
      (word) => ({ type: 'call', id: word, name: 'read_file', argsText: `{"path":"call-${word}"}` }) as const,
    )
    const results = calls.map(({ id, name }) => ({ id, name, content: `result-${id}`, isError: false }))
    const messages = [
      { role: 'user', text: 'words-one' },
      { role: 'assistant', parts: [{ type: 'text', text: 'said' }, ...calls] },
      { role: 'tool', results },
      { role: 'assistant', parts: [] },
      { role: 'user', text: 'words-two' },
    ] as const
    expect(await listen({ ...REQUEST, messages })).toBe(null)
    expect(server.seen[0]?.body.match(/(?:words|call|result)-(?:one|two)/g)).toEqual([
      'words-one',
      'call-one',
      'call-two',
      'result-one',
      'result-two',
      'words-two',
    ])
  })

  it('takes a call whose arguments were no JSON, and a result that is an error', async () => {
    const { server, listen } = await ask(provider, { pieces: provider.hello })
    const parts = [{ type: 'call', id: 'c1', name: 'read_file', argsText: '{"path":' }] as const
    expect(await listen(answered({ role: 'assistant', parts }, true))).toBe(null)
    expect(server.seen[0]?.body).toContain('not_json')
  })

  it.each([
    [429, 'rate_limited', { 'retry-after': '7' }, 7000],
    [429, 'rate_limited', { 'retry-after-ms': '1500', 'retry-after': '2' }, 1500],
    [529, 'overloaded', {}, null],
    [503, 'overloaded', {}, null],
    [401, 'auth', {}, null],
    [403, 'auth', {}, null],
    [400, 'bad_request', {}, null],
    [404, 'bad_request', {}, null],
  ] as const)('answers %i: %s', async (status, code, headers, retryAfterMs) => {
    const pieces = [JSON.stringify({ type: 'error', error: { type: 'x', message: `No, not with ${KEY}` } })]
    const { listen, deltas } = await ask(provider, {
      status,
      headers: { 'content-type': 'application/json', ...headers },
      pieces,
    })
    const error = await listen(REQUEST)
    expect(error).toBeInstanceOf(ModelError)
    expect(error).toMatchObject({ code, retryAfterMs })
    expect(String(error)).toContain(`${provider.model} answered ${status}`)
    expect(String(error)).not.toContain(KEY)
    if (code === 'auth') expect(String(error)).toContain(provider.key)
    expect(deltas).toEqual([])
  })

  it('does not show the key where a broken server returns a page with it', async () => {
    const { listen } = await ask(provider, {
      status: 500,
      pieces: [`<html>${'x'.repeat(5000)} ${KEY}</html>`],
    })
    const error = await listen(REQUEST)
    expect(error).toMatchObject({ code: 'overloaded' })
    expect(String(error)).not.toContain(KEY)
    expect(String(error).length).toBeLessThan(1000)
  })

  it.each(['tear', 'end'] as const)('is torn where the stream stops in the middle (%s)', async (ending) => {
    const { listen, deltas } = await ask(provider, { pieces: provider.begun, ending })
    const error = await listen(REQUEST)
    expect(error).toBeInstanceOf(ModelError)
    expect(error).toMatchObject({ code: 'torn_stream' })
    expect(deltas.map(({ type }) => type)).not.toContain('call_end')
    expect(deltas.map(({ type }) => type)).not.toContain('end')
  })

  it('is torn where the stream is empty, or no stream at all', async () => {
    const empty = await ask(provider, { pieces: [] })
    expect(await empty.listen(REQUEST)).toMatchObject({ name: 'ModelError', code: 'torn_stream' })
    const page = await ask(provider, { pieces: ['<html>Welcome</html>'] })
    expect(await page.listen(REQUEST)).toMatchObject({ name: 'ModelError', code: 'torn_stream' })
  })

  it.each([
    ['a line without an end', 200, 'data: "', MEGABYTE],
    ['an event without an end', 200, 'data: "x"\n', `: ${MEGABYTE}\n`],
    ['an error without an end', 400, '{"error":{"message":"', MEGABYTE],
    ['an error of the server without an end', 500, '', MEGABYTE],
  ])('is torn where the server sends %s, and hangs up', async (_, status, first, unit) => {
    const pieces = [first, ...Array.from({ length: 64 }, () => unit)]
    const { listen, server } = await ask(provider, { status, pieces, ending: 'hang' })
    const error = await listen(REQUEST)
    expect(error).toMatchObject({ name: 'ModelError', code: 'torn_stream' })
    expect(String(error)).toMatch(
      /: the server sent a message of more than \d+ bytes, so the answer was not read/,
    )
    await server.left
  })

  it('is torn where garbage stands in the stream', async () => {
    const pieces = [
      ...provider.begun,
      'data: {"type": oh no\n\n',
      ...provider.whole.slice(provider.begun.length),
    ]
    const { listen, deltas } = await ask(provider, { pieces })
    const error = await listen(REQUEST)
    expect(error).toMatchObject({ name: 'ModelError', code: 'torn_stream' })
    expect(String(error).length).toBeLessThan(300)
    expect(deltas.map(({ type }) => type)).not.toContain('end')
  })

  it('says what to set where the conversation has outgrown the model', async () => {
    const message = "This model's maximum context length is 8192 tokens, however you requested 9000."
    const body = JSON.stringify({
      type: 'error',
      error: { type: 'invalid', code: 400, status: 'X', message },
    })
    const { listen } = await ask(provider, { status: 400, pieces: [body] })
    expect(await listen(REQUEST)).toMatchObject({
      code: 'bad_request',
      message: expect.stringContaining('model.context_tokens'),
    })
  })

  it('tells of every event that comes in, so that silence is not mistaken', async () => {
    const { client } = await ask(provider, { pieces: provider.hello })
    let signs = 0
    for await (const _ of client.stream(REQUEST, soon(), () => (signs += 1))) void _
    expect(signs).toBeGreaterThan(1)
  })

  it('does not follow a redirect with the key', async () => {
    const elsewhere = await startModelServer({ pieces: provider.hello })
    const { listen } = await ask(provider, { status: 307, headers: { location: elsewhere.url }, pieces: [] })
    expect(await listen(REQUEST)).toBeInstanceOf(ModelError)
    expect(elsewhere.seen).toEqual([])
  })

  it('stops with the reason of the signal, and hangs up', async () => {
    const { client, server } = await ask(provider, { pieces: provider.begun, ending: 'hang' })
    const stop = new AbortController()
    const reason = new Error('enough')
    const hear = async (): Promise<void> => {
      for await (const delta of client.stream(REQUEST, stop.signal))
        if (delta.type === 'text') stop.abort(reason)
    }
    await expect(hear()).rejects.toBe(reason)
    await server.left
  })

  it('hangs up when nobody listens any more', async () => {
    const { client, server } = await ask(provider, { pieces: provider.begun, ending: 'hang' })
    for await (const delta of client.stream(REQUEST, soon())) if (delta.type === 'text') break
    await server.left
  })

  it('is torn where the server hangs up before it answers, so that it is asked again', async () => {
    const server = createServer((socket) => socket.once('data', () => socket.destroy()))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void server.close())
    const client = await openModel(provider.model, {
      env: { [provider.key]: KEY },
      baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    })
    const hear = async (): Promise<void> => {
      for await (const _ of client.stream(REQUEST, soon())) void _
    }
    await expect(hear()).rejects.toMatchObject({ name: 'ModelError', code: 'torn_stream' })
  })

  it('says that nobody answers where there is no server', async () => {
    const client = await openModel(provider.model, {
      env: { [provider.key]: KEY },
      baseUrl: 'http://127.0.0.1:9',
    })
    const hear = async (): Promise<void> => {
      for await (const _ of client.stream(REQUEST, soon())) void _
    }
    await expect(hear()).rejects.toMatchObject({ name: 'ModelError', code: 'network' })
  })
})

describe('one provider', () => {
  const [anthropic, openai, google, compatible] = PROVIDER_STREAMS as readonly [
    ProviderStream,
    ProviderStream,
    ProviderStream,
    ProviderStream,
  ]

  it('anthropic: is overloaded also where it says so in the middle of the stream', async () => {
    const error = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }
    const pieces = [...anthropic.begun, `event: error\ndata: ${JSON.stringify(error)}\n\n`]
    const { listen } = await ask(anthropic, { pieces })
    expect(await listen(REQUEST)).toMatchObject({ name: 'ModelError', code: 'overloaded' })
  })

  it.each([
    [anthropic, '"end_turn"', '"refusal"', 'refused'],
    [anthropic, '"end_turn"', '"max_tokens"', 'length'],
    [google, '"STOP"', '"SAFETY"', 'refused'],
    [google, '"STOP"', '"MAX_TOKENS"', 'length'],
    [compatible, '"stop"', '"content_filter"', 'refused'],
    [compatible, '"stop"', '"length"', 'length'],
  ])('$0.model: says with $2 that the answer is $3', async (provider, usual, word, reason) => {
    const pieces = provider.hello.map((piece) => piece.replace(usual, word))
    const { listen, deltas } = await ask(provider, { pieces })
    expect(await listen(REQUEST)).toBe(null)
    expect(deltas.at(-1)).toEqual({ type: 'end', reason })
  })

  it('anthropic: passes over events of a kind that is new', async () => {
    const [start = '', ...rest] = anthropic.hello
    const { listen, deltas } = await ask(anthropic, {
      pieces: [start, 'event: weather\ndata: {"type":"weather","sky":"blue"}\n\n', ...rest],
    })
    expect(await listen(REQUEST)).toBe(null)
    expect(textOf(deltas, 'text')).toBe('Hi')
  })

  it('anthropic: is torn where an event that is known makes no sense', async () => {
    const { listen } = await ask(anthropic, {
      pieces: [...anthropic.begun, 'data: {"type":"content_block_delta","index":"no"}\n\n'],
    })
    expect(await listen(REQUEST)).toMatchObject({ name: 'ModelError', code: 'torn_stream' })
  })

  it.each([
    [
      openai,
      'rate_limited',
      { type: 'error', sequence_number: 9, code: 'rate_limit_exceeded', message: KEY },
    ],
    [google, 'overloaded', { error: { code: 503, message: KEY, status: 'UNAVAILABLE' } }],
    [
      compatible,
      'rate_limited',
      { error: { message: KEY, type: 'rate_limit_error', code: null, param: null } },
    ],
    [compatible, 'bad_request', { error: { message: KEY, type: 'x', code: 400, param: null } }],
  ])('$0.model: says in the middle of the stream that it is $1', async (provider, code, error) => {
    const { listen } = await ask(provider, {
      pieces: [...provider.begun, `data: ${JSON.stringify(error)}\n\n`],
    })
    const thrown = await listen(REQUEST)
    expect(thrown).toMatchObject({ name: 'ModelError', code })
    expect(String(thrown)).not.toContain(KEY)
    expect(String(thrown)).not.toContain('[object')
  })

  it('anthropic: asks for cached input and marks an error as one', async () => {
    const { listen, server } = await ask(anthropic, { pieces: anthropic.hello })
    const parts = [{ type: 'call', id: 'c1', name: 'read_file', argsText: '{}' }] as const
    await listen(answered({ role: 'assistant', parts }, true))
    expect(JSON.parse(server.seen[0]?.body ?? '')).toMatchObject({ cache_control: { type: 'ephemeral' } })
    expect(JSON.parse(server.seen[0]?.body ?? '')).toMatchObject({
      system: [{ type: 'text', cache_control: { type: 'ephemeral' } }],
    })
    expect(server.seen[0]?.body).toContain('"is_error":true')
    expect(server.seen[0]?.headers['x-api-key']).toBe(KEY)
  })

  it('openai: leaves nothing with the provider and asks for its reasoning encrypted', async () => {
    const { listen, server } = await ask(openai, { pieces: openai.hello })
    await listen(REQUEST)
    expect(server.seen[0]?.url).toBe('/v1/responses')
    expect(JSON.parse(server.seen[0]?.body ?? '')).toMatchObject({
      store: false,
      include: ['reasoning.encrypted_content'],
    })
  })

  it('google: waits as long as the body of the answer asks for', async () => {
    const details = [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '3.5s' }]
    const body = { error: { code: 429, message: 'Slow down', status: 'RESOURCE_EXHAUSTED', details } }
    const { listen } = await ask(google, { status: 429, pieces: [JSON.stringify(body)] })
    expect(await listen(REQUEST)).toMatchObject({ code: 'rate_limited', retryAfterMs: 3500 })
  })

  it('compatible: works without a key, and never borrows that of another provider', async () => {
    const server = await startModelServer({ pieces: compatible.hello })
    const env = { OPENAI_API_KEY: KEY, ANTHROPIC_API_KEY: KEY }
    const client = await openModel('compatible/a/b:7b', { env, baseUrl: `${server.url}/v1/` })
    for await (const _ of client.stream(REQUEST, soon())) void _
    expect(server.seen[0]?.url).toBe('/v1/chat/completions')
    expect(JSON.stringify(server.seen)).not.toContain(KEY)
    expect(JSON.parse(server.seen[0]?.body ?? '')).toMatchObject({ model: 'a/b:7b' })
  })

  it('anthropic: an id that is used twice gives two calls', async () => {
    const again = anthropic.whole.slice(-7, -2).map((piece) => piece.replace('"index":3', '"index":4'))
    const pieces = [...anthropic.whole.slice(0, -2), ...again, ...anthropic.whole.slice(-2)]
    const { listen, deltas } = await ask(anthropic, { pieces })
    expect(await listen(REQUEST)).toBe(null)
    const calls = deltas.filter(({ type }) => type === 'call_start' || type === 'call_end')
    expect(calls.map(({ type }) => type)).toEqual(['call_start', 'call_end', 'call_start', 'call_end'])
  })

  it('anthropic: a call that the provider says it has run by itself is not run here', async () => {
    const [start = '', ...rest] = anthropic.hello
    const event = (data: { type: string }): string => `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`
    const use = { type: 'mcp_tool_use', id: 'm1', name: 'write_file', server_name: 's', input: { path: 'a' } }
    const result = { type: 'mcp_tool_result', tool_use_id: 'm1', is_error: false, content: [] }
    const blocks = [use, result].flatMap((content_block, at) => [
      event(Object.assign({ type: 'content_block_start' }, { index: at + 7, content_block })),
      event(Object.assign({ type: 'content_block_stop' }, { index: at + 7 })),
    ])
    const { listen, deltas } = await ask(anthropic, { pieces: [start, ...blocks, ...rest] })
    expect(await listen(REQUEST)).toBe(null)
    expect(deltas.filter(({ type }) => type.startsWith('call'))).toEqual([])
    expect(textOf(deltas, 'text')).toBe('Hi')
  })

  it('compatible: gets its own reasoning back', async () => {
    const { listen, server, deltas } = await ask(compatible, { pieces: compatible.whole })
    await listen(REQUEST)
    await listen(answered(keep(deltas)))
    expect(objectsIn(server.seen[1]?.body ?? '')).toContainEqual(
      expect.objectContaining({ role: 'assistant', content: 'Looking.', reasoning_content: 'Hmm, so' }),
    )
  })

  it('compatible: a call whose arguments are no JSON still ends, with the message', async () => {
    const pieces = compatible.whole.map((piece) => piece.replace(String.raw`a.txt\"}`, 'a.txt'))
    const { listen, deltas } = await ask(compatible, { pieces })
    expect(await listen(REQUEST)).toBe(null)
    expect(deltas).toContainEqual({ type: 'call_end', id: 'c1', argsText: '{"path":"a.txt' })
  })
})

describe('an answer without an end', () => {
  const chunk = (delta: object): string =>
    `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, delta, finish_reason: null }] })}\n\n`
  const call = (index: number, name: string, args: string): string =>
    chunk({ tool_calls: [{ index, id: `i${index}`, type: 'function', function: { name, arguments: args } }] })

  it.each<[string, (index: number) => string]>([
    ['text', () => chunk({ content: MEGABYTE })],
    ['reasoning', () => chunk({ reasoning_content: MEGABYTE })],
    ['names of calls', (index) => call(index, MEGABYTE, '{}')],
    [
      'arguments of one call',
      (index) =>
        index === 0
          ? call(0, 'read_file', '{"path":"')
          : chunk({ tool_calls: [{ index: 0, function: { arguments: MEGABYTE } }] }),
    ],
  ])('is torn after %s of so many characters', async (_, make) => {
    const provider = PROVIDER_STREAMS.find(({ model }) => model.startsWith('compatible/'))
    if (provider === undefined) throw new Error('there is no such provider')
    const pieces = Array.from({ length: 64 }, (_unused, index) => make(index))
    const { listen, deltas, server } = await ask(provider, { pieces, ending: 'hang' })
    const error = await listen(REQUEST)
    expect(error).toMatchObject({ name: 'ModelError', code: 'torn_stream' })
    expect(String(error)).toMatch(/the answer has more than \d+ characters, so the rest was not read/)
    expect(deltas.length).toBeLessThan(40)
    await server.left
  })
})
