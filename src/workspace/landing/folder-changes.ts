import { ToolFailure } from '../../core/error.ts'
import { setFolderMode, setFolderOwner } from '../../host/root/move-name.ts'
import type { Spot } from '../../host/root/move-name.ts'
import { folderOf, joinRel } from '../../host/root/rel-path.ts'
import type { FileStat, Root } from '../../host/root/root.ts'
import { setFolderAttributes } from '../../host/fs/attributes.ts'
import { ownerAfter } from '../../host/fs/owner.ts'
import type { Attributes } from '../../host/fs/pax.ts'
import type { Digest, FileChange, FileState } from '../../journal/entries/entry.ts'
import { parseAttributes } from './attribute-cache.ts'
import type { Target } from './change-status.ts'
import { attributesBelow, modeWithoutList } from '../../host/root/access-list.ts'
import type { DefaultLists } from './contents/default-lists.ts'
import { isFolder, isOnlyOpened } from './contents/held.ts'
import { attempt } from './landing-outcome.ts'
import { placeOf } from './place-of.ts'
import type { FilePlace } from './place-of.ts'

type Place = Pick<Target, 'change' | 'root'>

function depthOf(path: string): number {
  return path.split('/').length
}

/** The changes of folders, outermost first. */
export function outermostFirst<T extends Place>(targets: readonly T[]): readonly T[] {
  return targets.toSorted((one, other) => depthOf(one.change.path) - depthOf(other.change.path))
}

/** A folder that was opened for changes, and the mode it had. */
export interface OpenedFolder {
  readonly spot: Spot
  readonly mode: number
}

/** Lets this process change the names in folders that stay or go, where their mode forbids it; returns those, outermost first. */
export function openFolders(
  targets: readonly Place[],
  touch: (path: string) => void,
): readonly OpenedFolder[] {
  const there = targets.filter(({ change: { before } }) => isFolder(before))
  return outermostFirst(there).flatMap(({ change, root }) => {
    touch(change.path)
    const spot = { root, rel: change.path }
    const stat = folderAt(root, change.path)
    if (stat === null || root.isWritable(change.path)) return []
    setFolderMode(spot, stat.mode | 0o700)
    return [{ spot, mode: stat.mode }]
  })
}

/** Closes the folders that an interrupted landing left open although nothing else was to happen to them. */
export function closeLeftOpen(targets: readonly Target[]): void {
  for (const { change, root, status } of outermostFirst(targets).toReversed()) {
    const { before, path } = change
    if (status !== 'before' || before === null || !isOnlyOpened(change)) continue
    attempt(() => setFolderMode({ root, rel: path }, before.mode))
  }
}

/**
 * Removes folders, innermost first; one with other names in it stays, unless something else is to have its name. Returns
 * those that the system refused to remove, which may have been for a moment only.
 */
export function* removeFolders<T extends Place>(
  targets: readonly T[],
  touch: (path: string) => void,
): Generator<null, readonly T[]> {
  const refused: T[] = []
  const going = targets.filter(({ change: { before, after } }) => isFolder(before) && !isFolder(after))
  for (const target of outermostFirst(going).toReversed()) {
    const { change, root } = target
    touch(change.path)
    if (folderAt(root, change.path) === null) continue
    if (change.after !== null) root.rmdir(change.path)
    else if (removeIfEmpty(root, change.path) === 'refused') refused.push(target)
    yield null
  }
  return refused
}

/** The default access lists that folders got when they were made. */
export type InheritedLists = ReadonlyMap<FileChange, Uint8Array>

/** Makes folders, outermost first, that only their owner can write to until they are full. */
export function* makeFolders(
  targets: readonly Place[],
  touch: (path: string) => void,
  defaultsOf: DefaultLists,
): Generator<null, InheritedLists> {
  const inherited = new Map<FileChange, Uint8Array>()
  const coming = targets.filter(({ change: { before, after } }) => isFolder(after) && !isFolder(before))
  for (const { change, root } of outermostFirst(coming)) {
    touch(change.path)
    const { after, path } = change
    if (after === null) continue
    if (root.stat(path) === null) root.mkdir(path, 0o700)
    const made = root.stat(path)
    const defaults = defaultsOf(root, folderOf(path))
    if (defaults !== null) inherited.set(change, defaults)
    const { uid, gid } = ownerAfter(after, made ?? after)
    if (made !== null && (made.uid !== uid || made.gid !== gid)) setFolderOwner({ root, rel: path }, uid, gid)
    yield null
  }
  return inherited
}

/** What closing folders needs. */
interface CloseOptions {
  readonly contentOf: (digest: Digest) => Uint8Array | null
  readonly inherited: InheritedLists
}

