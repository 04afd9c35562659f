import { folderOf } from '../../host/root/rel-path.ts'
import type { FileChange } from '../../journal/entries/entry.ts'
import { isFolder } from '../landing/contents/held.ts'
import { placeOf } from '../landing/place-of.ts'
import type { DiffOptions, ShownHunks } from '../layers/layer-diff.ts'

/** A change with its hunks, which are counted from 1 over the whole diff. */
export interface NumberedChange {
  readonly root: string
  readonly path: string
  /** For people and models. */
  readonly display: string
  readonly first: number
  readonly count: number
  /** Whether some of its hunks can be taken without the others. */
  readonly isText: boolean
  /** The folder of git that it is in, as it is shown; everything there is one hunk. */
  readonly git?: string
  /** Where it was, as it is shown, if it was moved here. */
  readonly from?: string
}

/** The hunks of what would land. Folders that are not listed come and go with what is in them. */
export interface LayerHunks {
  readonly changes: readonly NumberedChange[]
  /** The lines of the diff at which they begin, counted from 0. */
  readonly lines: readonly number[]
  /** Those that can only be taken together. */
  readonly together: readonly (readonly number[])[]
}

/** Tells a held place from a name of the workspace. */
const HELD = 'held\0'
/** Tells a hunk, which several names may have, from a name. */
const HUNK = 'hunk\0'
/** Tells a folder of git from a name. */
const GIT = 'git\0'

/** Numbers the hunks of a diff; null if it does not show everything. */
export function numberHunks(
  shown: readonly ShownHunks[] | null,
  changes: readonly FileChange[],
  { displayOf, moved, stored }: Pick<DiffOptions, 'displayOf' | 'moved' | 'stored'>,
): LayerHunks | null {
  if (shown === null) return null
  const numbered: NumberedChange[] = []
  let first = 1
  for (const { changes: own, lines, isText } of shown) {
    const count = lines.length
    for (const one of own) {
      const [from, git] = [moved.get(one), stored.get(one)]
      numbered.push({
        root: one.part.lower.path,
        path: one.path,
        display: displayOf(one),
        first,
        count,
        isText,
        ...(git === undefined ? {} : { git: git.display }),
        ...(from === undefined ? {} : { from: displayOf(from) }),
      })
    }
    first += count
  }
  return {
    changes: numbered,
    lines: shown.flatMap(({ lines }) => lines),
    together: groupHunks(numbered, changes),
  }
}

/** The numbers of the hunks of a change. */
export function numbersOf({ first, count }: Pick<NumberedChange, 'first' | 'count'>): readonly number[] {
  return Array.from({ length: count }, (_, index) => first + index)
}

/**
 * The two names of what was moved belong together, also if they have a hunk each, and so do a name that turns into or from
 * a folder and all below it, and everything in a folder of git.
 */
function groupHunks(
  numbered: readonly NumberedChange[],
  changes: readonly FileChange[],
): readonly (readonly number[])[] {
  const ties = tiesOf(changes)
  const parents = new Map<string, string>()
  const rootOf = (node: string): string => {
    let at = node
    for (let up = parents.get(at); up !== undefined; up = parents.get(at)) at = up
    return at
  }
  for (const { root, path, first, git } of numbered) {
    const place = placeOf(root, path)
    const own = [`${HUNK}${first}`, ...(git === undefined ? [] : [`${GIT}${git}`])]
    for (const tie of [...(ties.get(place) ?? []), ...own]) {
      const [one, other] = [rootOf(place), rootOf(tie)]
      if (one !== other) parents.set(one, other)
    }
  }
  return [...Map.groupBy(numbered, ({ root, path }) => rootOf(placeOf(root, path))).values()]
    .map((group) => [...new Map(group.map((one) => [one.first, one])).values()])
    .filter((group) => group.length > 1)
    .map((group) => group.flatMap(numbersOf))
}

/** What ties changes to others, by their places: two with the same tie belong together. */
function tiesOf(changes: readonly FileChange[]): ReadonlyMap<string, readonly string[]> {
  const turned = new Set(
    changes
      .filter(
        ({ before, after }) => before !== null && after !== null && isFolder(before) !== isFolder(after),
      )
      .map(({ root, path }) => placeOf(root, path)),
  )
  const ties = new Map<string, readonly string[]>()
  for (const { root, path, before, after } of changes) {
    const own = [before?.held, after?.held].flatMap((held) =>
      held === undefined ? [] : [`${HELD}${placeOf(root, held)}`],
    )
    if (turned.size > 0)
      for (let at = path; at !== ''; at = folderOf(at)) {
        const place = placeOf(root, at)
        if (turned.has(place)) own.push(place)
      }
    ties.set(placeOf(root, path), own)
  }
  return ties
}
