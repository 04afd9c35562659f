import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { InMemoryTransport, LATEST_PROTOCOL_VERSION } from '@modelcontextprotocol/server'
import type { CallToolResult, JSONRPCMessage } from '@modelcontextprotocol/server'
import { describe, expect, it, onTestFinished } from 'vitest'
import { isJsonObject } from '../../../src/core/json/value.ts'
import type { JsonObject } from '../../../src/core/json/value.ts'
import { openConnection } from '../../../src/faces/mcp/connection.ts'
import { createDeps, createServer } from '../../../src/faces/mcp/create-server.ts'
import { createArgumentProblems } from '../../../src/faces/mcp/line-transport.ts'
import { defineTool, schema } from '../../../src/index.ts'
import type { RunOptions } from '../../../src/index.ts'
import { png } from '../../harness/sample-pictures.ts'
import { codeOf, connectStreams, openServed } from './open-client.ts'
import type { Served } from './open-client.ts'

/** A client that sends what it is told to, and keeps what it is sent. */
interface RawClient {
  readonly send: (message: JsonObject) => Promise<void>
  readonly answers: readonly JsonObject[]
  readonly hangUp: () => Promise<void>
}

async function connectRaw({ runtime, stateDir }: Served, version: string): Promise<RawClient> {
  const [ours, theirs] = InMemoryTransport.createLinkedPair()
  const connection = openConnection(runtime)
  await createServer(createDeps({ runtime, stateDir }), connection, createArgumentProblems()).connect(ours)
  const answers: JsonObject[] = []
  Object.assign(theirs, { onmessage: (message: JsonObject) => answers.push(message) })
  await theirs.start()
  const send = (message: JsonObject): Promise<void> => theirs.send(message as unknown as JSONRPCMessage)
  const clientInfo = { name: 'raw', version: '1.0.0' }
  const params = { protocolVersion: version, capabilities: {}, clientInfo }
  await send({ jsonrpc: '2.0', id: 'first', method: 'initialize', params })
  await expect.poll(() => answers.splice(0)).toHaveLength(1)
  const hangUp = (): Promise<void> => theirs.close()
  onTestFinished(async () => {
    await hangUp()
    await connection.close()
  })
  return { send, answers, hangUp }
}

const GLOB = { name: 'glob', arguments: { patterns: ['*'] } }

function callOf(id: number, params: JsonObject): JsonObject {
  return { jsonrpc: '2.0', id, method: 'tools/call', params }
}

/** What an answer is, in a word. */
function kindOf({ result, error }: JsonObject): unknown {
  if (isJsonObject(error)) return error['code']
  return isJsonObject(result) && result['isError'] === true ? 'refused' : 'ok'
}

describe('a call that has only a name and arguments', () => {
  it('is answered like any other', async () => {
    const served = await openServed()
    writeFileSync(join(served.root, 'a.txt'), 'one\n')
    writeFileSync(join(served.root, 'a.png'), png(4, 5))
    const { client, call } = await connectStreams(served, '2025-11-25')
    const paths = ['a.txt', 'a.png', 'missing.txt']
    const calls = [
      ...paths.map((path) => ({ name: 'read_file', arguments: { path } })),
      { name: 'read_file', arguments: { paths: 7 } },
      { name: 'write_file', arguments: { path: 'b.txt', content: 'two\n' } },
      { name: 'no_such_tool', arguments: {} },
    ]
    for (const one of calls) {
      const plain = await call(one.name, one.arguments)
      const usual = await client.callTool(one, { onprogress: () => undefined })
      expect(withoutExecution(plain), JSON.stringify(one)).toEqual(withoutExecution(usual))
    }
  })

  it.each([
    [GLOB, 'ok'],
    [{ name: 'list_files' }, 'ok'],
    [{ ...GLOB, other: 1 }, 'ok'],
    [{ name: 'glob', arguments: {} }, 'refused'],
    [{ name: 'glob', arguments: 'all' }, -32_602],
    [{ name: 'glob', arguments: ['*'] }, -32_602],
    [{ name: 7, arguments: {} }, -32_602],
    [{ arguments: {} }, -32_602],
  ])('is told from what is none: %j', async (params, kind) => {
    const client = await connectRaw(await openServed(), LATEST_PROTOCOL_VERSION)
    await client.send(callOf(1, params as JsonObject))
    await expect.poll(() => client.answers.map(kindOf)).toEqual([kind])
    expect(client.answers[0]).toMatchObject({ jsonrpc: '2.0', id: 1 })
  })

  it('is cancelled by its id, is not answered then, and the next one is', async () => {
    const { served, begun, end } = await openWaiting()
    const client = await connectRaw(served, LATEST_PROTOCOL_VERSION)
    await client.send(callOf(1, { name: 'wait', arguments: {} }))
    await begun
    await client.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 2 } })
    expect(lastState(served)).not.toBe('ROLLED_BACK')
    await client.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } })
    await expect.poll(() => lastState(served)).toBe('ROLLED_BACK')
    end()
    await client.send(callOf(3, GLOB))
    await expect.poll(() => client.answers).toHaveLength(1)
    expect(client.answers[0]).toMatchObject({ id: 3 })
  })

  it('is cancelled when the client goes', async () => {
    const { served, begun, end } = await openWaiting()
    const client = await connectRaw(served, LATEST_PROTOCOL_VERSION)
    await client.send(callOf(1, { name: 'wait', arguments: {} }))
    await begun
    await client.hangUp()
    await expect
      .poll(() => lastState(served))
      .toBe('ROLLED_BACK')
      .finally(end)
  })

  it('is not watched if its client asked for no progress', async () => {
    const served = await openServed()
    const watched: boolean[] = []
    const run = (calls: Parameters<Served['runtime']['run']>[0], options?: RunOptions) => {
      watched.push(options?.onEvent !== undefined)
      return served.runtime.run(calls, options)
    }
    for (const revision of ['2025-11-25', '2026-07-28'] as const) {
      const { client, call } = await connectStreams(
        { ...served, runtime: { ...served.runtime, run } },
        revision,
      )
      expect(codeOf(await call(GLOB.name, GLOB.arguments))).toBe('ok')
      await client.callTool(GLOB, { onprogress: () => undefined })
    }
    expect(watched).toEqual([false, true, false, true])
  })
})

function withoutExecution(result: CallToolResult): unknown {
  const { _meta: meta, ...rest } = result
  const about = meta?.['tongs/result']
  const { execution: _execution, ...others } = isJsonObject(about) ? about : {}
  return { ...rest, ...others, isOurs: isJsonObject(about) }
}

function lastState({ runtime }: Served): string | undefined {
  return [...runtime.audit()].at(-1)?.state
}

/** A runtime with a tool that waits until it is stopped, what tells that it has begun, and what ends it. */
async function openWaiting() {
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>()
  const { promise: ended, resolve: end } = Promise.withResolvers<Record<string, never>>()
  const wait = defineTool({
    name: 'wait',
    version: '1.0.0',
    description: 'Waits',
    effect: 'read',
    input: schema.object({}, 'Nothing'),
    output: schema.object({}, 'Nothing'),
    run: () => {
      begin()
      return ended
    },
  })
  return { served: await openServed({ tools: [wait] }), begun, end: () => end({}) }
}
