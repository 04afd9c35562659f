import { overlap, unite } from './character-set.ts'
import type { Ranges } from './character-set.ts'
import type { PatternNode } from './parse-pattern.ts'

/** How much text an unanchored expression may consume, so that trying every start position stays cheap. */
const MAX_WINDOW = 32
const MAX_RANGES = 128

/** The characters with which something can begin; `isAny` if that is unknown. */
interface Opening {
  readonly ranges: Ranges
  readonly isAny: boolean
  /** Whether it can also be empty. */
  readonly canBeEmpty: boolean
}

const EMPTY: Opening = { ranges: [], isAny: false, canBeEmpty: true }

/**
 * Whether the backtracking engine is certain to match a pattern in linear time: the next character always leaves only
 * one way to continue. Everything else counts as unsafe, even if it happens to be fine.
 */
export function isSafeToBacktrack(pattern: PatternNode): boolean {
  const parts = pattern.kind === 'sequence' ? pattern.parts : [pattern]
  const isAnchored = beginsAtStart(pattern)
  const leading = parts.findIndex((part) => part.kind !== 'assertion' && part.kind !== 'look')
  const head = parts.slice(0, leading === -1 ? parts.length : leading)
  const tail: PatternNode = { kind: 'sequence', parts: parts.slice(head.length) }
  // A lookahead at the very start runs only once, so it may scan the whole text.
  const canLookFar = isAnchored && head[0]?.kind === 'assertion'
  const isHeadSafe = head.every(
    (part) => part.kind !== 'look' || isShort(part.body) || (canLookFar && isLinear(part.body)),
  )
  return isHeadSafe && (isAnchored ? isLinear(tail) : isShort(tail))
}

/** Whether a match can begin only at the start of the text. */
export function beginsAtStart(node: PatternNode): boolean {
  if (node.kind === 'choice') return node.options.every(beginsAtStart)
  if (node.kind === 'sequence') {
    for (const part of node.parts) {
      if (beginsAtStart(part)) return true
      if (longest(part) > 0) return false
    }
  }
  return node.kind === 'assertion' && node.what === 'start'
}

/** Something that looks at only a few characters, in only one way. */
function isShort(node: PatternNode): boolean {
  return longest(node) <= MAX_WINDOW && hasOneWay(node, EMPTY)
}

/** Something that scans the text once: in only one way, or with one loop over characters between short parts. */
function isLinear(node: PatternNode): boolean {
  if (hasOneWay(node, EMPTY)) return true
  const parts = node.kind === 'sequence' ? node.parts : [node]
  const loop = parts.findIndex(
    (part) => part.kind === 'repeat' && part.body.kind === 'set' && part.max === Infinity,
  )
  const [before, after] = [parts.slice(0, loop), parts.slice(loop + 1)]
  return loop !== -1 && [before, after].every((some) => isShort({ kind: 'sequence', parts: some }))
}

/** Whether the next character decides every choice in a node, given what can come after it. */
function hasOneWay(node: PatternNode, after: Opening): boolean {
  switch (node.kind) {
    case 'set':
    case 'assertion':
      return true
    case 'foreign':
      return false
    case 'look':
      return isShort(node.body)
    case 'sequence': {
      let next = after
      for (const part of node.parts.toReversed()) {
        if (!hasOneWay(part, next)) return false
        next = chain(openingOf(part), next)
      }
      return true
    }
    case 'choice': {
      let earlier: Opening = { ranges: [], isAny: false, canBeEmpty: false }
      for (const option of node.options) {
        const opening = openingOf(option)
        const whole = chain(opening, after)
        if (
          (earlier.canBeEmpty && opening.canBeEmpty) ||
          collide(earlier, whole) ||
          !hasOneWay(option, after)
        )
          return false
        earlier = join(earlier, { ...whole, canBeEmpty: opening.canBeEmpty })
      }
      return true
    }
    case 'repeat': {
      const { body, min, max } = node
      const opening = openingOf(body)
      if (max === 0) return true
      if (opening.canBeEmpty || (min !== max && collide(opening, after))) return false
      return hasOneWay(body, max > 1 ? join(opening, after) : after)
    }
  }
}

function openingOf(node: PatternNode): Opening {
  switch (node.kind) {
    case 'set':
      return { ranges: node.set.ranges, isAny: node.set.opaque !== null, canBeEmpty: false }
    case 'assertion':
    case 'look':
      return EMPTY
    case 'foreign':
      return { ranges: [], isAny: true, canBeEmpty: true }
    case 'sequence':
      return node.parts.reduceRight((next, part) => chain(openingOf(part), next), EMPTY)
    case 'choice':
      return node.options.map(openingOf).reduce(join)
    case 'repeat': {
      if (node.max === 0) return EMPTY
      const opening = openingOf(node.body)
      return node.min === 0 ? { ...opening, canBeEmpty: true } : opening
    }
  }
}

/** The opening of one part followed by another. */
function chain(one: Opening, next: Opening): Opening {
  return one.canBeEmpty ? { ...join(one, next), canBeEmpty: next.canBeEmpty } : one
}

function join(one: Opening, other: Opening): Opening {
  const ranges = unite([one.ranges, other.ranges])
  const isAny = one.isAny || other.isAny || ranges.length > MAX_RANGES
  return { ranges: isAny ? [] : ranges, isAny, canBeEmpty: one.canBeEmpty || other.canBeEmpty }
}

function collide(one: Opening, other: Opening): boolean {
  const isNone = ({ ranges, isAny }: Opening): boolean => ranges.length === 0 && !isAny
  if (isNone(one) || isNone(other)) return false
  return one.isAny || other.isAny || overlap(one.ranges, other.ranges)
}

/** The most characters a node can consume. */
function longest(node: PatternNode): number {
  switch (node.kind) {
    case 'set':
      return 1
    case 'assertion':
    case 'look':
      return 0
    case 'foreign':
      return Infinity
    case 'sequence':
      return node.parts.reduce((sum, part) => sum + longest(part), 0)
    case 'choice':
      return Math.max(...node.options.map(longest))
    case 'repeat': {
      const one = longest(node.body)
      return node.max === 0 || one === 0 ? 0 : node.max * one
    }
  }
}
