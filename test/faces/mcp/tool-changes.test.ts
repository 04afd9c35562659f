import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { createRuntime } from '../../../src/runtime/create-runtime.ts'
import { PATIENCE_MS } from '../../harness/patience.ts'
import { programEntry } from '../../servers/server-bench.ts'
import { makeShop, TONGS } from '../cli/command-line.ts'
import { codeOf, connectHttp, connectStreams, listen, openServed, REVISIONS, textOf } from './open-client.ts'
import type { Served } from './open-client.ts'

const CONFIG = { 'mcp.servers': { s: programEntry('sample-server.ts', []) } }
const YES = () => ({ action: 'accept' as const, content: { answer: 'yes, this once' } })
const WAITING = { timeout: PATIENCE_MS, interval: 50 }

/** Trusts what the server offers, as another process of the user does. */
async function trustElsewhere({ root, stateDir }: Served): Promise<void> {
  const other = await createRuntime({ root, stateDir, config: CONFIG, durability: 'normal' })
  try {
    other.servers.trust(await other.servers.inspect('s'))
  } finally {
    await other.close()
  }
}

/** The names that a client is given, and how often it was told that they are others. */
async function follow(client: Client, isModern: boolean) {
  const told = vi.fn<() => void>()
  client.setNotificationHandler('notifications/tools/list_changed', told)
  if (isModern) await client.listen({ toolsListChanged: true })
  const names = async () => (await client.listTools()).tools.map(({ name }) => name)
  const until = async (isThere: boolean, name: string, times: number) => {
    await vi.waitFor(() => expect(told).toHaveBeenCalledTimes(times), WAITING)
    expect((await names()).includes(name), name).toBe(isThere)
  }
  return { told, names, until }
}

describe.each(REVISIONS)('tools of other servers, over MCP in revision %s', (revision) => {
  it.for(['streams', 'loopback'])(
    'come with trust and go with a changed definition, over %s',
    async (way) => {
      const served = await openServed({ config: CONFIG })
      const { client, call } =
        way === 'streams'
          ? await connectStreams(served, revision, YES)
          : await connectHttp(await listen(served), revision, YES)
      expect(client.getServerCapabilities()?.tools?.listChanged).toBe(true)
      const { names, until } = await follow(client, revision === '2026-07-28')
      expect(await names()).not.toContain('s__echo')

      await trustElsewhere(served)
      await until(true, 's__echo', 1)
      expect(textOf(await call('s__echo', { value: 'hello' }))).toContain('hello')

      expect(codeOf(await call('s__change', { value: '' }))).toBe('ok')
      await until(false, 's__echo', 2)
      expect(await names()).toContain('s__count')
      const refused = await call('s__echo', { value: 'again' })
      expect(codeOf(refused)).toBe('not_allowed')
      expect(textOf(refused)).toMatch(/Send me all\..*tongs mcp trust s/s)
    },
  )
})

it('a server that is added, trusted and removed while tongs mcp runs counts at once', async () => {
  const { root, env, tongs } = makeShop()
  const client = new Client({ name: 'test', version: '1.0.0' })
  onTestFinished(() => client.close())
  await client.connect(
    new StdioClientTransport({
      command: TONGS,
      args: ['mcp', '--root', root],
      env: env as Record<string, string>,
      stderr: 'ignore',
    }),
  )
  const { told, names, until } = await follow(client, client.getProtocolEra() === 'modern')
  expect(await names()).not.toContain('sample__echo')
  const { command, args, read } = programEntry('sample-server.ts', [])
  const readable = read.flatMap((path) => ['--read', path])
  expect((await tongs(['mcp', 'add', 'sample', ...readable, '--', command, ...args])).code).toBe(0)
  expect(told).not.toHaveBeenCalled()
  expect((await tongs(['mcp', 'trust', 'sample', '--yes'])).code).toBe(0)
  await until(true, 'sample__echo', 1)
  expect((await tongs(['mcp', 'remove', 'sample'])).code).toBe(0)
  await until(false, 'sample__echo', 2)
})
