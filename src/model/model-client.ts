import type { Attachment, AttachmentType } from '../core/attachment/attachment.ts'
import type { JsonObject, JsonValue } from '../core/json/value.ts'

/** Appended to an interrupted message of the model when it is sent back. */
export const BROKEN_OFF = '[The message broke off here.]'

/** A tool as it is advertised to a model. */
export interface AdvertisedTool {
  readonly name: string
  readonly description: string
  readonly inputSchema: JsonObject
}

/** A part of an assistant message. Metadata belongs to the provider and is sent back unchanged. */
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

/** The result of one call, as it is sent to the model. */
export interface AnsweredCall {
  readonly id: string
  readonly name: string
  readonly content: string
  readonly isError: boolean
  /** Pictures and documents that the model is shown with it. */
  readonly attached?: readonly Attachment[]
}

/** One message of a conversation. Results come together, right after the message that made the calls. */
export type ModelMessage =
  | { readonly role: 'user'; readonly text: string; readonly attached?: readonly Attachment[] }
  | { readonly role: 'assistant'; readonly parts: readonly AssistantPart[] }
  | { readonly role: 'tool'; readonly results: readonly AnsweredCall[] }

/** Which attachments a request contains, and where their bytes are. */
export interface SentAttachments {
  /** The types that the model is shown. */
  readonly takes: readonly AttachmentType[]
  /** Their bytes by digest, without those that were erased. */
  readonly contents: ReadonlyMap<string, Uint8Array>
}

/** A request to a model. */
export interface ModelRequest {
  readonly system: string
  readonly messages: readonly ModelMessage[]
  readonly tools: readonly AdvertisedTool[]
  /** How many earlier messages of the model are left out. */
  readonly leftOut?: number
  /** How attachments are sent; if absent, the model is only told what they are. */
  readonly attachments?: SentAttachments
  /** Set if a summary of the messages is wanted instead of an answer. */
  readonly isForSummary?: true
  /** Set if it belongs to a delegated conversation; the first message is its task. */
  readonly isDelegated?: true
}

/** Why a message ended: complete, with calls, too long, refused by the model or its provider, or anything else. */
export type EndReason = 'stop' | 'calls' | 'length' | 'refused' | 'other'

/** A piece of a stream, in one form for all providers. */
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

/** Answers requests with a stream. */
export interface ModelClient {
  readonly id: string
  /** A server other than the provider's own. */
  readonly baseUrl?: string
  /** Whether it supports tools; if not, calls come as fenced blocks. */
  readonly hasTools: boolean
  /** Whether its messages may contain both kinds of calls, as scripts do. */
  readonly mixesCalls?: true
  /** The pictures and documents that it is known to take; none if absent. */
  readonly takes?: readonly AttachmentType[]
  /** The context window, or null if unknown. */
  readonly contextTokens: number | null
  /** Set if it takes any length, as scripts do. */
  readonly isUnbounded?: true
  /** `onSign` is called for every sign of life, even if it gives no delta. */
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
  /** Whether the request did not fit into the context window. */
  readonly isTooLong: boolean
  /** Whether the refusal is about something attached, if something is. */
  readonly isAboutAttached: boolean

  constructor(
    code: ModelError['code'],
    message: string,
    retryAfterMs: number | null = null,
    isTooLong: boolean = false,
    isAboutAttached: boolean = false,
  ) {
    super(message)
    this.name = 'ModelError'
    this.code = code
    this.retryAfterMs = retryAfterMs
    this.isTooLong = isTooLong
    this.isAboutAttached = isAboutAttached
  }
}
