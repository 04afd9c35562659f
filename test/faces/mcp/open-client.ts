import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import type { CallToolResult, ElicitResult } from '@modelcontextprotocol/client'
import { onTestFinished } from 'vitest'
import { isJsonObject } from '../../../src/core/json/value.ts'
import type { JsonObject } from '../../../src/core/json/value.ts'
import { createArgumentProblems, LineTransport } from '../../../src/faces/mcp/line-transport.ts'
import { serveHttp } from '../../../src/faces/mcp/serve-http.ts'
import { serveStreams } from '../../../src/faces/mcp/serve.ts'
import { createRuntime } from '../../../src/runtime/create-runtime.ts'
import type { Runtime, RuntimeOptions } from '../../../src/runtime/create-runtime.ts'

/** The two revisions of the protocol that are spoken. */
export const REVISIONS = ['2025-11-25', '2026-07-28'] as const
export type Revision = (typeof REVISIONS)[number]

/** A root with a runtime, as `tongs mcp` has it. */
export interface Served {
  readonly root: string
  readonly stateDir: string
  readonly runtime: Runtime
}

/** Opens a root of its own. */
export async function openServed(options: Partial<RuntimeOptions> = {}): Promise<Served> {
  const top = mkdtempSync(join(realpathSync(tmpdir()), 'tongs-mcp-'))
  const [root, stateDir] = [join(top, 'root'), join(top, 'state')]
  mkdirSync(root)
  const runtime = await createRuntime({ root, stateDir, approve: 'later', durability: 'normal', ...options })
  onTestFinished(async () => {
    await runtime.close()
    rmSync(top, { recursive: true, force: true, maxRetries: 5 })
  })
  return { root, stateDir, runtime }
}

/** How a client answers forms; null has none. */
export type Ask = ((form: JsonObject) => ElicitResult | Promise<ElicitResult>) | null

/** A client of the official library. */
export interface Connected {
  readonly client: Client
  readonly call: (name: string, args: JsonObject) => Promise<CallToolResult>
  /** Resolves when the server has ended. */
  readonly served: Promise<number>
  readonly close: () => Promise<void>
}

function makeClient(revision: Revision, ask: Ask): Client {
  const client = new Client(
    { name: 'test', version: '1.0.0' },
    {
      capabilities: ask === null ? {} : { elicitation: { form: {} } },
      versionNegotiation: { mode: revision === '2026-07-28' ? 'auto' : 'legacy' },
    },
  )
  if (ask !== null)
    client.setRequestHandler('elicitation/create', ({ params }) => ask(isJsonObject(params) ? params : {}))
  return client
}

/** Connects over streams. */
export async function connectStreams(
  { runtime, stateDir }: Served,
  revision: Revision,
  ask: Ask = null,
): Promise<Connected> {
  const [input, output] = [new PassThrough(), new PassThrough()]
  const stop = new AbortController()
  const served = serveStreams(
    { runtime, stateDir, signal: stop.signal, tell: () => undefined },
    input,
    output,
  )
  const client = makeClient(revision, ask)
  await client.connect(new LineTransport(output, input, createArgumentProblems()))
  return connected(client, served, async () => {
    input.end()
    await served
  })
}

export const TOKEN = 'a-token-for-tests'

/** Serves on loopback; returns the address. */
export async function listen({ runtime, stateDir }: Served, token: string | null = TOKEN): Promise<string> {
  const stop = new AbortController()
  if (token === null) delete process.env['TONGS_MCP_TOKEN']
  else process.env['TONGS_MCP_TOKEN'] = token
  const { promise: told, resolve: tell } = Promise.withResolvers<string>()
  const served = serveHttp({ runtime, stateDir, port: 0, signal: stop.signal, tell }, 0)
  onTestFinished(async () => {
    stop.abort()
    await served
  })
  const line = await Promise.race([told, served.then(() => '')])
  return /http:\S+(?=;)/.exec(line)?.[0] ?? ''
}

/** Connects over loopback. */
export async function connectHttp(
  url: string,
  revision: Revision,
  ask: Ask = null,
  token = TOKEN,
): Promise<Connected> {
  const client = makeClient(revision, ask)
  const headers = { Authorization: `Bearer ${token}` }
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }))
  return connected(client, Promise.resolve(0), () => client.close())
}

function connected(client: Client, served: Promise<number>, close: () => Promise<void>): Connected {
  onTestFinished(close)
  return {
    client,
    served,
    close,
    call: (name, args) => client.callTool({ name, arguments: args }),
  }
}

/** The words of a result. */
export function textOf({ content }: CallToolResult): string {
  return content.map((part) => (part.type === 'text' ? part.text : '')).join('')
}

/** What our result says besides its content. */
export function resultOf(result: CallToolResult): JsonObject {
  const { _meta: meta } = result
  const found = meta?.['tongs/result']
  return isJsonObject(found) ? found : {}
}

/** The code of an error, or ok. */
export function codeOf(result: CallToolResult): string {
  const { error } = resultOf(result)
  return isJsonObject(error) ? String(error['code']) : 'ok'
}
