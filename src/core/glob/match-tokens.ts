import type { Token } from './parse.ts'

/** Makes the text alike that is to count as the same. */
export type Shape = (text: string) => string

/**
 * Compiles a test for the characters of a name. Each run of a pattern between two stars is sought at all places at once, 32
 * of its positions in a step: a project that nobody trusts may have long names and many long patterns.
 */
export function compileTokens(
  tokens: readonly Token[],
  shape: Shape,
): (characters: readonly string[]) => boolean {
  const [first, ...middle] = splitAtStars(tokens).map((run) => compileRun(run, shape))
  const last = middle.pop()
  return (characters) => {
    if (first === undefined) return characters.length === 0
    if (last === undefined) return characters.length === first.length && first.isAt(characters, 0)
    const end = characters.length - last.length
    if (end < first.length || !first.isAt(characters, 0) || !last.isAt(characters, end)) return false
    let at = first.length
    for (const run of middle) {
      at = run.findEnd(characters, at, end)
      if (at === -1) return false
    }
    return true
  }
}

function splitAtStars(tokens: readonly Token[]): readonly (readonly Token[])[] {
  const runs: Token[][] = [[]]
  for (const token of tokens) {
    if (token.kind === 'star') runs.push([])
    else runs.at(-1)?.push(token)
  }
  return runs
}

const BITS = 32
const MOST_MASKS = 1_000

/** The part of a pattern between two stars: each position takes one character. */
function compileRun(run: readonly Token[], shape: Shape) {
  const positions = run.map((token) => compilePosition(token, shape))
  const words = Math.ceil(run.length / BITS)
  const masks = new Map<string, Uint32Array>()
  const state = new Uint32Array(words)

  /** The positions that take a character, a bit each. */
  function maskOf(character: string): Uint32Array {
    const known = masks.get(character)
    if (known !== undefined) return known
    const mask = new Uint32Array(words)
    const unit = shapesOf(character, shape)
    for (const [at, takes] of positions.entries())
      if (takes(unit)) mask[Math.floor(at / BITS)] = (mask[Math.floor(at / BITS)] ?? 0) | (1 << (at % BITS))
    if (masks.size >= MOST_MASKS) masks.clear()
    masks.set(character, mask)
    return mask
  }

  return {
    length: run.length,
    isAt: (characters: readonly string[], from: number): boolean =>
      positions.every((takes, at) => takes(shapesOf(characters[from + at] ?? '', shape))),
    /** The end of the first place between two others where the run fits; -1 if there is none. */
    findEnd(characters: readonly string[], from: number, to: number): number {
      if (run.length === 0) return from
      state.fill(0)
      // Bit n of the state says that the characters up to here fit the first n + 1 positions.
      for (let at = from; at < to; at++) {
        const mask = maskOf(characters[at] ?? '')
        let carry = 1
        for (let word = 0; word < words; word++) {
          const before = state[word] ?? 0
          state[word] = ((before << 1) | carry) & (mask[word] ?? 0)
          carry = before >>> (BITS - 1)
        }
        if (((state[words - 1] ?? 0) >>> ((run.length - 1) % BITS)) & 1) return at + 1
      }
      return -1
    },
  }
}

/** A character as it is compared. */
interface Unit {
  readonly shaped: string
  /** The code points it stands for; none if it is more than one character. */
  readonly points: readonly number[]
}

function shapesOf(character: string, shape: Shape): Unit {
  const shaped = shape(character)
  const variants =
    shape === asWritten ? [character] : [character, character.toLowerCase(), character.toUpperCase()]
  return { shaped, points: [...new Set(variants)].flatMap(pointOf) }
}

/** The shape of what is compared exactly. */
export const asWritten: Shape = (text) => text

function pointOf(text: string): readonly number[] {
  const point = text.codePointAt(0) ?? 0
  return text.length === (point > 0xffff ? 2 : 1) ? [point] : []
}

/** The test for one character of a text: whether a position of a pattern takes it. */
export function takerOf(token: Token, shape: Shape): (character: string) => boolean {
  const takes = compilePosition(token, shape)
  return (character) => takes(shapesOf(character, shape))
}

function compilePosition(token: Token, shape: Shape): (unit: Unit) => boolean {
  if (token.kind === 'character') {
    const wanted = shape(token.character)
    return ({ shaped }) => shaped === wanted
  }
  if (token.kind !== 'set') return () => true
  const ranges = token.ranges.map(([low, high]) => ({
    from: low.codePointAt(0) ?? 0,
    to: high.codePointAt(0) ?? 0,
    shaped: shape(low),
  }))
  return ({ shaped, points }) =>
    ranges.some(
      (range) => range.shaped === shaped || points.some((point) => point >= range.from && point <= range.to),
    ) !== token.isNegated
}
