import { visible } from '../../terminal/one-line.ts'
import { aside } from './questions/verbatim.ts'
import { randomUUID } from 'node:crypto'
import type {
  AgentContext,
  ClientCapabilities,
  RequestPermissionRequest,
  RequestPermissionResponse,
  SessionUpdate,
} from '@agentclientprotocol/sdk'
import { isJsonObject } from '../../core/json/value.ts'
import type { JsonObject } from '../../core/json/value.ts'
import { sanitise } from '../../core/text/display/sanitise.ts'
import { ellipsis } from '../../core/text/truncate.ts'

/** What a client has said it can do. */
export interface Abilities {
  readonly readsFiles: boolean
  readonly writesFiles: boolean
  readonly hasNotices: boolean
  readonly hasTerminalAuth: boolean
  /** Beyond the protocol: it draws what a command writes as a terminal. */
  readonly terminals: boolean
  /** Beyond the protocol: it may be offered `later`, be told of output, and be asked to run its tools. */
  readonly later: boolean
  readonly output: boolean
  readonly tools: boolean
}

/** Reads what a client can do; what it does not say, it cannot. */
export function readAbilities(given: ClientCapabilities | undefined): Abilities {
  const { _meta: meta } = given ?? {}
  const own: unknown = meta?.['tongs']
  const extra = isJsonObject(own) ? own : {}
  return {
    readsFiles: given?.fs?.readTextFile === true,
    writesFiles: given?.fs?.writeTextFile === true,
    hasNotices: typeof given?.session?.notices === 'object' && given.session.notices !== null,
    hasTerminalAuth: given?.auth?.terminal === true,
    terminals: meta?.['terminal_output'] === true,
    later: extra['later'] === true,
    output: extra['output'] === true,
    tools: extra['tools'] === true,
  }
}

/** A file as an editor has it. */
export interface EditorFile {
  readonly text: string
  /** Why it cannot be changed there, safe to show; null if it can. */
  readonly lock: string | null
}

/** The client as one session sees it. */
export interface EditorClient {
  readonly can: Abilities
  /** Tells this connection from every other one. */
  readonly connection: string
  readonly update: (update: SessionUpdate) => Promise<void>
  /**
   * Asks a person; rejects if the client cannot. Once the dialog is cancelled, nothing is waited for, unless an answer that
   * was on its way is to be heard.
   */
  readonly askPermission: (
    request: Omit<RequestPermissionRequest, 'sessionId'>,
    signal: AbortSignal,
    whenCancelled?: 'hear it late',
  ) => Promise<RequestPermissionResponse>
  /** Says something that is not an answer of the model. */
  readonly notice: (severity: 'info' | 'warning' | 'error', text: string) => Promise<void>
  readonly readFile: (path: string) => Promise<EditorFile>
  readonly writeFile: (path: string, content: string) => Promise<void>
  readonly notify: (method: string, params: JsonObject) => Promise<void>
  readonly request: (method: string, params: JsonObject, signal: AbortSignal) => Promise<unknown>
}

const connections = new WeakMap<AgentContext, string>()

function connectionOf(context: AgentContext): string {
  const id = connections.get(context) ?? randomUUID()
  connections.set(context, id)
  return id
}

/** The client of a session. What cannot be sent any more is not sent: the client has gone, and the log has it. */
export function clientOf(context: AgentContext, can: Abilities, sessionId: string): EditorClient {
  const update = (sent: SessionUpdate): Promise<void> =>
    context.notify('session/update', { sessionId, update: sent }).catch(() => undefined)
  return {
    can,
    connection: connectionOf(context),
    update,
    askPermission: (request, signal, whenCancelled) =>
      context.request(
        'session/request_permission',
        { sessionId, ...request },
        { cancellationSignal: signal, stopWaitingOnCancel: whenCancelled === undefined },
      ),
    notice: (severity, text) =>
      can.hasNotices
        ? update({ sessionUpdate: 'notice', severity, title: visible(text) })
        : update({
            sessionUpdate: 'agent_message_chunk',
            content: { type: 'text', text: `\n\n${aside(text)}\n\n` },
          }),
    readFile: async (path) => {
      const answer: unknown = await context.request('fs/read_text_file', { sessionId, path })
      // The library passes on whatever the client sent.
      const { content, _meta: meta } = isJsonObject(answer) ? answer : {}
      if (typeof content !== 'string') throw new Error('the editor gave no text')
      return { text: content, lock: readLock(isJsonObject(meta) ? meta['tongs'] : undefined) }
    },
    writeFile: async (path, content) =>
      void (await context.request('fs/write_text_file', { sessionId, path, content })),
    notify: (method, params) => context.notify(method, { sessionId, ...params }).catch(() => undefined),
    request: (method, params, signal) =>
      context.request<unknown>(
        method,
        { sessionId, ...params },
        { cancellationSignal: signal, stopWaitingOnCancel: true },
      ),
  }
}

const LOCK_CHARS = 200

/** Why a buffer is read-only, as `_meta.tongs.readOnly` says: a reason, or just that it is. */
function readLock(own: unknown): string | null {
  const said = isJsonObject(own) ? own['readOnly'] : undefined
  if (said === true) return 'its buffer is locked'
  if (typeof said !== 'string') return null
  const shown = sanitise(said, { oneLine: true }).trim().replace(/\.$/, '')
  return ellipsis(shown === '' ? 'its buffer is locked' : shown, LOCK_CHARS)
}
