import { BYTES_PER_TOKEN } from '../../config/fixed-values.ts'
import type { Attachment, AttachmentType } from '../../core/attachment/attachment.ts'
import { byteLength } from '../../core/text/truncate.ts'
import type { Measured } from '../log/measured.ts'
import type { AdvertisedTool, ModelMessage } from '../../model/model-client.ts'

/** Tokens never given to results: room for the answer, and a margin for wrong estimates. */
export interface Reserve {
  readonly responseTokens: number
  readonly marginTokens: number
}

/** How many bytes of results the conversation has room for; a fixed amount if the context window is unknown. */
export function capacityBytes(
  contextTokens: number | null,
  usedTokens: number,
  { responseTokens, marginTokens }: Reserve,
  fallbackBytes: number,
): number {
  if (contextTokens === null) return fallbackBytes
  return Math.max(0, contextTokens - usedTokens - responseTokens - marginTokens) * BYTES_PER_TOKEN
}

/** No provider's count is this much lower than the estimate; one that is leaves something out, such as what was cached. */
const LEAST_SHARE = 0.4

/** The tokens of a request: what its provider counted for the one before, and an estimate of what is new. */
export function countTokens(estimated: number, measured: Measured | null): number {
  if (measured === null) return estimated
  const counted = Math.max(measured.tokens, Math.ceil(measured.estimated * LEAST_SHARE))
  if (measured.isCurrent && estimated >= measured.estimated) return counted + estimated - measured.estimated
  return Math.ceil((estimated * counted) / measured.estimated)
}

/** A conservative estimate of the tokens of a request, by its UTF-8 bytes: most scripts need more of them per letter. */
export function estimateTokens(
  system: string,
  messages: readonly ModelMessage[],
  tools: readonly AdvertisedTool[] = [],
  takes: readonly AttachmentType[] = [],
): number {
  const bytes = byteLength(system) + jsonBytes(messages) + jsonBytes(tools)
  const shown = attachedIn(messages).filter(({ type }) => takes.includes(type))
  return Math.ceil(bytes / (BYTES_PER_TOKEN - 1)) + shown.reduce((sum, { tokens }) => sum + tokens, 0)
}

/** The bytes of what was measured before: a conversation is measured several times for each request, and only grows. */
const measuredBytes = new WeakMap<object, number>()

/** The length of a list as JSON. */
function jsonBytes(values: readonly object[]): number {
  const brackets = 2
  const commas = Math.max(0, values.length - 1)
  return values.reduce((sum, value) => sum + bytesOf(value), brackets + commas)
}

function bytesOf(value: object): number {
  const known = measuredBytes.get(value)
  if (known !== undefined) return known
  const bytes = byteLength(JSON.stringify(value))
  measuredBytes.set(value, bytes)
  return bytes
}

/** Everything that is attached to messages. */
export function attachedIn(messages: readonly ModelMessage[]): readonly Attachment[] {
  return messages.flatMap((message) => {
    if (message.role === 'user') return message.attached ?? []
    return message.role === 'tool' ? message.results.flatMap(({ attached }) => attached ?? []) : []
  })
}
