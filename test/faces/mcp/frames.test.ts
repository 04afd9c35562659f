import { once } from 'node:events'
import { PassThrough } from 'node:stream'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { JsonObject } from '../../../src/core/json/value.ts'
import { createArgumentProblems, LineTransport } from '../../../src/faces/mcp/line-transport.ts'
import { listen, openServed, TOKEN } from './open-client.ts'
import { openRaw } from './open-raw.ts'

const rpc = (message: JsonObject): string => JSON.stringify({ jsonrpc: '2.0', ...message })
const call = (params: JsonObject): string => rpc({ id: 7, method: 'tools/call', params })
const twice = (line: string): string => `${line}\n${line}`
const INITIALIZE = rpc({
  id: 7,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
})
const CANCELLED = rpc({ method: 'notifications/cancelled', params: { requestId: 7 } })
const GONE = { progressToken: 'none', progress: 1 }

/** How a frame is answered: by a result, an error of this code with or without the id, or not at all. */
type Answer = 'result' | 'silence' | `${number}` | `${number} without id`

/** Frames that no good client sends, with the answer over lines, and that over HTTP if it is another. */
const FRAMES: readonly (readonly [string, string | Buffer, readonly Answer[], Answer?])[] = [
  ['an id that is null', '{"jsonrpc":"2.0","id":null,"method":"ping"}', ['-32600 without id']],
  ['an id that is an object', '{"jsonrpc":"2.0","id":{"a":1},"method":"ping"}', ['-32600 without id']],
  ['an id that is a list', '{"jsonrpc":"2.0","id":[1],"method":"ping"}', ['-32600 without id']],
  ['an id that is true', '{"jsonrpc":"2.0","id":true,"method":"ping"}', ['-32600 without id']],
  ['an id that is half a number', '{"jsonrpc":"2.0","id":1.5,"method":"ping"}', ['-32600 without id']],
  [
    'an id that is not exact',
    '{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}',
    ['-32600 without id'],
  ],
  ['an id of a megabyte', rpc({ id: 'x'.repeat(1_000_000), method: 'ping' }), ['result']],
  ['an id that all objects have', rpc({ id: '__proto__', method: 'ping' }), ['result']],
  ['a method that is a number', '{"jsonrpc":"2.0","id":7,"method":5}', ['-32600']],
  ['a method that nobody knows', rpc({ id: 7, method: 'no/such' }), ['-32601']],
  ['a method that all objects have', rpc({ id: 7, method: 'toString' }), ['-32601']],
  ['parameters that are a list', '{"jsonrpc":"2.0","id":7,"method":"tools/call","params":[1]}', ['-32600']],
  ['parameters that are null', '{"jsonrpc":"2.0","id":7,"method":"tools/call","params":null}', ['-32600']],
  ['arguments that are a list', call({ name: 'read_file', arguments: [1] }), ['-32602']],
  ['a tool without a name', call({}), ['-32602']],
  ['a tool that all objects have', call({ name: 'constructor', arguments: {} }), ['result']],
  ['another version of the envelope', '{"jsonrpc":"1.0","id":7,"method":"ping"}', ['-32600']],
  ['neither a request nor an answer', '{"jsonrpc":"2.0","id":7}', ['-32600']],
  ['a request that is an answer too', rpc({ id: 7, method: 'ping', result: {} }), ['-32600']],
  ['an answer to no request', rpc({ id: 99, result: {} }), ['silence']],
  ['an answer that is an error too', rpc({ id: 99, result: {}, error: {} }), ['-32600 without id']],
  ['an answer that is text', rpc({ id: 99, result: 'yes' }), ['-32600 without id']],
  ['an error without a code', rpc({ id: 99, error: { message: 'x' } }), ['-32600 without id']],
  ['an answer twice', twice(rpc({ id: 0, result: { action: 'accept' } })), ['silence'], '-32700 without id'],
  ['a second beginning', INITIALIZE, ['result'], '-32600 without id'],
  ['a second end of the beginning', rpc({ method: 'notifications/initialized' }), ['silence']],
  [
    'a request twice',
    twice(rpc({ id: 7, method: 'ping' })),
    ['-32600 without id', 'result'],
    '-32700 without id',
  ],
  ['the end of no request', CANCELLED, ['silence']],
  [
    'the end of a request before it',
    `${CANCELLED}\n${rpc({ id: 7, method: 'ping' })}`,
    ['result'],
    '-32700 without id',
  ],
  ['progress of nothing', rpc({ method: 'notifications/progress', params: GONE }), ['silence']],
  ['a notice that nobody knows', rpc({ method: 'notifications/no/such' }), ['silence']],
  ['bytes that are no text', Buffer.from([0x7b, 0xff, 0xfe, 0x00, 0x7d]), ['-32700 without id']],
  ['half a character', rpc({ id: 7, method: 'ping', params: { a: '\uD800' } }), ['result']],
  ['nothing but blanks', ' \t \r', ['silence'], '-32700 without id'],
]

