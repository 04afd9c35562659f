import type { JsonValue } from '../core/json/value.ts'

const utf8 = new TextDecoder()

/** What can be read of a payload; one that is damaged says nothing. */
export function readJson(bytes: Uint8Array): JsonValue {
  try {
    return JSON.parse(utf8.decode(bytes)) as JsonValue
  } catch {
    return null
  }
}
