import { isPositive } from './checks.js'

/** Splits a list into parts of a size. */
export function chunk(list, size) {
  if (!isPositive(size)) throw new RangeError('size is not positive')
  const parts = []
  for (let at = 0; at < list.length; at += size) parts.push(list.slice(at, at + size))
  return parts
}

/** The last part, which may be shorter. */
export function lastChunk(list, size) {
  return chunk(list, size).at(-1) ?? []
}
