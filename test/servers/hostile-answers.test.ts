import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { JsonObject } from '../../src/core/json/value.ts'
import type { ServerProcess } from '../../src/host/serve/start-server.ts'
import { connect } from '../../src/servers/connect.ts'
import type { Connection } from '../../src/servers/connect.ts'
import { PATIENCE_MS } from '../harness/patience.ts'

interface Request {
  readonly id: number
  readonly method: string
  readonly params: { readonly name?: string }
}

const rpc = (message: JsonObject): string => JSON.stringify({ jsonrpc: '2.0', ...message })
const say = (said: string): JsonObject => ({
  resultType: 'complete',
  content: [{ type: 'text', text: said }],
})
const fine = (id: number): string => rpc({ id, result: say('fine') })

/** What servers send as the answer to a call, and what becomes of the call: the text of its result, or its error. */
type Answers = Readonly<Record<string, readonly [(id: number) => readonly string[], RegExp]>>

/** Messages beside a good answer. */
const PASSED_OVER: Answers = {
  'nothing odd': [(id) => [fine(id)], /^fine$/],
  'the answer twice': [(id) => [fine(id), rpc({ id, result: say('other') })], /^fine$/],
  'an answer to an earlier request before': [
    (id) => [rpc({ id: id - 1, result: say('old') }), fine(id)],
    /^fine$/,
  ],
  'an answer to a later request before': [
    (id) => [rpc({ id: id + 1, result: say('next') }), fine(id)],
    /^fine$/,
  ],
  'an answer to no request before': [(id) => [rpc({ id: 'none', result: {} }), fine(id)], /^fine$/],
  'an error for no request before': [
    (id) => [rpc({ id: null, error: { code: 1, message: 'x' } }), fine(id)],
    /^fine$/,
  ],
  'a notice that nobody knows before': [(id) => [rpc({ method: 'notifications/none' }), fine(id)], /^fine$/],
  'progress of nothing before': [
    (id) => [
      rpc({ method: 'notifications/progress', params: { progressToken: 'x', progress: 1 } }),
      fine(id),
    ],
    /^fine$/,
  ],
  'a request with the id of the call before': [
    (id) => [rpc({ id, method: 'roots/list' }), fine(id)],
    /^fine$/,
  ],
  'a request that is malformed, with the id of the call, before': [
    (id) => [`{"jsonrpc":"2.0","id":${id},"method":"roots/list","params":[1]}`, fine(id)],
    /^fine$/,
  ],
  'an id that is an object before': [(id) => ['{"jsonrpc":"2.0","id":{},"result":{}}', fine(id)], /^fine$/],
  'what is not JSON before': [(id) => ['{oops', fine(id)], /^fine$/],
  'an array before': [(id) => ['[]', fine(id)], /^fine$/],
  'an error': [(id) => [rpc({ id, error: { code: -1, message: 'no such luck' } })], /no such luck/],
  'a result without content': [
    (id) => [rpc({ id, result: { resultType: 'complete', content: 5 } })],
    /[Ii]nvalid/,
  ],
  'thousands of notices before': [
    (id) => [...Array.from({ length: 5_000 }, (_, n) => rpc({ method: `notifications/${n}` })), fine(id)],
    /^fine$/,
  ],
}

/** Answers that are none. */
const REFUSED: Answers = {
  'a result that is an error too': [
    (id) => [rpc({ id, result: {}, error: { code: 1, message: 'x' } })],
    /only one of them/,
  ],
  'a result that is text': [
    (id) => [rpc({ id, result: 'yes' })],
    /has the "id" of its request and an object/,
  ],
  'an error without a code': [(id) => [rpc({ id, error: { message: 'x' } })], /has a "code" and a "message"/],
  'neither result nor error': [(id) => [rpc({ id })], /only one of them/],
  'another version of the envelope': [
    (id) => [`{"jsonrpc":"1.0","id":${id},"result":{}}`],
    /"jsonrpc": "2.0"/,
  ],
  'a result with a key twice': [(id) => [`{"jsonrpc":"2.0","id":${id},"result":{"a":1,"a":2}}`], /ambiguous/],
  'a result with a prototype': [
    (id) => [`{"jsonrpc":"2.0","id":${id},"result":{"__proto__":{}}}`],
    /ambiguous/,
  ],
  'a result that is too deep': [
    (id) => [`{"jsonrpc":"2.0","id":${id},"result":${'{"a":'.repeat(500)}1${'}'.repeat(500)}}`],
    /deep/,
  ],
}

