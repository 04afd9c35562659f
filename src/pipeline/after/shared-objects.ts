import type { FileChange, RevertedEntry } from '../../journal/entries/entry.ts'
import type { SessionLog } from '../../journal/log.ts'
import { isFolder, isLeaf } from '../../workspace/landing/contents/held.ts'
import { repositoryOfObject } from '../../workspace/landing/checks/needed-objects.ts'
import { placeOf } from '../../workspace/landing/place-of.ts'
import type { Workspace } from '../../workspace/workspace.ts'
import { joinChanges } from '../commit/join-changes.ts'

/** What a revert changes, and how many objects of git it leaves where they are. */
export interface SparedObjects {
  readonly changes: readonly FileChange[]
  readonly spared: number
}

/**
 * Leaves the objects of git out of what a revert changes that git may need by now, as those that are not needed do no harm,
 * and those that are there, or gone, already: each has its content for a name.
 */
export function spareObjects(
  changes: readonly FileChange[],
  sinceMs: number,
  workspace: Workspace,
): SparedObjects {
  const open = changes.filter(
    (change) => repositoryOfObject(change.path) === null || workspace.statusOf(change) !== 'after',
  )
  const needed = new Set(
    workspace.findNeededObjects(open, sinceMs).map(({ root, path }) => placeOf(root, path)),
  )
  if (needed.size === 0) return { changes: open, spared: 0 }
  // The folders that they are in stay with them.
  const isSpared = ({ root, path, before }: FileChange): boolean =>
    needed.has(placeOf(root, path)) ||
    (isFolder(before) && needed.keys().some((one) => one.startsWith(`${placeOf(root, path)}/`)))
  return { changes: open.filter((change) => !isSpared(change)), spared: needed.size }
}

/**
 * The objects that the calls of an undo made and the undo spared, as changes of nothing: git may have removed them since,
 * and without them a redo would bring back a commit that has no content.
 */
export function sparedBy(
  { calls, changes, left = [] }: RevertedEntry,
  log: SessionLog,
): readonly FileChange[] {
  const made = calls
    .toReversed()
    .flatMap((call) =>
      log
        .about(call)
        .flatMap(({ entry }) => (entry.kind === 'settled' && entry.execution === call ? entry.changes : [])),
    )
  const objects = made.filter(({ path }) => repositoryOfObject(path) !== null)
  const others = new Set(
    [...changes, ...left.flatMap(({ files }) => files)].map(({ root, path }) => placeOf(root, path)),
  )
  return joinChanges(objects).changes.flatMap((change) =>
    isLeaf(change.after) && !others.has(placeOf(change.root, change.path))
      ? [{ ...change, before: change.after }]
      : [],
  )
}

/** Says how many objects stay, and why; null if none does. */
export function describeSpared(count: number): string | null {
  if (count === 0) return null
  const objects = count === 1 ? '1 object of git stays' : `${count} objects of git stay`
  return `${objects}: its repository changed since, and may need ${count === 1 ? 'it' : 'them'}`
}
