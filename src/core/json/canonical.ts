import type { JsonValue } from './value.ts'

const isArray = (value: JsonValue): value is readonly JsonValue[] => Array.isArray(value)

/**
 * The same text for the same value: keys sorted by code unit, no whitespace. Made for hashing values that have passed
 * the depth limit; it calls itself once per level.
 */
export const canonicalJson = (value: JsonValue): string =>
  // Most values come in order already, and then the engine's own writer does it several times quicker.
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
    // What JSON leaves out is not there.
    if (member === undefined) continue
    const separator = text === '' ? '' : ','
    text += `${separator}${JSON.stringify(key)}:${writeSorted(member)}`
  }
  return `{${text}}`
}
