import type { Component, Token } from '../../core/glob/parse.ts'

/** A rule of an ignore file that a name cannot simply be looked up in. */
export interface WildRule {
  /** The names of its pattern, from the folder of the ignore file on. */
  readonly components: readonly Component[]
  readonly isForFolders: boolean
}

/** Counts what matching costs, in steps of some nanoseconds. */
export interface Effort {
  steps: number
}

/** All rules of one ignore file that have wildcards. */
export interface RuleMachine {
  /** The last rule that matches a path from the folder of the ignore file on; -1 if none does. */
  readonly findLast: (path: string, isFolder: boolean, effort: Effort) => number
}

/** One character of a pattern: what it takes. A slash takes itself alone, and nothing else takes a slash. */
type Position = Exclude<Token, { readonly kind: 'star' }>

/** A pattern as characters, with what may be passed over at the gap before each and after the last. */
interface Laid {
  readonly positions: readonly Position[]
  /** Where any characters of a name may come, and where any names may come or none. */
  readonly stars: readonly number[]
  readonly doubleStars: readonly number[]
}

const SLASH: Position = { kind: 'character', character: '/' }
const BITS = 32
/** Masks are kept for this many words together. */
const MOST_KEPT_WORDS = 262_144

/** How many characters a rule is made of. */
export function lengthOf(components: readonly Component[]): number {
  return layOut(components).positions.length
}

/**
 * Compiles rules into one machine. It takes a path character by character and follows all rules at once, 32 of their
 * characters in a step: a project that nobody trusts may have many long rules and many long names.
 */
export function compileRules(rules: readonly WildRule[]): RuleMachine {
  const tables = createTables(rules)
  const { words, deep, shallow, skips, starts, endsForFiles, endsForFolders, ruleAt } = tables
  const masks = createMasks(tables)
  const state = new Uint32Array(words)
  // Of the folder that was asked about last: its other entries come next.
  const inFolder = new Uint32Array(starts)
  let folder = ''

  /** Bit n of the state says that what comes before gap n fits the characters up to here. */
  function take(character: string, effort: Effort): void {
    const mask = masks.of(character, effort)
    const loops = character === '/' ? deep : shallow
    let carry = 0
    for (let word = 0; word < words; word++) {
      const before = state[word] ?? 0
      if (before === 0 && carry === 0) continue
      const taken = before & (mask[word] ?? 0)
      const moved = (taken << 1) | carry
      const skipped = moved & (skips[word] ?? 0)
      state[word] = moved | (skipped << 1) | (before & (loops[word] ?? 0))
      carry = (taken >>> (BITS - 1)) | (skipped >>> (BITS - 1))
    }
    effort.steps += words
  }

  return {
    findLast(path, isFolder, effort) {
      const end = path.lastIndexOf('/') + 1
      if (path.slice(0, end) === folder) state.set(inFolder)
      else {
        folder = path.slice(0, end)
        state.set(starts)
        for (const character of folder) take(character, effort)
        inFolder.set(state)
      }
      for (const character of path.slice(end)) take(character, effort)
      const ends = isFolder ? endsForFolders : endsForFiles
      for (let word = words - 1; word >= 0; word--) {
        const found = (state[word] ?? 0) & (ends[word] ?? 0)
        if (found !== 0) return ruleAt.get(word * BITS + BITS - 1 - Math.clz32(found)) ?? -1
      }
      return -1
    },
  }
}

interface Tables {
  readonly words: number
  /** The gaps that stay open for every character, and those that do for every one but a slash. */
  readonly deep: Uint32Array
  readonly shallow: Uint32Array
  /** The gaps behind which the next one is open too. */
  readonly skips: Uint32Array
  readonly starts: Uint32Array
  readonly endsForFiles: Uint32Array
  readonly endsForFolders: Uint32Array
  /** The rule that a last gap belongs to. */
  readonly ruleAt: ReadonlyMap<number, number>
  /** What takes characters, with the gaps before it; the same sets are one. */
  readonly takers: ReadonlyMap<string, { readonly position: Position; readonly gaps: number[] }>
}

