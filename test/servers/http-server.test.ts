import { createServer } from 'node:http'
import type { IncomingMessage, RequestListener } from 'node:http'
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

describe('an MCP server at an address', () => {
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

  it('that is not there fails its calls and nothing else', async () => {
    const { open } = serverBench({ url: 'http://127.0.0.1:9/mcp' })
    const runtime = await open()
    await expect(runtime.servers.inspect('s')).rejects.toThrow(/failed/)
    expect(errorOf(await callIn(runtime, 's__any')).code).toBe('unknown_tool')
    expect(outputOf(await callIn(runtime, 'list_directory', { path: '.' }))).toBeDefined()
  })
})
