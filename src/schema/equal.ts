import { canonicalJson } from '../core/json/canonical.ts'
import { isJsonObject } from '../core/json/value.ts'
import type { JsonValue } from '../core/json/value.ts'

/** Whether two values are the same JSON, regardless of key order. */
export function isSameJson(one: unknown, other: unknown): boolean {
  if (one === other) return true
  if (typeof one !== 'object' || typeof other !== 'object') return false
  if (Array.isArray(one) && Array.isArray(other)) {
    return one.length === other.length && one.every((item, index) => isSameJson(item, other[index]))
  }
  if (!isJsonObject(one) || !isJsonObject(other)) return false
  const keys = Object.keys(one)
  return (
    keys.length === Object.keys(other).length &&
    keys.every((key) => Object.hasOwn(other, key) && isSameJson(one[key], other[key]))
  )
}

/** The indexes of the first two equal items, and the number of steps it took to find them. */
export function findRepeat(items: readonly unknown[]): {
  readonly pair: readonly [number, number] | null
  readonly steps: number
} {
  const scalars = new Map<unknown, number>()
  const containers = new Map<string, number>()
  let steps = items.length
  for (const [index, item] of items.entries()) {
    const isContainer = typeof item === 'object' && item !== null
    const text = isContainer ? canonicalJson(item as JsonValue) : ''
    steps += text.length
    const earlier = isContainer ? containers.get(text) : scalars.get(item)
    if (earlier !== undefined) return { pair: [earlier, index], steps }
    if (isContainer) containers.set(text, index)
    else scalars.set(item, index)
  }
  return { pair: null, steps }
}
