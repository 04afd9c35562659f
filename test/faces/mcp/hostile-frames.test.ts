import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { request as httpRequest } from 'node:http'
import type { IncomingMessage } from 'node:http'
import { connect } from 'node:net'
import type { Socket } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { listen, openServed, TOKEN } from './open-client.ts'
import { openRaw } from './open-raw.ts'

/** A client whose session has begun. */
async function openBegun() {
  const raw = await openRaw()
  const { input, next } = raw
  const send = (text: string): void => void input.write(`${text}\n`)
  send(
    '{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"raw","version":"1"}}}',
  )
  await next()
  send('{"jsonrpc":"2.0","method":"notifications/initialized"}')
  return { ...raw, send }
}

const PING = '{"jsonrpc":"2.0","id":"ping","method":"ping"}'

describe('lines that are no messages', () => {
  it.each([
    ['not JSON', '{oops', -32_700],
    ['a string', '"hello"', -32_600],
    ['an array of messages', `[${PING}]`, -32_600],
    ['no version', '{"id":7,"method":"ping"}', -32_600],
    ['a key twice', '{"jsonrpc":"2.0","id":7,"method":"ping","method":"tools/list"}', -32_600],
    ['a prototype', '{"jsonrpc":"2.0","id":7,"method":"ping","__proto__":{}}', -32_600],
    ['a depth of ten thousand', `${'['.repeat(10_000)}${']'.repeat(10_000)}`, -32_600],
  ])('%s: an error says so, and the next message is answered', async (_what, line, code) => {
    const { send, next } = await openBegun()
    send(line)
    expect(await next()).toMatchObject({ error: { code } })
    send(PING)
    expect(await next()).toMatchObject({ id: 'ping', result: {} })
  })

  it('20 MB without an end are not kept, and the next line is answered', async () => {
    const { send, next, input } = await openBegun()
    const before = process.memoryUsage().arrayBuffers
    const megabyte = Buffer.alloc(1_000_000, 'x')
    for (let sent = 0; sent < 20; sent++) input.write(megabyte)
    await new Promise(setImmediate)
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(40_000_000)
    send('')
    expect(await next()).toMatchObject({ error: { code: -32_600 } })
    send(PING)
    expect(await next()).toMatchObject({ id: 'ping' })
  })

  it('answers that nobody asked for are ignored', async () => {
    const { send, next } = await openBegun()
    send('{"jsonrpc":"2.0","id":99,"result":{"action":"accept","content":{"answer":"yes, this once"}}}')
    send('{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":"x"}}')
    send(PING)
    expect(await next()).toMatchObject({ id: 'ping' })
  })

  it('arguments that mean two things at once are refused by the call itself', async () => {
    const { send, next, root } = await openBegun()
    writeFileSync(join(root, 'a.txt'), 'one\n')
    send(
      '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"read_file","arguments":{"path":"a.txt","path":"b.txt"}}}',
    )
    const answer = await next()
    expect(JSON.stringify(answer)).toContain('bad_args')
    expect(JSON.stringify(answer)).toContain('duplicate key')
  })

  it('a state that we did not make is refused', async () => {
    const { send, next } = await openBegun()
    send(
      '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"write_file","arguments":{"path":"a.txt","content":"x"},"requestState":"v1.e30.AAAA","inputResponses":{"x":{"action":"accept","content":{"answer":"yes, this once"}}}}}',
    )
    const answer = JSON.stringify(await next())
    expect(answer).not.toContain('"ok":true')
  })
})

interface Reply {
  readonly status: number
  readonly text: string
}

function post(url: string, headers: Record<string, string>, body: string): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const sent = httpRequest(url, { method: 'POST', headers }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (part: string) => (text += part))
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text }))
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

const GOOD = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' }

