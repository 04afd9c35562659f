import type { JsonObject, JsonValue } from '../../json/value.ts'
import { redactSecrets } from './redact.ts'
import { REDACTED } from './redacted.ts'
import { isSecretName } from './secret-names.ts'

/** The same value with what looks like a secret taken out of its texts; the very same object where there is none. */
export function redactObject(value: JsonObject, known: readonly string[]): JsonObject {
  let isChanged = false
  const entries = Object.entries(value).map(([name, inner]) => {
    const shown =
      typeof inner === 'string' && inner !== '' && isSecretName(name) ? REDACTED : redactValue(inner, known)
    isChanged ||= shown !== inner
    return [name, shown] as const
  })
  return isChanged ? Object.fromEntries(entries) : value
}

function redactValue(value: JsonValue, known: readonly string[]): JsonValue {
  if (typeof value === 'string') return redactSecrets(value, known)
  if (typeof value !== 'object' || value === null) return value
  if (!Array.isArray(value)) return redactObject(value as JsonObject, known)
  const items = value as readonly JsonValue[]
  const shown = items.map((item) => redactValue(item, known))
  return shown.some((item, index) => item !== items[index]) ? shown : value
}
