import { takerOf } from './match-tokens.ts'
import type { Shape } from './match-tokens.ts'
import type { Token } from './parse.ts'

const BITS = 32
/** What is remembered of all texts so far; then it begins anew. */
const MOST_WORDS = 1_048_576
const MOST_STEPS = 262_144

/** What the characters so far fit: a place in the patterns, a bit each, and where each next character led. */
interface Reached {
  readonly places: Uint32Array
  readonly fitting: readonly number[]
  readonly next: Map<string, Reached>
}

/**
 * Compiles patterns for names into one test, which gives those that fit a text, in order. It follows all of them at once,
 * and remembers where a character led: what a text costs depends on its length, and hardly on the number of patterns.
 */
export function compileNames(
  patterns: readonly (readonly Token[])[],
  shape: Shape,
): (text: string) => readonly number[] {
  const gaps = patterns.reduce((sum, tokens) => sum + countPositions(tokens) + 1, 0)
  const words = Math.ceil(gaps / BITS)
  const starts = new Uint32Array(words)
  const loops = new Uint32Array(words)
  const ends = new Uint32Array(words)
  const patternAt = new Map<number, number>()
  const takers = new Map<string, { readonly takes: (character: string) => boolean; readonly at: number[] }>()
  let gap = 0
  for (const [index, tokens] of patterns.entries()) {
    setBit(starts, gap)
    for (const token of tokens) {
      if (token.kind === 'star') {
        setBit(loops, gap)
        continue
      }
      const key = JSON.stringify(token)
      const taker = takers.get(key) ?? { takes: takerOf(token, shape), at: [] }
      taker.at.push(gap)
      takers.set(key, taker)
      gap += 1
    }
    patternAt.set(gap, index)
    setBit(ends, gap)
    gap += 1
  }

  const masks = new Map<string, Uint32Array>()
  /** The places whose next character takes a given one. */
  function maskOf(character: string): Uint32Array {
    const known = masks.get(character)
    if (known !== undefined) return known
    const mask = new Uint32Array(words)
    for (const { takes, at } of takers.values()) if (takes(character)) for (const one of at) setBit(mask, one)
    if ((masks.size + 1) * words > MOST_WORDS) masks.clear()
    masks.set(character, mask)
    return mask
  }

  const reached = new Map<string, Reached>()
  let first: Reached | null = null
  let steps = 0
  function reach(places: Uint32Array): Reached {
    const key = String.fromCharCode(...new Uint16Array(places.buffer))
    const known = reached.get(key)
    if (known !== undefined) return known
    if ((reached.size + 1) * words > MOST_WORDS) forget()
    const made: Reached = { places, fitting: fittingIn(places), next: new Map() }
    reached.set(key, made)
    return made
  }

  function fittingIn(places: Uint32Array): readonly number[] {
    const fitting: number[] = []
    for (let word = 0; word < words; word++)
      for (let found = (places[word] ?? 0) & (ends[word] ?? 0); found !== 0; found &= found - 1)
        fitting.push(patternAt.get(word * BITS + BITS - 1 - Math.clz32(found & -found)) ?? -1)
    return fitting
  }

  function forget(): void {
    for (const { next } of reached.values()) next.clear()
    reached.clear()
    first = null
    steps = 0
  }

  function take({ places, next }: Reached, character: string): Reached {
    const mask = maskOf(character)
    const after = new Uint32Array(words)
    let carry = 0
    for (let word = 0; word < words; word++) {
      const before = places[word] ?? 0
      const taken = before & (mask[word] ?? 0)
      after[word] = (taken << 1) | carry | (before & (loops[word] ?? 0))
      carry = taken >>> (BITS - 1)
    }
    if (++steps > MOST_STEPS) forget()
    const led = reach(after)
    next.set(character, led)
    return led
  }

  return (text) => {
    let at = (first ??= reach(starts))
    for (const character of text) at = at.next.get(character) ?? take(at, character)
    return at.fitting
  }
}

function countPositions(tokens: readonly Token[]): number {
  return tokens.filter(({ kind }) => kind !== 'star').length
}

function setBit(bits: Uint32Array, at: number): void {
  const word = Math.floor(at / BITS)
  bits[word] = (bits[word] ?? 0) | (1 << (at % BITS))
}
