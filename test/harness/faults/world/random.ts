/** Numbers from 0 up to 1 that look random and are the same for the same seed. */
export function seeded(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
}

/** So many of the items, evenly spread, beginning with one that the seed decides. */
export function spread<T>(items: readonly T[], count: number, random: () => number): readonly T[] {
  if (count >= items.length) return items
  const start = random()
  return Array.from(
    { length: count },
    (_, index) => items[Math.floor(((index + start) * items.length) / count)],
  ).filter((item) => item !== undefined)
}
