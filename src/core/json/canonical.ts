import type { JsonValue } from './value.ts'

const isArray = (value: JsonValue): value is readonly JsonValue[] => Array.isArray(value)

/**
 * The same text for the same value: keys sorted by code unit, no whitespace. Made for hashing values that have passed
 * the depth limit; it calls itself once per level.
 */
export const canonicalJson = (value: JsonValue): string => {
  if (value === null || typeof value !== 'object') return JSON.stringify(value)
  if (isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
  const members = Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1))
  return `{${members.map(([key, member]) => `${JSON.stringify(key)}:${canonicalJson(member)}`).join(',')}}`
}
