import type { ClientOptions, JsonSchemaValidator, Transport } from '@modelcontextprotocol/client'
import type { JsonObject } from '../core/json/value.ts'
import { readOwnPackage } from '../host/fs/own-package.ts'
import type { ServerProcess } from '../host/serve/start-server.ts'
import { boundedFetch } from './bounded-fetch.ts'
import { ServerLines } from './line-transport.ts'
import type { TokenSource } from './sign-in/token-source.ts'

/** How a server is reached: a program that was started, or an address. */
export type Reached =
  | { readonly is: 'process'; readonly process: ServerProcess }
  | {
      readonly is: 'url'
      readonly url: string
      readonly headers: Readonly<Record<string, string>>
      /** Null if the entry of the server brings its own token. */
      readonly tokens: TokenSource | null
    }

/** A call as it is sent. */
export interface SentCall {
  readonly tool: string
  /** As it was trusted. It says which arguments are repeated as headers. */
  readonly inputSchema: JsonObject
  readonly args: JsonObject
  readonly idempotencyKey: string
  readonly signal: AbortSignal
  readonly timeoutMs: number
}

/** An open connection to a server. */
export interface Connection {
  /** Everything that the server lists, as it says it. */
  readonly list: () => Promise<readonly unknown[]>
  readonly call: (call: SentCall) => Promise<unknown>
  /** Whether calls repeat the arguments as headers for which a schema asks. */
  readonly hasHeaders: boolean
  /** Why it ended; null while it is open. */
  readonly endedBy: () => string | null
  /** Whether the server wants the user to sign in. */
  readonly isSignInWanted: () => boolean
  readonly close: () => Promise<void>
}

/** The server wants the user to sign in. */
export class SignInWanted extends Error {}

const MOST_PAGES = 32
/** A program of the earlier revision may not answer what it does not know; a server at an address does, if slowly. */
const PROBE_MS = 3_000
/** Later than our own timeout, which ends the call with our own words. */
const SPARE_MS = 5_000
/** Under this name the key stands in the metadata of each call. */
export const IDEMPOTENCY_META = 'tongs/idempotency-key'

/** What a server says about the shape of its results is judged here, by our own engine and against what was trusted. */
const UNJUDGED: NonNullable<ClientOptions['jsonSchemaValidator']> = {
  getValidator<T>(): JsonSchemaValidator<T> {
    return (input) => ({ valid: true, data: input as T, errorMessage: undefined })
  },
}

/** Opens a connection and agrees on a revision. `onChange` is told that the server's tools may have changed. */
export async function connect(
  reached: Reached,
  onChange: () => void,
  timeoutMs: number,
): Promise<Connection> {
  // Loaded on first use: most runs of the program call no foreign tool.
  const { Client, StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client')
  const lines = reached.is === 'process' ? new ServerLines(reached.process) : null
  let isClosed = false
  let fault: string | null = null
  const client = new Client(
    { name: 'tongs', version: readOwnPackage().version },
    {
      // Neither sampling nor elicitation nor roots: a server gets nothing but its calls.
      capabilities: {},
      jsonSchemaValidator: UNJUDGED,
      versionNegotiation: {
        mode: 'auto',
        probe: { timeoutMs: lines === null ? timeoutMs : Math.min(PROBE_MS, timeoutMs) },
      },
    },
  )
  client.setNotificationHandler('notifications/tools/list_changed', () => onChange())
  Object.assign(client, {
    onclose: () => {
      isClosed = true
    },
    onerror: (error: Error) => {
      fault = error.message
    },
  })
  const tokens = reached.is === 'url' ? reached.tokens : null
  const isSignInWanted = (): boolean => tokens?.isSignInWanted() === true
  const transport: Transport =
    lines ??
    new StreamableHTTPClientTransport(new URL(reached.is === 'url' ? reached.url : ''), {
      requestInit: { headers: reached.is === 'url' ? reached.headers : {} },
      ...(tokens === null ? { fetch: boundedFetch } : { fetch: tokens.fetch, authProvider: tokens.provider }),
    })
  try {
    await client.connect(transport, { timeout: timeoutMs })
  } catch (error) {
    const why = lines?.endedBy ?? (error instanceof Error ? error.message : String(error))
    await transport.close().catch(() => undefined)
    if (isSignInWanted()) throw new SignInWanted(why, { cause: error })
    throw new Error(why, { cause: error })
  }
  return {
    async list() {
      const tools: unknown[] = []
      let cursor: string | undefined
      for (let page = 0; page < MOST_PAGES; page++) {
        const listed = await client.request(
          { method: 'tools/list', params: cursor === undefined ? {} : { cursor } },
          { timeout: timeoutMs },
        )
        tools.push(...listed.tools)
        cursor = listed.nextCursor
        if (cursor === undefined) break
      }
      return tools
    },
    call: ({ tool, inputSchema, args, idempotencyKey, signal, timeoutMs: callMs }) =>
      client.callTool(
        { name: tool, arguments: { ...args }, _meta: { [IDEMPOTENCY_META]: idempotencyKey } },
        {
          signal,
          timeout: callMs + SPARE_MS,
          maxTotalTimeout: callMs + SPARE_MS,
          // With it the library neither lists the tools by itself nor sends a call twice.
          toolDefinition: { name: tool, inputSchema: { ...inputSchema, type: 'object' } },
        },
      ),
    hasHeaders: reached.is === 'url' && client.getProtocolEra() === 'modern',
    isSignInWanted,
    endedBy: () => lines?.endedBy ?? (isClosed ? (fault ?? 'the connection was closed') : null),
    async close() {
      await client.close().catch(() => undefined)
    },
  }
}
