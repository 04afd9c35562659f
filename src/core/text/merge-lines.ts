import { diffLines } from './line-diff.ts'
import { slideChanges } from './slide-changes.ts'
import type { ChangedLines } from './slide-changes.ts'

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

/** What a side changed, in order; among equal lines where git sees it, so that both sides are read alike. */
function findChanges(base: readonly string[], side: readonly string[]): readonly Change[] {
  const [removed, added] = markChanges(base, side)
  slideChanges(removed, added)
  slideChanges(added, removed)
  const changes: Change[] = []
  for (let [baseAt, sideAt] = [0, 0]; baseAt <= base.length; baseAt++, sideAt++) {
    const from = { base: baseAt, side: sideAt }
    while (removed.isChanged[baseAt] === true) baseAt++
    while (added.isChanged[sideAt] === true) sideAt++
    if (baseAt > from.base || sideAt > from.side)
      changes.push({ base: { from: from.base, to: baseAt }, side: { from: from.side, to: sideAt } })
  }
  return changes
}

/** Marks the lines of the base that are gone, and those of the side that are new. */
function markChanges(
  base: readonly string[],
  side: readonly string[],
): readonly [ChangedLines, ChangedLines] {
  const removed = { lines: base, isChanged: base.map(() => false) }
  const added = { lines: side, isChanged: side.map(() => false) }
  for (const { is, from, to } of diffLines(base, side))
    if (is !== 'same') (is === 'removed' ? removed : added).isChanged.fill(true, from, to)
  return [removed, added]
}
