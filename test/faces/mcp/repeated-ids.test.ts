import { expect, it } from 'vitest'
import type { JsonObject } from '../../../src/core/json/value.ts'
import { reader } from '../../pipeline/sample-tools.ts'
import { listen, openServed, TOKEN } from './open-client.ts'
import { openRaw } from './open-raw.ts'

const frame = (id: number | string | undefined, method: string, params: JsonObject = {}): string =>
  JSON.stringify({ jsonrpc: '2.0', ...(id === undefined ? {} : { id }), method, params })
const INITIALIZE = frame(0, 'initialize', {
  protocolVersion: '2025-11-25',
  capabilities: {},
  clientInfo: { name: 'raw', version: '1' },
})
const LIST = frame(7, 'tools/call', { name: 'list_directory', arguments: {} })
const TAKEN = { code: -32_600, message: expect.stringContaining('The id 7 belongs to a request') as string }

it('over lines: a second request with the id of one under way is refused, and the first has its answer', async () => {
  const { input, next } = await openRaw()
  input.write(`${INITIALIZE}\n`)
  await next()
  input.write(`${frame(undefined, 'notifications/initialized')}\n${LIST}\n${frame(7, 'ping')}\n`)
  const both = [await next(), await next()]
  expect(both).toContainEqual({ jsonrpc: '2.0', id: null, error: TAKEN })
  expect(both).toContainEqual(
    expect.objectContaining({ id: 7, result: expect.objectContaining({}) as object }),
  )
  input.write(`${frame(7, 'ping')}\n`)
  expect(await next()).toMatchObject({ id: 7, result: {} })
})

it('over HTTP: a second request with the id of one under way is refused, and the first has its answer', async () => {
  const { promise: isReleased, resolve: release } = Promise.withResolvers<void>()
  const hasBegun = Promise.withResolvers<void>()
  const slow = reader('slow', async () => {
    hasBegun.resolve()
    await isReleased
    return { said: 'done' }
  })
  const url = await listen(await openServed({ tools: [slow] }))
  const headers: Record<string, string> = {
    authorization: `Bearer ${TOKEN}`,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': '2025-11-25',
  }
  const post = async (body: string): Promise<string> => {
    const reply = await fetch(url, { method: 'POST', headers, body })
    headers['mcp-session-id'] ??= reply.headers.get('mcp-session-id') ?? ''
    return reply.text()
  }
  await post(INITIALIZE)
  await post(frame(undefined, 'notifications/initialized'))
  const first = post(frame(7, 'tools/call', { name: 'slow', arguments: {} }))
  await hasBegun.promise
  expect(JSON.parse(await post(LIST))).toEqual({ jsonrpc: '2.0', id: 7, error: TAKEN })
  release()
  expect(await first).toContain('done')
  expect(await post(frame(7, 'ping'))).toContain('"result"')
})
