import { createServer } from 'node:http'
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'
import { connectHttp, listen, openServed, TOKEN } from '../faces/mcp/open-client.ts'
import { errorOf, outputOf } from '../bench-folder.ts'
import { cleanUpWith } from '../harness/clean-up.ts'
import { callIn, serverBench } from './server-bench.ts'

async function serve(answer: RequestListener): Promise<string> {
  const server = createServer(answer).listen(0, '127.0.0.1')
  await new Promise((done) => server.once('listening', done))
  cleanUpWith(() => {
    server.closeAllConnections()
    server.close()
  })
  const address = server.address()
  return `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}/mcp`
}

/** What a server does with a call of this id. */
type Answer = (response: ServerResponse, id: number) => void

/** A server of the current revision with these tools, which notes the headers of each call. */
async function serveTools(
  tools: readonly object[],
  firstAnswerMs = 0,
  onCall: Answer | null = null,
): Promise<{ url: string; calls: IncomingMessage['headers'][] }> {
  const calls: IncomingMessage['headers'][] = []
  const answers: Record<string, object> = {
    'server/discover': { supportedVersions: ['2026-07-28'], capabilities: { tools: {} } },
    'tools/list': { tools },
    'tools/call': { content: [{ type: 'text', text: 'fine' }] },
  }
  const url = await serve((request, response) => {
    void text(request).then((body) => {
      const { id, method } = JSON.parse(body) as { readonly id: number; readonly method: string }
      if (method === 'tools/call') calls.push(request.headers)
      if (method === 'tools/call' && onCall !== null) return onCall(response, id)
      const result = { resultType: 'complete', ttlMs: 0, cacheScope: 'private', ...answers[method] }
      response.writeHead(200, { 'content-type': 'application/json' })
      const answer = JSON.stringify({ jsonrpc: '2.0', id, result })
      setTimeout(() => response.end(answer), method === 'server/discover' ? firstAnswerMs : 0)
    })
  })
  return { url, calls }
}