interface Message {
  readonly id?: unknown
  readonly result?: object
  readonly error?: { readonly code: number; readonly message: string }
}

function nameAnswer({ id, result, error }: Message): string {
  if (result !== undefined) return 'result'
  expect(error?.message).toMatch(/\w+ \w+/)
  return `${error?.code}${id === undefined || id === null ? ' without id' : ''}`
}

const expected = (at: 'lines' | 'http'): object =>
  Object.fromEntries(
    FRAMES.map(([what, , answers, other]) => [
      what,
      at === 'http' && other !== undefined ? [other] : answers,
    ]),
  )

/** A client that writes what it likes. */
async function openLines() {
  const raw = await openRaw()
  const { input } = raw
  const next = async (): Promise<Message> => (await raw.next()) as unknown as Message
  const write = async (text: string | Buffer): Promise<void> => {
    if (!input.write(text)) await once(input, 'drain')
  }
  let sent = 0
  /** Asks something good, and returns what was answered before that. */
  async function ping(): Promise<readonly Message[]> {
    const id = `good ${(sent += 1)}`
    const before: Message[] = []
    await write(`${rpc({ id, method: 'ping' })}\n`)
    for (let message = await next(); message.id !== id; message = await next()) before.push(message)
    return before
  }
  await write(`${INITIALIZE}\n`)
  await next()
  return { write, next, ping }
}

/** What is in use after everything was collected that can be. */
async function heapBytes(): Promise<number> {
  setFlagsFromString('--expose-gc')
  const collect: () => void = runInNewContext('gc')
  await new Promise(setImmediate)
  collect()
  return process.memoryUsage().heapUsed
}

describe('frames that no good client sends', () => {
  it('over lines: each has its answer, and the next request is answered', async () => {
    const { write, next, ping } = await openLines()
    const seen: Record<string, readonly string[]> = {}
    for (const [what, frame, answers] of FRAMES) {
      await write(frame)
      await write('\n')
      const got = [...(await ping())]
      const wanted = answers.filter((answer) => answer !== 'silence').length
      while (got.length < wanted) got.push(await next())
      got.push(...(await ping()))
      seen[what] = got.length === 0 ? ['silence'] : got.map(nameAnswer)
    }
    expect(seen).toEqual(expected('lines'))
  })

  it('over HTTP: each has its answer, and the next request is answered', async () => {
    const url = await listen(await openServed())
    const headers: Record<string, string> = {
      authorization: `Bearer ${TOKEN}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2025-11-25',
    }
    async function post(frame: string | Buffer): Promise<string> {
      const body = typeof frame === 'string' ? frame : new Uint8Array(frame)
      const reply = await fetch(url, { method: 'POST', headers, body })
      headers['mcp-session-id'] ??= reply.headers.get('mcp-session-id') ?? ''
      const text = await reply.text()
      if (text === '') return reply.status === 202 ? 'silence' : String(reply.status)
      const json = /^data: (\{.*)$/m.exec(text)?.[1] ?? text
      return nameAnswer(JSON.parse(json) as Message)
    }
    expect(await post(INITIALIZE)).toBe('result')
    const seen: Record<string, readonly string[]> = {}
    for (const [what, frame] of FRAMES) {
      seen[what] = [await post(frame)]
      expect(await post(rpc({ id: 'good', method: 'ping' }))).toBe('result')
    }
    expect(seen).toEqual(expected('http'))
  })

  it('in great numbers do not stay in memory', async () => {
    const { write, ping } = await openLines()
    const floods = [
      (n: number) => rpc({ id: `nobody asked ${n}`, result: {} }),
      (n: number) => rpc({ method: `notifications/none/${n}` }),
      (n: number) => rpc({ method: 'notifications/cancelled', params: { requestId: `none ${n}` } }),
      (n: number) => rpc({ method: 'notifications/progress', params: { progressToken: n, progress: n } }),
    ]
    const [before, pad] = [await heapBytes(), `,"_pad":"${'x'.repeat(10_000)}"}\n`]
    for (const flood of floods)
      for (let n = 0; n < 10; n++) {
        // Together 40 MB, most of it in what they say besides.
        await write(Array.from({ length: 100 }, (_, k) => flood(n * 100 + k).slice(0, -1) + pad).join(''))
        expect(await ping()).toEqual([])
      }
    expect((await heapBytes()) - before).toBeLessThan(10_000_000)
  })

  it('a request that was cancelled is not waited for when the input ends', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const [input, output] = [new PassThrough(), new PassThrough()]
    const transport = new LineTransport(input, output, createArgumentProblems())
    await transport.start()
    input.end(`${call({ name: 'read_file', arguments: {} })}\n${CANCELLED}\n`)
    await transport.closed
    expect(vi.getTimerCount()).toBe(0)
  })
})
