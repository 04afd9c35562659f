/** Makes values in the alphabets that providers use. Seeded, so that a failure can be repeated. */
export interface Maker {
  readonly from: (alphabet: string, length: number) => string
  readonly base62: (length: number) => string
  readonly base64: (length: number) => string
  readonly hex: (length: number) => string
  readonly upper: (length: number) => string
  readonly digits: (length: number) => string
  /** A password as a person chooses it: a word, a number, sometimes a sign. */
  readonly password: () => string
}

const LOWER = 'abcdefghijklmnopqrstuvwxyz'
const UPPER = LOWER.toUpperCase()
const DIGITS = '0123456789'
const WORDS = [
  'hunter',
  'dragon',
  'sommer',
  'Winter',
  'monkey',
  'sword',
  'Falcon',
  'tiger',
  'violet',
  'Marble',
]

/** A small generator of well-distributed numbers (mulberry32). */
function numbersFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d_2b_79_f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

export function makerFor(seed: number): Maker {
  const next = numbersFrom(seed * 7919 + 13)
  const pick = (choices: ArrayLike<string>): string => choices[Math.floor(next() * choices.length)] ?? ''
  const from = (alphabet: string, length: number): string =>
    Array.from({ length }, () => pick(alphabet)).join('')
  return {
    from,
    base62: (length) => from(LOWER + UPPER + DIGITS, length),
    base64: (length) => from(`${LOWER}${UPPER}${DIGITS}+/`, length),
    hex: (length) => from(`${DIGITS}abcdef`, length),
    upper: (length) => from(UPPER + DIGITS, length),
    digits: (length) => from(DIGITS, length),
    password: () =>
      `${pick(WORDS)}${from('23456789', 2 + Math.floor(next() * 3))}${pick(['', '', '!', '#', '-x'])}`,
  }
}
