import type { JsonObject, JsonValue } from '../core/json/value.ts'

/** What a model is shown at the end of a message of its own that was interrupted. */
export const BROKEN_OFF = '[The message broke off here.]'

/** A tool as a model is told about it. */
export interface AdvertisedTool {
  readonly name: string
  readonly description: string
  readonly inputSchema: JsonObject
}

/** A piece of what an assistant said. Metadata is the provider's own and goes back to it unchanged. */
export type AssistantPart =
  | { readonly type: 'text'; readonly text: string }
  | {
      readonly type: 'call'
      readonly id: string
      readonly name: string
      readonly argsText: string
      readonly metadata?: JsonValue
    }
  | { readonly type: 'reasoning'; readonly text: string; readonly metadata?: JsonValue }

/** The answer to one call, as the model gets it. */
export interface AnsweredCall {
  readonly id: string
  readonly name: string
  readonly content: string
  readonly isError: boolean
}

/** One message of a conversation. Results stand together, right after the message that asked for them. */
export type ModelMessage =
  | { readonly role: 'user'; readonly text: string }
  | { readonly role: 'assistant'; readonly parts: readonly AssistantPart[] }
  | { readonly role: 'tool'; readonly results: readonly AnsweredCall[] }

/** Everything a model is asked with. */
export interface ModelRequest {
  readonly system: string
  readonly messages: readonly ModelMessage[]
  readonly tools: readonly AdvertisedTool[]
  /** How many of its own earlier messages the model is not given any more. */
  readonly leftOut?: number
  /** Set where no answer to the person is wanted but a summary of the messages. */
  readonly isForSummary?: true
}

/** Why a message ended: it was complete, it has calls, it became too long, the model or its provider refused, or anything else. */
export type EndReason = 'stop' | 'calls' | 'length' | 'refused' | 'other'

/** A piece of a stream, the same for every provider. */
export type ModelDelta =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'call_start'; readonly id: string; readonly name: string }
  | { readonly type: 'call_delta'; readonly id: string; readonly text: string }
  | {
      readonly type: 'call_end'
      readonly id: string
      readonly argsText: string
      readonly metadata?: JsonValue
    }
  | { readonly type: 'reasoning'; readonly text: string; readonly metadata?: JsonValue }
  | { readonly type: 'usage'; readonly input: number; readonly output: number; readonly cached: number }
  | { readonly type: 'end'; readonly reason: EndReason }

/** Something that answers requests with a stream. */
export interface ModelClient {
  readonly id: string
  /** Another server than the provider's own; absent where it is that. */
  readonly baseUrl?: string
  /** Whether it can be told about tools; otherwise calls come as fenced blocks. */
  readonly hasTools: boolean
  /** Whether calls of both kinds may stand in its messages, as in a script. */
  readonly mixesCalls?: true
  /** How much it can look at, or null where nobody knows. */
  readonly contextTokens: number | null
  /** `onSign` is told of every sign of life, also of those that give no delta. */
  readonly stream: (
    request: ModelRequest,
    signal: AbortSignal,
    onSign?: () => void,
  ) => AsyncIterable<ModelDelta>
}

/** Why a model did not answer. */
export class ModelError extends Error {
  readonly code:
    | 'rate_limited'
    | 'overloaded'
    | 'auth'
    | 'bad_request'
    | 'torn_stream'
    | 'idle'
    | 'network'
    | 'other'
  readonly retryAfterMs: number | null

  constructor(code: ModelError['code'], message: string, retryAfterMs: number | null = null) {
    super(message)
    this.name = 'ModelError'
    this.code = code
    this.retryAfterMs = retryAfterMs
  }
}
