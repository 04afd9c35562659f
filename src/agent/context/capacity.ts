import { BYTES_PER_TOKEN } from '../../config/fixed-values.ts'
import { byteLength } from '../../core/text/truncate.ts'
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

/** A conservative estimate of the tokens of a request, by its UTF-8 bytes: most scripts need more of them per letter. */
export function estimateTokens(
  system: string,
  messages: readonly ModelMessage[],
  tools: readonly AdvertisedTool[] = [],
): number {
  const bytes = byteLength(system) + byteLength(JSON.stringify(messages)) + byteLength(JSON.stringify(tools))
  return Math.ceil(bytes / (BYTES_PER_TOKEN - 1))
}
