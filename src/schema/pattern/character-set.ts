/** A set of code points: pairs of first and last, ascending and not adjacent. */
export type Ranges = readonly number[]

/** The characters that one position of a pattern matches. */
export interface CharacterSet {
  readonly ranges: Ranges
  /** For Unicode properties: the class as an expression for one character; `ranges` is then empty. */
  readonly opaque: RegExp | null
}

const LAST = 0x10ffff

const DIGITS: Ranges = [0x30, 0x39]
const WORD: Ranges = [0x30, 0x39, 0x41, 0x5a, 0x5f, 0x5f, 0x61, 0x7a]
const SPACE: Ranges = [
  0x09, 0x0d, 0x20, 0x20, 0xa0, 0xa0, 0x1680, 0x1680, 0x2000, 0x200a, 0x2028, 0x2029, 0x202f, 0x202f, 0x205f,
  0x205f, 0x3000, 0x3000, 0xfeff, 0xfeff,
]

/** The classes that a letter after a backslash stands for. */
export const CLASSES: ReadonlyMap<string, Ranges> = new Map([
  ['d', DIGITS],
  ['D', complement(DIGITS)],
  ['w', WORD],
  ['W', complement(WORD)],
  ['s', SPACE],
  ['S', complement(SPACE)],
])

/** Everything but line ends, as the dot matches. */
export const DOT: Ranges = complement([0x0a, 0x0a, 0x0d, 0x0d, 0x2028, 0x2029])

/** One code point. */
export function single(code: number): CharacterSet {
  return { ranges: [code, code], opaque: null }
}

/** The union of the sets. */
export function unite(sets: readonly Ranges[]): Ranges {
  const pairs = sets.flatMap((ranges) => pairsOf(ranges)).toSorted(([one], [other]) => one - other)
  const united: number[] = []
  for (const [first, last] of pairs) {
    const end = united.at(-1)
    if (end !== undefined && first <= end + 1) united[united.length - 1] = Math.max(end, last)
    else united.push(first, last)
  }
  return united
}

/** Everything that is not in a set. */
export function complement(ranges: Ranges): Ranges {
  const left: number[] = []
  let next = 0
  for (const [first, last] of pairsOf(ranges)) {
    if (first > next) left.push(next, first - 1)
    next = last + 1
  }
  return next > LAST ? left : [...left, next, LAST]
}

/** Whether two sets share a code point. */
export function overlap(one: Ranges, other: Ranges): boolean {
  return pairsOf(one).some(([first, last]) =>
    pairsOf(other).some(([low, high]) => first <= high && low <= last),
  )
}

/** Whether a set contains a code point. */
export function holds({ ranges, opaque }: CharacterSet, code: number): boolean {
  if (opaque !== null) return opaque.test(String.fromCodePoint(code))
  for (let index = 0; index < ranges.length; index += 2) {
    if (code <= (ranges[index + 1] ?? -1)) return code >= (ranges[index] ?? Infinity)
  }
  return false
}

/** Whether a code point is a word character. */
export function isWordCharacter(code: number): boolean {
  return holds({ ranges: WORD, opaque: null }, code)
}

function pairsOf(ranges: Ranges): readonly (readonly [number, number])[] {
  const pairs: [number, number][] = []
  for (let index = 0; index < ranges.length; index += 2)
    pairs.push([ranges[index] ?? 0, ranges[index + 1] ?? 0])
  return pairs
}
