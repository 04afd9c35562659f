import { parseJson } from '../../core/json/value.ts'
import type { JsonValue } from '../../core/json/value.ts'

const utf8 = new TextDecoder()

/** What can be read of a payload; one that was erased or is damaged says nothing. */
export function readJson(bytes: Uint8Array | null): JsonValue {
  return bytes === null ? null : (parseJson(utf8.decode(bytes)) ?? null)
}