/** What a server at an address sends in place of an answer. */
const MISSING: Answers = {
  'no message at all': [() => [], /has not answered the request/],
  'what is not JSON': [() => ['{oops'], /has not answered the request: This is not JSON/],
  'an answer to another request': [(id) => [rpc({ id: id + 1, result: {} })], /has not answered the request/],
  'an array': [() => ['[]'], /has not answered the request: Several messages/],
  'nothing but that it was accepted': [() => ['accepted'], /status 202 and no content/],
  'a stream that breaks off': [() => ['break'], /has not answered the request: terminated/],
}

const BASICS: Readonly<Record<string, JsonObject>> = {
  'server/discover': {
    resultType: 'complete',
    supportedVersions: ['2026-07-28'],
    capabilities: { tools: {} },
  },
}

/** The messages that answer a request. */
function answersTo({ id, method, params }: Request): readonly string[] {
  if (method === 'tools/call')
    return { ...PASSED_OVER, ...REFUSED, ...MISSING }[params.name ?? '']?.[0](id) ?? []
  return [rpc({ id, result: BASICS[method] ?? {} })]
}

/** A program that answers so, without a process. */
function program(): ServerProcess {
  const { promise: ended, resolve: end } = Promise.withResolvers<string>()
  let take: (chunk: Uint8Array) => void = () => undefined
  return {
    ended,
    endIfItMadeGit: async () => undefined,
    close: async () => end('it was closed'),
    onOutput: (taker) => void (take = taker),
    async write(line) {
      const request = JSON.parse(line) as Request
      for (const answer of request.id === undefined ? [] : answersTo(request))
        take(Buffer.from(`${answer}\n`))
    },
  }
}

/** A server at an address that answers so. */
async function address(type: 'text/event-stream' | 'application/json'): Promise<string> {
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const asked = JSON.parse(body) as Request
      if (asked.id === undefined) return response.writeHead(202).end()
      const answers = answersTo(asked)
      if (answers[0] === 'accepted') return response.writeHead(202).end()
      response.writeHead(200, { 'content-type': type })
      if (answers[0] === 'break') {
        return response.write('{', () => request.socket.destroy())
      }
      const events = answers.map((answer) => `event: message\ndata: ${answer}\n\n`).join('')
      return response.end(type === 'text/event-stream' ? events : answers[0])
    })
  }).listen(0, '127.0.0.1')
  await new Promise((done) => server.once('listening', done))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const bound = server.address()
  return `http://127.0.0.1:${typeof bound === 'object' && bound !== null ? bound.port : 0}/mcp`
}

async function callWith(connection: Connection, tool: string, timeoutMs = PATIENCE_MS): Promise<string> {
  const call = {
    tool,
    inputSchema: {},
    args: {},
    idempotencyKey: 'k',
    timeoutMs,
    onProgress: () => undefined,
  }
  try {
    const result = (await connection.call({ ...call, signal: AbortSignal.timeout(timeoutMs) })) as {
      readonly content: readonly { readonly text: string }[]
    }
    return result.content[0]?.text ?? ''
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

describe('answers that no good server sends', () => {
  it('from a program end their own call at most, at once, and the next one is answered', async () => {
    const connection = await connect(
      { is: 'process', process: program(), findUnhidden: () => null },
      () => undefined,
      PATIENCE_MS,
    )
    onTestFinished(() => connection.close())
    for (const [what, [, ending]] of [...Object.entries(PASSED_OVER), ...Object.entries(REFUSED)]) {
      expect(await callWith(connection, what), what).toMatch(ending)
      expect(await callWith(connection, 'nothing odd'), what).toBe('fine')
    }
    expect(connection.endedBy()).toBeNull()
  })

  it.for([
    ['as events', 'text/event-stream'],
    ['as one message', 'application/json'],
  ] as const)(
    'from an address %s end their own call at most, at once, and the next one is answered',
    async ([, type]) => {
      const reached = { is: 'url', url: await address(type), headers: {}, tokens: null } as const
      const connection = await connect(reached, () => undefined, PATIENCE_MS)
      onTestFinished(() => connection.close())
      const single = Object.entries({ ...PASSED_OVER, ...REFUSED, ...MISSING }).filter(
        ([, [answers]]) => type === 'text/event-stream' || answers(1).length < 2,
      )
      for (const [what, [, ending]] of single) {
        expect(await callWith(connection, what), what).toMatch(ending)
        expect(await callWith(connection, 'nothing odd'), what).toBe('fine')
      }
      expect(connection.endedBy()).toBeNull()
    },
  )
})