/** Gives folders their modes and attributes, innermost first, once nothing in them changes any more. */
export function* closeFolders(
  targets: readonly Place[],
  touch: (path: string) => void,
  { contentOf, inherited }: CloseOptions,
): Generator<null, void> {
  for (const { change, root } of outermostFirst(targets).toReversed()) {
    const { before, after, path } = change
    const state = isFolder(after) ? after : isFolder(before) && after === null ? before : null
    if (state === null) continue
    touch(path)
    const stat = folderAt(root, path)
    if (stat === null) continue
    const { uid, gid } = ownerAfter(state, stat)
    const isGiven = isFolder(before) && (before.uid !== state.uid || before.gid !== state.gid)
    const isOthers = isGiven && (stat.uid !== uid || stat.gid !== gid)
    if (isOthers) setFolderOwner({ root, rel: path }, uid, gid)
    const named = state.attributes === before?.attributes ? undefined : state.attributes
    const payload = named === undefined ? null : contentOf(named)
    const attributes = payload === null ? null : parseAttributes(payload)
    const isLost = named !== undefined && attributes === null
    const owned = { ...state, uid, gid, mode: isLost ? modeWithoutList(state.mode, null) : state.mode }
    const defaults = inherited.get(change)
    const toSet =
      defaults === undefined ? attributes : attributesBelow(defaults, attributes ?? new Map(), owned)
    const mode = toSet === null ? owned.mode : setAttributes({ root, rel: path }, owned, toSet)
    // Changing the owner clears some bits of the mode.
    if (isOthers || stat.mode !== mode) setFolderMode({ root, rel: path }, mode)
    yield null
  }
}

/** Gives a folder its extended attributes; returns the mode that it may have then. */
function setAttributes({ root, rel }: Spot, { mode, uid, gid }: FileState, attributes: Attributes): number {
  const isSet = root.lendFolder(rel, (path) => setFolderAttributes(path, { mode, uid, gid, attributes }))
  return isSet ? mode : modeWithoutList(mode, attributes)
}

/** Names in folders that are to become something else, and that no change removes. */
export function findStrangers(targets: readonly Place[]): readonly FilePlace[] {
  const turning = targets.filter(
    ({ change: { before, after } }) => isFolder(before) && after !== null && !isFolder(after),
  )
  if (turning.length === 0) return []
  const going = new Set(
    targets.filter(({ change }) => change.after === null).map(({ change }) => keyOf(change)),
  )
  const strangers: FilePlace[] = []
  for (const { change, root } of turning) {
    if (folderAt(root, change.path) === null) continue
    root.walk(change.path, ({ exactPath }) => {
      const path = joinRel(change.path, exactPath)
      if (!going.has(placeOf(change.root, path))) strangers.push({ root: change.root, path })
      return 'enter'
    })
  }
  return strangers
}

function keyOf({ root, path }: FileChange): string {
  return placeOf(root, path)
}

/** A folder, or null if something else has its name or the name of one above it. */
function folderAt(root: Root, path: string): FileStat | null {
  try {
    const stat = root.stat(path)
    return stat?.kind === 'dir' ? stat : null
  } catch (thrown) {
    if (!(thrown instanceof ToolFailure)) throw thrown
    const { code, details } = thrown.error
    if (code === 'path_outside_sandbox' || details['errno'] === 'ENOTDIR' || details['errno'] === 'ELOOP')
      return null
    throw thrown
  }
}

/**
 * Removes an empty folder; leaves one that is not empty, and ignores one that is gone. One that the system will not
 * remove is left too: no file is in it, and giving up for its sake would leave the files of the change half in place.
 */
export function removeIfEmpty(root: Root, folder: string): 'removed' | 'not empty' | 'refused' {
  try {
    root.rmdir(folder)
    return 'removed'
  } catch (thrown) {
    const errno = thrown instanceof ToolFailure ? thrown.error.details['errno'] : undefined
    if (LEFT_ERRNOS.has(errno)) return 'not empty'
    if (REFUSED_ERRNOS.has(errno)) return 'refused'
    throw thrown
  }
}

const LEFT_ERRNOS = new Set<unknown>(['ENOTEMPTY', 'EEXIST', 'ENOENT', 'ENOTDIR'])
const REFUSED_ERRNOS = new Set<unknown>(['EBUSY', 'EPERM', 'EACCES', 'EROFS'])

/** Folders that new files need, outermost first; one file may name a folder for all files in it. */
export function needed(targets: readonly Target[]): readonly (readonly [Root, string])[] {
  return targets
    .filter(({ change }) => change.after !== null)
    .flatMap(({ change, root }) => change.folders.map((folder) => [root, folder] as const))
    .toSorted(([, one], [, other]) => one.length - other.length)
}

/** All folders above what comes, outermost first, as far as no change makes them. */
export function foldersAbove(targets: readonly Place[]): readonly (readonly [Root, string])[] {
  const above = new Map<string, readonly [Root, string]>()
  const coming = targets.filter(({ change }) => change.after !== null)
  const made = new Set(coming.map(({ change }) => keyOf(change)))
  for (const { change, root } of coming)
    for (let folder = folderOf(change.path); folder !== ''; folder = folderOf(folder)) {
      const place = placeOf(change.root, folder)
      if (!made.has(place)) above.set(place, [root, folder])
    }
  return [...above.values()].toSorted(([, one], [, other]) => depthOf(one) - depthOf(other))
}

/** Folders that were created for files that are now removed, innermost first. */
export function emptied(targets: readonly Target[]): readonly (readonly [Root, string])[] {
  const removed = targets.filter(({ change }) => change.after === null)
  return removed
    .flatMap(({ change, root }) => change.folders.map((folder) => [root, folder] as const))
    .toSorted(([, one], [, other]) => other.split('/').length - one.split('/').length)
}
