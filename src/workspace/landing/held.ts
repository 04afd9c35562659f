import { failure, ToolFailure } from '../../core/error.ts'
import { canonicalFolder } from '../../host/fs/folders.ts'
import { makePrivateFolder } from '../../host/fs/private-files.ts'
import { setFolderMode } from '../../host/root/move-name.ts'
import type { Spot } from '../../host/root/move-name.ts'
import { folderOf, partsOf } from '../../host/root/rel-path.ts'
import type { Root } from '../../host/root/root.ts'
import type { FileChange, FileState } from '../../journal/entries/entry.ts'
import { placeOf } from './place-of.ts'

/** Where contents lie that are neither in the workspace nor in the journal. */
export interface HeldFiles {
  /** Where a content lies; null if it does not. */
  readonly find: (root: string, held: string) => Spot | null
  /** Where to move a content; makes the folders above it. */
  readonly makeRoom: (root: string, held: string) => Spot
}

/** What finding contents needs. */
export interface HeldOptions {
  /** The folders that may hold layers of a root, the preferred one first. */
  readonly layerPlacesOf: (root: string) => readonly string[]
  readonly open: (path: string) => Root
}

/** Opens the folders of layers when they are needed. */
export function openHeldFiles({ layerPlacesOf, open }: HeldOptions): HeldFiles {
  const opened = new Map<string, Root>()
  const openPlace = (path: string): Root | null => {
    const known = opened.get(path)
    if (known !== undefined) return known
    const real = canonicalFolder(path)
    if (real === null) return null
    const place = open(real)
    opened.set(path, place)
    return place
  }
  const findIn = (root: string, rel: string): Root | null => {
    for (const path of layerPlacesOf(root)) {
      const place = openPlace(path)
      if (place !== null && statOrNull(place, rel) !== null) return place
    }
    return null
  }
  const makePlace = (root: string): Root => {
    const [first] = layerPlacesOf(root)
    const place = first === undefined || makePrivateFolder(first) !== null ? null : openPlace(first)
    if (place !== null) return place
    throw failure('execution_failed', 'There is no folder for what a command replaced.', { root })
  }
  return {
    find(root, held) {
      const place = findIn(root, held)
      return place === null ? null : { root: place, rel: held }
    },
    makeRoom(root, held) {
      const place = findIn(root, partsOf(held)[0] ?? '') ?? makePlace(root)
      makeFolders(place, folderOf(held))
      return { root: place, rel: held }
    },
  }
}

/** Makes folders that this process can write to; those that a command closed are opened. */
function makeFolders(root: Root, folder: string): void {
  const stat = statOrNull(root, folder)
  if (stat === null) {
    makeFolders(root, folderOf(folder))
    root.mkdir(folder, 0o700)
  } else if (folder !== '' && !root.isWritable(folder))
    setFolderMode({ root, rel: folder }, stat.mode | 0o700)
}

/** Opens the folder of a content that is about to leave it, if a command closed that. */
export function openFolderOf({ root, rel }: Spot): void {
  const folder = folderOf(rel)
  if (!root.isWritable(folder)) makeFolders(root, folder)
}

function statOrNull(root: Root, rel: string): ReturnType<Root['stat']> {
  try {
    return root.stat(rel)
  } catch (thrown) {
    // A part of the path is no folder.
    if (thrown instanceof ToolFailure) return null
    throw thrown
  }
}

/** What a change moves or replaces: a file or link, which folders are not. */
export function isLeaf(state: FileState | null): state is FileState & { readonly kind?: 'link' } {
  return state !== null && state.kind !== 'folder'
}

/** Whether a state is a folder. */
export function isFolder(state: FileState | null): state is FileState & { readonly kind: 'folder' } {
  return state?.kind === 'folder'
}

/** Whether changes are only to regular files whose contents are in the journal. */
export function isPlain({ before, after }: FileChange): boolean {
  return [before, after].every((state) => state?.kind === undefined && state?.held === undefined)
}

/** The places to which changes move old contents. */
export function freedPlaces(changes: readonly FileChange[]): ReadonlySet<string> {
  return new Set(
    changes.flatMap(({ root, before }) => (before?.held === undefined ? [] : [placeOf(root, before.held)])),
  )
}

/** The first change whose new content is nowhere: neither held, nor moved out of the way by another change, nor in the journal. */
export function findMissing(
  changes: readonly FileChange[],
  held: HeldFiles,
  isInJournal: (digest: string) => boolean,
): FileChange | null {
  const freed = freedPlaces(changes)
  const isThere = ({ root, after }: FileChange): boolean => {
    if (!isLeaf(after)) return true
    if (
      after.held !== undefined &&
      (freed.has(placeOf(root, after.held)) || held.find(root, after.held) !== null)
    )
      return true
    return isInJournal(after.digest)
  }
  return changes.find((change) => !isThere(change)) ?? null
}
