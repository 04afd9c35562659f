import { INTERNAL_ERROR, Server, SUPPORTED_PROTOCOL_VERSIONS } from '@modelcontextprotocol/server'
import type {
  CallToolResult,
  Implementation,
  JSONRPCMessage,
  RequestId,
  ServerOptions,
  Transport,
} from '@modelcontextprotocol/server'
import { isJsonObject } from '../../core/json/value.ts'
import type { JsonObject } from '../../core/json/value.ts'

/** A call that has a name and arguments, and nothing else that would have to be heeded. */
export interface PlainCall {
  readonly id: RequestId
  readonly name: string
  readonly args: JsonObject
}

/** Answers such a call; null if a person has to be asked, which only a call that is made in the usual way can do. */
export type AnswerPlain = (call: PlainCall, signal: AbortSignal) => Promise<CallToolResult | null>

/**
 * A server that answers the plain calls of the earlier revisions by itself. The library compares each message with three
 * schemas to find out what it is, its call with two more and our result with another, which together cost as much as
 * the call. Everything that is not plain is left to it: progress, questions, the current revision, and what is wrong.
 */
export class CallServer extends Server {
  readonly #answer: AnswerPlain
  readonly #underWay = new Map<RequestId, AbortController>()

  constructor(info: Implementation, options: ServerOptions, answer: AnswerPlain) {
    super(info, options)
    this.#answer = answer
  }

  override async connect(transport: Transport): Promise<void> {
    await super.connect(transport)
    const { onmessage: usual, onclose } = transport
    const take: Transport['onmessage'] = (message, extra) => {
      const call = this.#isOlder() && extra?.classification === undefined ? readPlainCall(message) : null
      if (call !== null) return void this.#run(call, transport, () => usual?.(message, extra))
      this.#heedCancelling(message)
      usual?.(message, extra)
    }
    const end = (): void => {
      onclose?.()
      for (const call of this.#underWay.values()) call.abort()
    }
    Object.assign(transport, { onmessage: take, onclose: end })
  }

  #heedCancelling(message: JSONRPCMessage): void {
    if (!('method' in message) || message.method !== 'notifications/cancelled') return
    const { requestId, reason } = message.params ?? {}
    this.#find(requestId)?.abort(reason)
  }

  async #run(call: PlainCall, transport: Transport, makeInUsualWay: () => void): Promise<void> {
    const { id } = call
    const stop = new AbortController()
    this.#underWay.set(id, stop)
    const answer = await this.#answerOf(call, stop.signal)
    if (this.#find(id) === stop) this.#underWay.delete(id)
    // A call that was cancelled is not answered.
    if (stop.signal.aborted) return
    if (answer === null) return makeInUsualWay()
    await transport.send(answer).catch((error: unknown) => {
      this.onerror?.(new Error(`Failed to send response: ${String(error)}`))
    })
  }

  async #answerOf(call: PlainCall, signal: AbortSignal): Promise<JSONRPCMessage | null> {
    const { id } = call
    try {
      const result = await this.#answer(call, signal)
      return result === null ? null : { result, jsonrpc: '2.0', id }
    } catch (error) {
      return { jsonrpc: '2.0', id, error: describeFault(error) }
    }
  }

  #find(id: unknown): AbortController | undefined {
    return typeof id === 'string' || typeof id === 'number' ? this.#underWay.get(id) : undefined
  }

  /** Whether the client has agreed on a revision in which a plain call is complete. */
  #isOlder(): boolean {
    const version = this.getNegotiatedProtocolVersion()
    return version !== undefined && SUPPORTED_PROTOCOL_VERSIONS.includes(version)
  }
}

function describeFault(error: unknown): { readonly code: number; readonly message: string } {
  return { code: INTERNAL_ERROR, message: error instanceof Error ? error.message : 'Internal error' }
}

/** The call of a message that is plain; null if it has anything that is not understood here. */
function readPlainCall(message: JSONRPCMessage): PlainCall | null {
  if (!('method' in message) || message.method !== 'tools/call' || !('id' in message)) return null
  const { id, params } = message
  if (message.jsonrpc !== '2.0' || !hasOnly(message, MESSAGE_KEYS) || !isJsonObject(params)) return null
  if (typeof id !== 'string' && !Number.isSafeInteger(id)) return null
  const { name, arguments: args } = params
  if (typeof name !== 'string' || !isJsonObject(args) || !hasOnly(params, CALL_KEYS)) return null
  return { id, name, args }
}

const MESSAGE_KEYS: ReadonlySet<string> = new Set(['jsonrpc', 'id', 'method', 'params'])
const CALL_KEYS: ReadonlySet<string> = new Set(['name', 'arguments'])

function hasOnly(value: object, keys: ReadonlySet<string>): boolean {
  for (const key in value) if (!keys.has(key)) return false
  return true
}
