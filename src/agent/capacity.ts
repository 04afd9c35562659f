import type { ModelMessage } from '../model/model-client.ts'

const BYTES_PER_TOKEN = 4
const RESPONSE_RESERVE_TOKENS = 4096
const SAFETY_MARGIN_TOKENS = 1024

/** How many bytes of results the conversation has room for; a fixed amount where nobody knows how much the model can look at. */
export function capacityBytes(
  contextTokens: number | null,
  usedTokens: number,
  fallbackBytes: number,
): number {
  if (contextTokens === null) return fallbackBytes
  return (
    Math.max(0, contextTokens - usedTokens - RESPONSE_RESERVE_TOKENS - SAFETY_MARGIN_TOKENS) * BYTES_PER_TOKEN
  )
}

/** A cautious guess at the tokens of a conversation. */
export function estimateTokens(system: string, messages: readonly ModelMessage[]): number {
  return Math.ceil((system.length + JSON.stringify(messages).length) / (BYTES_PER_TOKEN - 1))
}
