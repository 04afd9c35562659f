import { diffLines } from './line-diff.ts'

/** What came of a merge: the lines, or where both sides changed the same place, as lines of the first side from 1. */
export type MergedLines =
  | { readonly ok: true; readonly lines: readonly string[] }
  | { readonly ok: false; readonly conflicts: readonly number[] }

/** Indexes from 0; `to` is exclusive. */
interface Span {
  readonly from: number
  readonly to: number
}

/** Some lines of the base that a side replaced; either of the two may be empty. */
interface Change {
  readonly base: Span
  readonly side: Span
}

/**
 * Merges what two sides changed of a base, line by line. Changes that overlap or touch are a conflict unless they are the
 * same, as in git.
 */
export function mergeLines(
  base: readonly string[],
  ours: readonly string[],
  theirs: readonly string[],
): MergedLines {
  const lines: string[] = []
  const conflicts: number[] = []
  let at = 0
  for (const region of findRegions(findChanges(base, ours), findChanges(base, theirs))) {
    lines.push(...base.slice(at, region.from))
    const mine = placeOf(region, region.ours)
    const other = placeOf(region, region.theirs)
    const own = mine === null ? [] : ours.slice(mine.from, mine.to)
    const foreign = other === null ? [] : theirs.slice(other.from, other.to)
    if (other === null) lines.push(...own)
    else if (mine === null || isSame(own, foreign)) lines.push(...foreign)
    else conflicts.push(mine.from + 1)
    at = region.to
  }
  lines.push(...base.slice(at))
  return conflicts.length > 0 ? { ok: false, conflicts } : { ok: true, lines }
}

/** A part of the base with changes that belong together: each overlaps or touches another. */
interface Region extends Span {
  readonly ours: readonly Change[]
  readonly theirs: readonly Change[]
}

function findRegions(ours: readonly Change[], theirs: readonly Change[]): readonly Region[] {
  const all = [
    ...ours.map((change) => ({ change, isOurs: true })),
    ...theirs.map((change) => ({ change, isOurs: false })),
  ].toSorted((one, other) => one.change.base.from - other.change.base.from)
  const regions: { from: number; to: number; ours: Change[]; theirs: Change[] }[] = []
  for (const { change, isOurs } of all) {
    const { from, to } = change.base
    const last = regions.at(-1)
    const region = last !== undefined && from <= last.to ? last : { from, to, ours: [], theirs: [] }
    if (region !== last) regions.push(region)
    region.to = Math.max(region.to, to)
    region[isOurs ? 'ours' : 'theirs'].push(change)
  }
  return regions
}

/** Where a region is in a side that changed something in it; null if it changed nothing. */
function placeOf({ from, to }: Span, changes: readonly Change[]): Span | null {
  const [first, last] = [changes[0], changes.at(-1)]
  if (first === undefined || last === undefined) return null
  return { from: first.side.from - (first.base.from - from), to: last.side.to + (to - last.base.to) }
}

function isSame(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((line, index) => line === other[index])
}

/** What a side changed, in order; neighbouring runs of a diff are one change. */
function findChanges(base: readonly string[], side: readonly string[]): readonly Change[] {
  const changes: Change[] = []
  let baseAt = 0
  let sideAt = 0
  let isOpen = false
  for (const { is, from, to } of diffLines(base, side)) {
    const length = to - from
    if (is === 'same') {
      baseAt += length
      sideAt += length
      isOpen = false
      continue
    }
    const before = isOpen ? changes.pop() : undefined
    const start = before ?? { base: { from: baseAt, to: baseAt }, side: { from: sideAt, to: sideAt } }
    if (is === 'removed') baseAt += length
    else sideAt += length
    changes.push({
      base: { from: start.base.from, to: baseAt },
      side: { from: start.side.from, to: sideAt },
    })
    isOpen = true
  }
  return slideDown(changes, base, side)
}

/**
 * A pure insertion or removal among equal lines could be anywhere among them. It is taken as the last of these places, as
 * git does, so that both sides are read alike.
 */
function slideDown(
  changes: readonly Change[],
  base: readonly string[],
  side: readonly string[],
): readonly Change[] {
  const slid: Change[] = []
  for (const change of changes.toReversed()) {
    const next = slid[0]
    const limit = next?.base.from ?? base.length
    let { base: b, side: s } = change
    const isInsertion = b.from === b.to
    const [lines, span] = isInsertion ? [side, s] : [base, b]
    let by = 0
    if (isInsertion || s.from === s.to)
      while (b.to + by < limit && lines[span.from + by] === lines[span.to + by]) by++
    b = { from: b.from + by, to: b.to + by }
    s = { from: s.from + by, to: s.to + by }
    if (next !== undefined && b.to === next.base.from)
      slid.splice(0, 1, {
        base: { from: b.from, to: next.base.to },
        side: { from: s.from, to: next.side.to },
      })
    else slid.unshift({ base: b, side: s })
  }
  return slid
}