function createTables(rules: readonly WildRule[]): Tables {
  const laid = rules.map(({ components }) => layOut(components))
  const gaps = laid.reduce((sum, { positions }) => sum + positions.length + 1, 0)
  const words = Math.ceil(gaps / BITS)
  const bits = (): Uint32Array => new Uint32Array(words)
  const tables = {
    words,
    deep: bits(),
    shallow: bits(),
    skips: bits(),
    starts: bits(),
    endsForFiles: bits(),
    endsForFolders: bits(),
    ruleAt: new Map<number, number>(),
    takers: new Map<string, { readonly position: Position; readonly gaps: number[] }>(),
  }
  let first = 0
  for (const [rule, { positions, stars, doubleStars }] of laid.entries()) {
    setBit(tables.starts, first)
    if (doubleStars[0] === 0) setBit(tables.starts, first + 1)
    for (const star of stars) setBit(tables.shallow, first + star)
    for (const star of doubleStars)
      for (const table of [tables.deep, tables.shallow, tables.skips]) setBit(table, first + star)
    for (const [at, position] of positions.entries()) {
      const key = JSON.stringify(position)
      const taker = tables.takers.get(key)
      if (taker === undefined) tables.takers.set(key, { position, gaps: [first + at] })
      else taker.gaps.push(first + at)
    }
    const last = first + positions.length
    tables.ruleAt.set(last, rule)
    setBit(tables.endsForFolders, last)
    if (rules[rule]?.isForFolders === false) setBit(tables.endsForFiles, last)
    first = last + 1
  }
  return tables
}

/** Lays the names of a pattern out as characters; `**` before a name passes over any number of names, or none. */
function layOut(components: readonly Component[]): Laid {
  const positions: Position[] = []
  const stars: number[] = []
  const doubleStars: number[] = []
  for (const [at, component] of components.entries()) {
    if (component === '**') {
      if (components[at - 1] === '**') continue
      doubleStars.push(positions.length)
      positions.push(SLASH)
      continue
    }
    for (const token of component) {
      if (token.kind === 'star') stars.push(positions.length)
      else positions.push(token)
    }
    if (at < components.length - 1) positions.push(SLASH)
  }
  return { positions, stars, doubleStars }
}

/** The gaps whose next character takes a given one, a bit each; made when a character comes for the first time. */
function createMasks({ words, takers }: Tables): {
  readonly of: (character: string, effort: Effort) => Uint32Array
} {
  const known = new Map<string, Uint32Array>()
  const letters = new Map<string, readonly number[]>()
  const sets: { readonly position: Extract<Position, { kind: 'set' }>; readonly gaps: readonly number[] }[] =
    []
  const any = new Uint32Array(words)
  for (const { position, gaps } of takers.values()) {
    if (position.kind === 'character') letters.set(position.character, gaps)
    else if (position.kind === 'set') sets.push({ position, gaps })
    else for (const gap of gaps) setBit(any, gap)
  }
  return {
    of(character, effort) {
      const kept = known.get(character)
      if (kept !== undefined) return kept
      const isSlash = character === '/'
      const mask = isSlash ? new Uint32Array(words) : new Uint32Array(any)
      const same = letters.get(character) ?? []
      for (const gap of same) setBit(mask, gap)
      effort.steps += words + same.length
      for (const { position, gaps } of isSlash ? [] : sets) {
        effort.steps += position.ranges.length
        if (!isTaken(position, character)) continue
        for (const gap of gaps) setBit(mask, gap)
        effort.steps += gaps.length
      }
      if ((known.size + 1) * words > MOST_KEPT_WORDS) known.clear()
      known.set(character, mask)
      return mask
    },
  }
}

function isTaken({ ranges, isNegated }: Extract<Position, { kind: 'set' }>, character: string): boolean {
  const point = character.codePointAt(0) ?? 0
  const isIn = ranges.some(
    ([low, high]) =>
      low === character || ((low.codePointAt(0) ?? 0) <= point && point <= (high.codePointAt(0) ?? 0)),
  )
  return isIn !== isNegated
}

function setBit(bits: Uint32Array, at: number): void {
  const word = Math.floor(at / BITS)
  bits[word] = (bits[word] ?? 0) | (1 << (at % BITS))
}
