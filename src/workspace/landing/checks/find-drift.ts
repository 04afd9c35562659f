import { folderOf } from '../../../host/root/rel-path.ts'
import { statOrNull } from '../../../host/root/stat-plain.ts'
import type { FileChange, FileState } from '../../../journal/entries/entry.ts'
import { hasMode, statusOf, stateOrUndefined, amongAll } from '../change-status.ts'
import type { LookOptions } from '../change-status.ts'
import { isFolder, isLeaf, isOnlyOpened } from '../contents/held.ts'
import { isSameContent } from '../file-state.ts'
import { findStrangers } from '../folder-changes.ts'
import { movedFrom } from '../moved-names.ts'
import { placeOf } from '../place-of.ts'
import type { FilePlace } from '../place-of.ts'

/** Which files count as changed by somebody else. */
export interface DriftRules {
  /** Whether a file is about to change. */
  readonly isReserved: (root: string, path: string) => boolean
  /** Whether a file may be in its `after` state already. */
  readonly mayBeAfter: (change: FileChange) => boolean
}

/** Finds the files that are not in their `before` state, or are about to change; yields after each one. */
export function* findDrift(
  changes: readonly FileChange[],
  options: LookOptions,
  { isReserved, mayBeAfter }: DriftRules,
): Generator<null, readonly FilePlace[]> {
  const among = amongAll(changes)
  const isMoved = movedFrom(changes)
  const hasFolder = foldersFor(changes, options)
  const isAsBefore = (change: FileChange): boolean => {
    const found = stateOrUndefined(change, among, options)
    if (found === undefined) return false
    const { before, after } = change
    if (before === null && after !== null && !hasFolder(change)) return false
    if (found !== null && isMoved(change) && !hasMode(found, before)) return false
    // A folder that is there already, or gone already, is no loss; one with other names in it stays.
    if ((isFolder(before) && after === null) || (before === null && isFolder(after)))
      return found === null || found.kind === 'folder'
    if (!isSameContent(found, before)) return false
    return !setsMode(before, after) || hasMode(found, before)
  }
  const isAfter = (change: FileChange): boolean =>
    mayBeAfter(change) && statusOf(change, changes, options) === 'after'
  const drifted: FilePlace[] = []
  for (const change of changes) {
    const isFine = !isReserved(change.root, change.path) && isAsBefore(change)
    if (!isFine && !isAfter(change)) drifted.push({ root: change.root, path: change.path })
    yield null
  }
  if (drifted.length > 0) return drifted
  // Names that came into a folder would stay where something else is to be.
  return findStrangers(changes.map((change) => ({ change, root: options.rootOf(change.root) })))
}

/** Tells whether the folder above a change is there, or comes with one of the changes: nothing can be put where none is. */
function foldersFor(
  changes: readonly FileChange[],
  { rootOf }: Pick<LookOptions, 'rootOf'>,
): (change: FileChange) => boolean {
  const known = new Map<string, boolean>()
  for (const { root, path, after, folders } of changes) {
    if (after === null) continue
    for (const folder of isFolder(after) ? [...folders, path] : folders)
      known.set(placeOf(root, folder), true)
  }
  return ({ root, path }) => {
    const folder = folderOf(path)
    if (folder === '') return true
    const place = placeOf(root, folder)
    const isThere = known.get(place) ?? statOrNull(rootOf(root), folder)?.kind === 'dir'
    known.set(place, isThere)
    return isThere
  }
}

/** Whether a change is also about the mode, or about nothing else. */
function setsMode(before: FileState | null, after: FileState | null): boolean {
  if (isOnlyOpened({ before, after })) return false
  if (!isLeaf(before) || !isLeaf(after)) return isSameContent(before, after)
  return isSameContent(before, after) || before.mode !== after.mode
}
