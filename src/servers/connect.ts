import type {
  Client,
  ClientOptions,
  JsonSchemaValidator,
  StandardSchemaV1,
  Transport,
} from '@modelcontextprotocol/client'
import { isJsonObject } from '../core/json/value.ts'
import type { JsonObject } from '../core/json/value.ts'
import { readOwnPackage } from '../host/fs/own-package.ts'
import type { ServerProcess } from '../host/serve/start-server.ts'
import { answeredFetch, isNoAnswer } from './answered-fetch.ts'
import { boundedFetch } from '../host/web/bounded-fetch.ts'
import { checkHeaders } from './check-headers.ts'
import { ServerLines } from './line-transport.ts'
import type { TokenSource } from './sign-in/token-source.ts'

/** A program that was started, and what it must not see although it came later. */
export interface StartedServer {
  readonly process: ServerProcess
  /** A denied file that came into its folders after its start; null if there is none. */
  readonly findUnhidden: FindUnhidden
}

/** Looks for denied files; after a call, those that the server itself may have created do not count. */
export type FindUnhidden = (at: 'before' | 'after') => string | null

/** How a server is reached: a program that was started, or an address. */
export type Reached =
  | ({ readonly is: 'process' } & StartedServer)
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
  /** Told what the server reports while the call runs, as it says it. */
  readonly onProgress: (progress: ReportedProgress) => void
}

/** How far a server says that a call is. */
export interface ReportedProgress {
  readonly progress: number
  readonly total?: number | undefined
  readonly message?: string | undefined
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
  /** A denied file that the server could read, because it came after its start; null if there is none. */
  readonly findUnhidden: FindUnhidden
  readonly close: () => Promise<void>
}

/** The server wants the user to sign in. */
export class SignInWanted extends Error {}

/** A call was sent, and nothing that came back says how it ended. */
export class AnswerLost extends Error {}

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

interface ListedPage {
  readonly tools: readonly unknown[]
  readonly nextCursor: string | undefined
}

/** Takes any list for a listing: the library would refuse all of it for one malformed tool, and we look at each one. */
const ANY_LISTING: StandardSchemaV1<unknown, ListedPage> = {
  '~standard': {
    version: 1,
    vendor: 'tongs',
    validate: (value) => {
      const { tools, nextCursor } = isJsonObject(value) ? value : {}
      if (!Array.isArray(tools)) return { issues: [{ message: 'the listing has no list of tools' }] }
      return { value: { tools, nextCursor: typeof nextCursor === 'string' ? nextCursor : undefined } }
    },
  },
}

/** Opens a connection and agrees on a revision. `onChange` is told that the server's tools may have changed. */
export async function connect(
  reached: Reached,
  onChange: () => void,
  timeoutMs: number,
): Promise<Connection> {
  if (reached.is === 'url') checkHeaders(reached.headers)
  // Loaded on first use: most runs of the program call no foreign tool.
  const library = await import('@modelcontextprotocol/client')
  const lines = reached.is === 'process' ? new ServerLines(reached.process) : null
  let isClosed = false
  let fault: string | null = null
  const client = new library.Client(
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
    new library.StreamableHTTPClientTransport(new URL(reached.is === 'url' ? reached.url : ''), {
      requestInit: { headers: reached.is === 'url' ? reached.headers : {} },
      fetch: answeredFetch(tokens?.fetch ?? boundedFetch),
      ...(tokens === null ? {} : { authProvider: tokens.provider }),
    })
  try {
    await client.connect(transport, { timeout: timeoutMs })
  } catch (error) {
    const why = lines?.endedBy ?? (error instanceof Error ? error.message : String(error))
    await transport.close().catch(() => undefined)
    if (isSignInWanted()) throw new SignInWanted(why, { cause: error })
    throw new Error(why, { cause: error })
  }
  await hearOfChanges(client, Math.min(PROBE_MS, timeoutMs))
  return {
    async list() {
      const tools: unknown[] = []
      let cursor: string | undefined
      for (let page = 0; page < MOST_PAGES; page++) {
        const listed = await client.request(
          { method: 'tools/list', params: cursor === undefined ? {} : { cursor } },
          ANY_LISTING,
          { timeout: timeoutMs },
        )
        tools.push(...listed.tools)
        cursor = listed.nextCursor
        if (cursor === undefined) break
      }
      return tools
    },
    async call({ tool, inputSchema, args, idempotencyKey, signal, timeoutMs: callMs, onProgress }) {
      try {
        return await client.callTool(
          { name: tool, arguments: { ...args }, _meta: { [IDEMPOTENCY_META]: idempotencyKey } },
          {
            signal,
            timeout: callMs + SPARE_MS,
            maxTotalTimeout: callMs + SPARE_MS,
            onprogress: onProgress,
            // With it the library neither lists the tools by itself nor sends a call twice.
            toolDefinition: { name: tool, inputSchema: { ...inputSchema, type: 'object' } },
          },
        )
      } catch (error) {
        const isAnswer =
          error instanceof library.ProtocolError
            ? !isNoAnswer(error.data)
            : error instanceof library.SdkHttpError && isRefusal(error.status)
        throw isAnswer || !(error instanceof Error) ? error : new AnswerLost(error.message, { cause: error })
      } finally {
        await lines?.checkGit()
      }
    },
    hasHeaders: reached.is === 'url' && client.getProtocolEra() === 'modern',
    isSignInWanted,
    endedBy: () => lines?.endedBy ?? (isClosed ? (fault ?? 'the connection was closed') : null),
    findUnhidden: reached.is === 'process' ? reached.findUnhidden : () => null,
    async close() {
      await client.close().catch(() => undefined)
    },
  }
}

/** Whether a server at an address did not take a call. Anything from 500 on may come from what stands before it. */
function isRefusal(status: number | undefined): boolean {
  return status !== undefined && status >= 400 && status < 500
}

/** Servers of the earlier revision say unasked that their tools changed; those of the current one want to be asked. */
async function hearOfChanges(client: Client, timeoutMs: number): Promise<void> {
  if (client.getProtocolEra() !== 'modern') return
  if (client.getServerCapabilities()?.tools?.listChanged !== true) return
  // A server that promises it and then does not answer is used as one that never changes while it runs.
  await client.listen({ toolsListChanged: true }, { timeout: timeoutMs }).catch(() => undefined)
}
