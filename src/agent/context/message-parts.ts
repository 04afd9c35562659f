import type { AssistantPart } from '../../model/model-client.ts'
import { parseJson } from '../../core/json/value.ts'
import type { JsonValue } from '../../core/json/value.ts'

/** Shown in place of a message whose content was erased. */
export const ERASED = '[this message was erased]'

/** The parts stored in a payload; null if it was erased or is damaged. */
export function readParts(bytes: Uint8Array | null): readonly AssistantPart[] | null {
  const parts = readJson(bytes)
  // Written by Tongs and verified by its digest.
  return Array.isArray(parts) ? (parts as unknown as readonly AssistantPart[]) : null
}

/** The parts with adjacent text merged. */
export function joinParts(parts: readonly AssistantPart[]): readonly AssistantPart[] {
  const joined: AssistantPart[] = []
  for (const part of parts) {
    const last = joined.at(-1)
    if (part.type === 'text' && last?.type === 'text')
      joined[joined.length - 1] = { type: 'text', text: last.text + part.text }
    else joined.push(part)
  }
  return joined
}

/** The text of the parts, joined. */
export function textOf(parts: readonly AssistantPart[]): string {
  return parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('')
}

const utf8 = new TextDecoder()

/** The JSON value of a payload; null if it was erased or is damaged. */
export function readJson(bytes: Uint8Array | null): JsonValue {
  return bytes === null ? null : (parseJson(utf8.decode(bytes)) ?? null)
}
