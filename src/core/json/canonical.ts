import type { JsonValue } from './value.ts'

const isArray = (value: JsonValue): value is readonly JsonValue[] => Array.isArray(value)

/**
 * The same text for equal values: keys sorted by code unit, no whitespace. Meant for hashing values that have passed
 * the depth limit, because it recurses once per level.
 */
export const canonicalJson = (value: JsonValue): string =>
  // Most values are already in order; then the engine's own writer is several times faster.
  isInOrder(value) ? JSON.stringify(value) : writeSorted(value)

function isInOrder(value: JsonValue): boolean {
  if (value === null || typeof value !== 'object') return true
  if (isArray(value)) {
    for (const item of value) if (!isInOrder(item)) return false
    return true
  }
  let last = ''
  for (const key of Object.keys(value)) {
    if (key < last) return false
    last = key
    const member = value[key]
    if (member !== undefined && !isInOrder(member)) return false
  }
  return true
}

function writeSorted(value: JsonValue): string {
  if (value === null || typeof value !== 'object') return JSON.stringify(value)
  if (isArray(value)) return `[${value.map(writeSorted).join(',')}]`
  let text = ''
  for (const key of Object.keys(value).toSorted()) {
    const member = value[key]
    // JSON omits undefined members.
    if (member === undefined) continue
    const separator = text === '' ? '' : ','
    text += `${separator}${JSON.stringify(key)}:${writeSorted(member)}`
  }
  return `{${text}}`
}
