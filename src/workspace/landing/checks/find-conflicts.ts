import { failure, ToolFailure } from '../../../core/error.ts'
import type { LayerPart } from '../../../core/layer.ts'
import { identifyFolder } from '../../../host/layer/root-identity.ts'
import { isForbidden, isMachineFault } from '../../../host/root/io-failure.ts'
import { folderOf, joinRel, showPath } from '../../../host/root/rel-path.ts'
import type { FileStat, Root } from '../../../host/root/root.ts'
import { fileStampOf } from '../../../host/root/file-stat.ts'
import type { FileChange, FileState } from '../../../journal/entries/entry.ts'
import type { LookOptions } from '../change-status.ts'
import type { DigestCache } from '../digest-cache.ts'
import { isSameContent, readState, staleFile } from '../file-state.ts'
import type { Expected } from '../file-state.ts'
import { isFolder, isLeaf } from '../contents/held.ts'
import { FolderComparison } from '../folder-identities.ts'
import type { KnownFolder } from '../folder-identities.ts'
import { findNeededObjects } from './needed-objects.ts'
import { placeOf } from '../place-of.ts'

/** What commands changed on a layer, and when the layer was made. */
export interface LayerChanges {
  readonly changes: readonly FileChange[]
  /** By the clock of the file system, in epoch milliseconds. */
  readonly startedMs: number
  /** The roots as they were when the layer was made. */
  readonly parts?: readonly Pick<LayerPart, 'identity'>[]
  /** The folders of the changes as they were when the layer was read; landings of earlier versions do not have them. */
  readonly folders?: readonly KnownFolder[]
  /** Paths that are known to have been changed since. */
  readonly stale?: readonly string[]
}

type Looking = Pick<LookOptions, 'rootOf' | 'digests'>

/** The paths that somebody else changed since a layer was made, and what is at the others, by their places. */
interface Conflicts {
  readonly paths: ReadonlyMap<string, string>
  /** Why some of them could not be looked at: that somebody changed them is not known then. */
  readonly unseen: ReadonlyMap<string, ToolFailure>
  readonly found: ReadonlyMap<string, Expected | null>
}

/** Throws if somebody else changed, or is about to change, what a layer changes; returns what is there now. */
export function requireNoConflicts(
  layer: LayerChanges,
  isTaken: (place: string) => boolean,
  options: Looking,
): ReadonlyMap<string, Expected | null> {
  // A folder that was renamed, and goes on with its history, has another path and is the same.
  const identities = new Set(layer.parts?.map(({ identity }) => identity))
  const replaced = [...new Set(layer.changes.map(({ root }) => root))].find(
    (root) => identities.size > 0 && !identities.has(undefined) && !identities.has(identifyFolder(root)),
  )
  if (replaced !== undefined) throw replacedRoot(replaced)
  const { paths, unseen, found } = findConflicts(layer, isTaken, options)
  const [first] = paths
  if (first === undefined) return found
  const [place, path] = [...paths].find(([one]) => !unseen.has(one)) ?? first
  const refusal = unseen.get(place)
  throw refusal === undefined ? staleFile(path, [...new Set(paths.values())]) : unseenFile(path, refusal)
}

function replacedRoot(root: string): Error {
  const file = showPath(root)
  const reason = `${file} is not the folder that the command ran in: another one is in its place, or none`
  return failure('stale_file', `Nothing was landed: ${reason}.`, { file, reason }, [
    'Put the folder back and run the command again, or run it in the new one.',
  ])
}

/** Its layer is kept as after a change by somebody else, so that nothing is lost; but nobody is blamed for one. */
function unseenFile(path: string, { error }: ToolFailure): Error {
  const file = showPath(path)
  const reason = `it cannot be seen whether ${file} is as the command found it (${String(error.details['errno'])})`
  return failure('stale_file', `Nothing was landed: ${reason}.`, { file, reason }, [
    'See to it that the file and its folder can be read, then run the command again.',
  ])
}

/**
 * Finds the changes of a layer that conflict with what is in the workspace now: a name was created or has vanished, a file
 * has a change time not older than the layer or another content, a folder that is to go holds other names, another folder
 * has taken the place of the one that names were changed in, or the repository changed of which objects are removed.
 */