describe('requests over loopback', () => {
  it.each([
    ['no token', { ...GOOD, authorization: '' }, 401],
    ['a wrong token', { ...GOOD, authorization: `Bearer ${TOKEN}x` }, 401],
    ['the host of another machine', { ...GOOD, host: 'evil.example' }, 403],
    ['a page in a browser', { ...GOOD, origin: 'https://evil.example' }, 403],
    ['a page of this machine', { ...GOOD, origin: 'http://localhost:3000' }, 403],
    ['another type', { ...GOOD, 'content-type': 'text/plain' }, 415],
  ])('with %s are refused before they are read', async (_what, headers, status) => {
    const url = await listen(await openServed())
    const reply = await post(url, headers, PING)
    expect(reply.status).toBe(status)
    expect(reply.text).not.toContain('"result"')
  })

  it.each([
    ...['TRACE', 'OPTIONS', 'PUT', 'PROPFIND'].map((method) => [method, 'localhost', 405] as const),
    ...['localhost:99999', 'localhost:', 'localhost:x', 'a@localhost', 'localhost/x', '[::1'].map(
      (host) => ['GET', host, 403] as const,
    ),
  ])('%s to the host %j is refused in words, also with the token', async (method, host, status) => {
    const url = await listen(await openServed())
    const asking = httpRequest(url, { method, headers: { host, authorization: GOOD.authorization } }).end()
    const [reply] = (await once(asking, 'response')) as [IncomingMessage]
    reply.resume()
    expect(reply.statusCode).toBe(status)
  })

  it('a message that is too large is refused, and the next one is answered', async () => {
    const url = await listen(await openServed())
    expect((await post(url, GOOD, `"${'x'.repeat(17_000_000)}"`)).status).toBe(413)
    expect((await post(url, GOOD, '{oops')).text).toContain('-32700')
  })

  it('what is wrong with the arguments of one client is not held against another', async () => {
    const served = await openServed()
    writeFileSync(join(served.root, 'a.txt'), 'one\n')
    const url = await listen(served)
    const current = (args: string, version: string): string =>
      `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"read_file","arguments":${args},"_meta":{"io.modelcontextprotocol/protocolVersion":"${version}","io.modelcontextprotocol/clientInfo":{"name":"raw","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}}}`
    const headers = {
      ...GOOD,
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': 'read_file',
    }
    const [bad, good] = await Promise.all([
      post(url, headers, current('{"path":"a.txt","path":"b.txt"}', '2026-07-28')),
      post(url, headers, current('{"path":"a.txt"}', '2026-07-28')),
    ])
    expect(bad.text).toContain('duplicate key')
    expect(good.text).toContain('one\\n')
    expect(good.text).not.toContain('duplicate key')
  })

  it.each([
    ['nothing', ''],
    ['the beginning of a head', 'POST /mcp HTTP/1.1\r\nHost: localhost\r\n'],
    ['a request without a token', 'GET /mcp HTTP/1.1\r\nHost: localhost\r\n\r\n'],
  ])('many connections that send %s keep no client out, and are closed', async (_what, sent) => {
    const url = await listen(await openServed())
    const { port, hostname } = new URL(url)
    const sockets: Socket[] = []
    onTestFinished(() => {
      for (const socket of sockets) socket.destroy()
    })
    const open = async (): Promise<void> => {
      const socket = connect(Number(port), hostname).on('error', () => undefined)
      sockets.push(socket)
      await once(socket, 'connect').catch(() => undefined)
      if (sent !== '') socket.write(sent)
    }
    for (let count = 0; count < 120; count++) await open()
    expect((await post(url, GOOD, '{oops')).text).toContain('-32700')
    await Promise.all(sockets.map((socket) => (socket.closed ? null : once(socket.resume(), 'close'))))
    expect((await post(url, GOOD, '{oops')).text).toContain('-32700')
  })

  it('many requests of clients that are never sent to their end keep no other client out, and are closed', async () => {
    const url = await listen(await openServed())
    const { port, hostname } = new URL(url)
    const head = `POST /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: ${GOOD.authorization}\r\nContent-Type: application/json\r\nContent-Length: 1000\r\nExpect: 100-continue\r\n\r\n`
    const sockets: Socket[] = []
    onTestFinished(() => {
      for (const socket of sockets) socket.destroy()
    })
    for (let count = 0; count < 70; count++) {
      const socket = connect(Number(port), hostname).on('error', () => undefined)
      sockets.push(socket)
      socket.write(`${head}{`)
      // The server has seen the token of each before the next one comes.
      await once(socket, 'data')
    }
    expect((await post(url, GOOD, '{oops')).text).toContain('-32700')
    await Promise.all(sockets.map((socket) => (socket.closed ? null : once(socket.resume(), 'close'))))
  })

  it('clients that go without a word keep no other client out', async () => {
    const url = await listen(await openServed())
    const headers = { ...GOOD, accept: 'application/json, text/event-stream' }
    const begin =
      '{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"raw","version":"1"}}}'
    for (let count = 0; count < 70; count++) expect((await post(url, headers, begin)).status).toBe(200)
  })

  it('another path has nothing', async () => {
    const url = await listen(await openServed())
    expect((await post(url.replace('/mcp', '/'), GOOD, PING)).status).toBe(404)
  })
})