describe('an MCP server at an address', () => {
  it('gets the arguments as headers for which the trusted schema asks, and no others', async () => {
    const header = (name: string): object => ({ type: 'string', 'x-mcp-header': name })
    const properties = { tenant: header('Tenant'), absent: header('Absent'), secret: { type: 'string' } }
    const { url, calls } = await serveTools([
      { name: 'a', inputSchema: { type: 'object', properties } },
      { name: 'wrong', inputSchema: { type: 'object', properties: { x: header('No Header') } } },
    ])
    const runtime = await serverBench({ url }).openTrusted()
    expect(runtime.servers.list()[0]?.tools).toEqual(['s__a'])
    const { refused } = await runtime.servers.inspect('s')
    expect(refused).toMatchObject([{ name: 'wrong', why: expect.stringContaining('wants x as a header') }])
    const args = { tenant: 'Zürich\nAuthorization: none', secret: 'hidden' }
    expect(outputOf(await callIn(runtime, 's__a', args))).toEqual({ text: 'fine' })
    const [headers = {}] = calls
    const encoded = Buffer.from(args.tenant).toString('base64')
    expect(Object.entries(headers).filter(([name]) => name.startsWith('mcp-param-'))).toEqual([
      ['mcp-param-tenant', `=?base64?${encoded}?=`],
    ])
    expect(JSON.stringify(headers)).not.toContain('hidden')
  })

  it('is called with the headers of its entry, and its values are never printed', async () => {
    // The other side is a Tongs of its own.
    const served = await openServed()
    const url = await listen(served)
    const other = await connectHttp(url, '2025-11-25')
    expect((await other.client.listTools()).tools.length).toBeGreaterThan(3)
    const headers = { Authorization: `Bearer ${TOKEN}` }
    const bench = serverBench({ url, headers, tools: ['list_directory', 'todo_write'] })
    const runtime = await bench.openTrusted()
    expect(runtime.servers.list()[0]?.tools).toEqual(['s__list_directory', 's__todo_write'])
    expect(outputOf(await callIn(runtime, 's__list_directory', { path: '.' }))).toHaveProperty('structured')
    expect(JSON.stringify(runtime.configuration.settings)).not.toContain(TOKEN)
  })

  it('whose header cannot be sent is told so by the name of the header, and its value is not quoted', async () => {
    const { url, calls } = await serveTools([{ name: 'a', inputSchema: { type: 'object' } }])
    for (const value of ['Bearer hunter2hunter9\nsecond line', 'Bearer hunter2hunter9\u2603']) {
      process.env['TONGS_TEST_HEADER'] = value
      cleanUpWith(() => void delete process.env['TONGS_TEST_HEADER'])
      const runtime = await serverBench({ url, headers: { 'X-Key': '${TONGS_TEST_HEADER}' } }).open()
      const error = await runtime.servers.inspect('s').catch((thrown: Error) => thrown)
      expect(String(error)).toContain('the value of the header X-Key in its entry has characters')
      expect(String(error) + JSON.stringify(runtime.servers.list())).not.toContain('hunter2')
    }
    expect(calls).toEqual([])
  })

  it('that is slow to begin is waited for', async () => {
    const { url } = await serveTools([{ name: 'a', inputSchema: { type: 'object' } }], 3_300)
    const { definitions } = await (await serverBench({ url }).open()).servers.inspect('s')
    expect(definitions.map(({ name }) => name)).toEqual(['a'])
  })

  it('gives no headers to another address that it leads to', async () => {
    const seen: IncomingMessage['headers'][] = []
    const thief = await serve((request, response) => {
      seen.push(request.headers)
      response.end()
    })
    const url = await serve((_request, response) => response.writeHead(307, { location: thief }).end())
    const { open } = serverBench({ url, headers: { Authorization: 'Bearer x' } })
    await expect((await open()).servers.inspect('s')).rejects.toThrow(/failed/)
    expect(seen).toEqual([])
  })

  it('that sends without end is given up', async () => {
    const url = await serve((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' })
      const more = (): void => {
        while (response.write('x'.repeat(65_536)));
        response.once('drain', more)
      }
      more()
    })
    const { open } = serverBench({ url })
    await expect((await open()).servers.inspect('s')).rejects.toThrow(/more than \d+ bytes|failed/)
  })

  it.each<readonly [string, Answer, string]>([
    ['closes the connection', (response) => response.destroy(), 'in_doubt'],
    [
      'breaks off its answer',
      (response) => {
        response.writeHead(200, { 'content-type': 'application/json', 'content-length': 500 })
        response.write('{"jsonrpc"', () => response.destroy())
      },
      'in_doubt',
    ],
    ['stands behind another that gives up', (response) => response.writeHead(502).end('bad'), 'in_doubt'],
    ['does not take it', (response) => response.writeHead(400).end('bad'), 'execution_failed'],
    [
      'answers with an error',
      (response, id) => {
        response.writeHead(200, { 'content-type': 'application/json' })
        response.end(JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32602, message: 'no' } }))
      },
      'execution_failed',
    ],
  ])('that %s once it has a call: it is known whether the call may have acted', async (_title, end, code) => {
    const tool = { name: 'a', inputSchema: { type: 'object', properties: {} } }
    const { url } = await serveTools([tool], 0, end)
    const result = await callIn(await serverBench({ url }).openTrusted(), 's__a')
    const error = errorOf(result)
    expect(error.code).toBe(code)
    expect([error.details['effects'], result.execution.state]).toEqual(
      code === 'in_doubt' ? ['unknown', 'ABORTED'] : [undefined, 'ROLLED_BACK'],
    )
  })

  it('that is not there fails its calls and nothing else', async () => {
    const { open } = serverBench({ url: 'http://127.0.0.1:9/mcp' })
    const runtime = await open()
    await expect(runtime.servers.inspect('s')).rejects.toThrow(/failed/)
    expect(errorOf(await callIn(runtime, 's__any')).code).toBe('unknown_tool')
    expect(outputOf(await callIn(runtime, 'list_directory', { path: '.' }))).toBeDefined()
  })
})
