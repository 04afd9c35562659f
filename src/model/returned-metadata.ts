import type { SharedV4ProviderMetadata, SharedV4ProviderOptions } from '@ai-sdk/provider'
import { isJsonObject } from '../core/json/value.ts'
import type { JsonObject, JsonValue } from '../core/json/value.ts'

/** What a provider wants back with a part, and the model it came from; it is never sent to another model. */
export interface ReturnedMetadata {
  readonly model: string
  /** `text` if it belongs to the text before it, not to the reasoning that carries it. */
  readonly of: 'part' | 'text'
  readonly options: SharedV4ProviderOptions | undefined
}

/** The form in which it is stored with a message. */
export function sealMetadata(
  model: string,
  found: SharedV4ProviderMetadata | undefined,
  of: ReturnedMetadata['of'] = 'part',
): JsonValue {
  const options = found === undefined ? {} : { options: toPlainJson(found) }
  return { model, of, ...options }
}

/** Reads it back; null if another model or another program wrote it. */
export function openMetadata(metadata: JsonValue | undefined, model: string): ReturnedMetadata | null {
  if (metadata === undefined || !isJsonObject(metadata) || metadata['model'] !== model) return null
  const { of, options } = metadata
  return {
    model,
    of: of === 'text' ? 'text' : 'part',
    options: isJsonObject(options) ? (toPlainJson(options) as SharedV4ProviderOptions) : undefined,
  }
}

/** Later pieces of a block win over earlier ones, provider by provider. */
export function mergeMetadata(
  known: SharedV4ProviderMetadata | undefined,
  next: SharedV4ProviderMetadata | undefined,
): SharedV4ProviderMetadata | undefined {
  if (known === undefined || next === undefined) return next ?? known
  const merged = { ...known }
  for (const [provider, values] of Object.entries(next)) merged[provider] = { ...merged[provider], ...values }
  return merged
}

/** A deep copy without undefined values, so that it is the same after a restart. */
function toPlainJson(value: unknown): JsonObject {
  return JSON.parse(JSON.stringify(value)) as JsonObject
}