export function findConflicts(
  { changes, startedMs, folders = [], stale = [] }: LayerChanges,
  isTaken: (place: string) => boolean,
  { rootOf, digests }: Looking,
): Conflicts {
  const byPlace = new Map(changes.map((change) => [placeOf(change.root, change.path), change]))
  const goes = (place: string): boolean => byPlace.get(place)?.after === null
  const paths = new Map(stale.map((path) => [path, path]))
  const unseen = new Map<string, ToolFailure>()
  const found = new Map<string, Expected | null>()
  const comparison = new FolderComparison(folders)
  for (const [place, change] of byPlace) {
    const root = rootOf(change.root)
    try {
      const now = isBelowMissing(change, byPlace) ? null : root.stat(change.path)
      const isFree =
        !isTaken(place) &&
        isAsLeft(change, now, startedMs) &&
        hasFolder(change, root, byPlace) &&
        !comparison.isExchanged(root, change.path, isFolder(change.before)) &&
        holdsBefore(change, root, digests)
      if (!isFree) paths.set(place, change.path)
      if (isFree && now?.kind === 'dir' && !isFolder(change.after))
        for (const { exactName } of root.list(change.path)) {
          const path = joinRel(change.path, exactName)
          if (!goes(placeOf(change.root, path))) paths.set(placeOf(change.root, path), path)
        }
      found.set(place, expectedOf(change.before, now))
    } catch (thrown) {
      // What cannot be looked at, such as a name below a folder that was replaced by a link, is not as it was.
      if (!(thrown instanceof ToolFailure) || isMachineFault(thrown)) throw thrown
      paths.set(place, change.path)
      if (isForbidden(thrown)) unseen.set(place, thrown)
    }
  }
  // Git may need an object by now that is removed, though the object itself is as it was.
  for (const { root, changed } of findNeededObjects(changes, startedMs, rootOf))
    paths.set(placeOf(root, changed), changed)
  return { paths, unseen, found }
}

/** Whether a name is as it was when the layer was made. A change in the same tick of the clock counts as a change. */
function isAsLeft({ before }: FileChange, now: FileStat | null, startedMs: number): boolean {
  if (before === null || now === null) return before === now
  if (now.kind !== kindOf(before)) return false
  // The change time of a folder tells about the names in it; those that matter are looked at by themselves.
  if (isFolder(before)) return now.mode === before.mode && now.uid === before.uid && now.gid === before.gid
  return now.changedMs < startedMs
}

/** Whether a file or link holds what it held: a folder above it may have been exchanged, which leaves its own times alone. */
function holdsBefore({ path, before }: FileChange, root: Root, digests: DigestCache): boolean {
  return !isLeaf(before) || isSameContent(readState(root, path, digests), before)
}

function kindOf({ kind }: FileState): FileStat['kind'] {
  return kind === 'folder' ? 'dir' : kind === 'link' ? 'symlink' : 'file'
}

type ByPlace = ReadonlyMap<string, FileChange>

/** Whether a name was and is out of reach until one of the changes makes a folder above it. */
function isBelowMissing({ root, path, before }: FileChange, byPlace: ByPlace): boolean {
  return before === null && isFolderToCome(byPlace.get(placeOf(root, folderOf(path))))
}

function isFolderToCome(above: FileChange | undefined): boolean {
  return above !== undefined && isFolder(above.after) && !isFolder(above.before)
}

/** Whether a new name has a folder to be in. */
function hasFolder({ root: top, path, before }: FileChange, root: Root, byPlace: ByPlace): boolean {
  const folder = folderOf(path)
  if (before !== null || folder === '') return true
  return isFolderToCome(byPlace.get(placeOf(top, folder))) || root.stat(folder)?.kind === 'dir'
}

/** What landing has to find again. */
function expectedOf(before: FileState | null, now: FileStat | null): Expected | null {
  if (before === null || now === null) return null
  const { kind, digest } = before
  return kind === undefined ? { digest, stamp: fileStampOf(now) } : { kind, digest, stamp: null }
}
