import type { AssistantPart } from '../../model/model-client.ts'
import { parseJson } from '../../core/json/value.ts'
import type { JsonValue } from '../../core/json/value.ts'

/** What stands for a message whose content is gone. */
export const ERASED = '[this message was erased]'

/** The parts that a payload holds; null where it was erased or is damaged. */
export function readParts(bytes: Uint8Array | null): readonly AssistantPart[] | null {
  const parts = readJson(bytes)
  // Written by us, under a digest.
  return Array.isArray(parts) ? (parts as unknown as readonly AssistantPart[]) : null
}

/** The parts with neighbouring pieces of text put together. */
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

/** What was said in them, as one text. */
export function textOf(parts: readonly AssistantPart[]): string {
  return parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('')
}

const utf8 = new TextDecoder()

/** What can be read of a payload; one that was erased or is damaged says nothing. */
export function readJson(bytes: Uint8Array | null): JsonValue {
  return bytes === null ? null : (parseJson(utf8.decode(bytes)) ?? null)
}
