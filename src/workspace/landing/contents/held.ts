import { failure, ToolFailure } from '../../../core/error.ts'
import { canonicalFolder } from '../../../host/fs/folders.ts'
import { makePrivateFolder } from '../../../host/fs/private-files.ts'
import { setFolderMode } from '../../../host/root/move-name.ts'
import type { Spot } from '../../../host/root/move-name.ts'
import { reachOwn } from '../../../host/root/open-own.ts'
import { folderOf, partsOf } from '../../../host/root/rel-path.ts'
import type { FileStat, Root } from '../../../host/root/root.ts'
import { statOrNull } from '../../../host/root/stat-plain.ts'
import type { FileChange, FileState } from '../../../journal/entries/entry.ts'
import { placeOf } from '../place-of.ts'

/** A content that is held, as it was found. */
export interface HeldSpot extends Spot {
  readonly stat: FileStat
}

/** Where contents lie that are neither in the workspace nor in the journal. */
export interface HeldFiles {
  /** Where a content lies; null if it does not. */
  readonly find: (root: string, held: string) => HeldSpot | null
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
  /** Many contents are asked for at a time. */
  const places = new Map<string, readonly string[]>()
  const placesOf = (root: string): readonly string[] => {
    const known = places.get(root) ?? layerPlacesOf(root)
    places.set(root, known)
    return known
  }
  const findIn = (root: string, rel: string): HeldSpot | null => {
    for (const path of placesOf(root)) {
      const place = openPlace(path)
      const stat = place === null ? null : statHeld(place, rel)
      if (place !== null && stat !== null) return { root: place, rel, stat }
    }
    return null
  }
  const makePlace = (root: string): Root => {
    const [first] = placesOf(root)
    const place = first === undefined || makePrivateFolder(first) !== null ? null : openPlace(first)
    if (place !== null) return place
    throw failure('execution_failed', 'There is no folder for what a command replaced.', { root })
  }
  return {
    find: findIn,
    makeRoom(root, held) {
      const place = findIn(root, partsOf(held)[0] ?? '')?.root ?? makePlace(root)
      makeFolders(place, folderOf(held))
      return { root: place, rel: held }
    },
  }
}

/** What is on a layer, also in a folder that a command closed. */
function statHeld(root: Root, rel: string): FileStat | null {
  try {
    return reachOwn({ root, rel }, () => root.stat(rel))
  } catch (thrown) {
    if (thrown instanceof ToolFailure) return null
    throw thrown
  }
}

/** Makes folders that this process can write to; those that a command closed are opened. */
function makeFolders(root: Root, folder: string): void {
  if (folder === '') return
  const found = statOrNull(root, folder)
  if (found === null) makeFolders(root, folderOf(folder))
  // It may have been there all along, in one that was closed.
  const stat = found ?? root.stat(folder)
  if (stat === null) root.mkdir(folder, 0o700)
  else if (!root.isWritable(folder)) setFolderMode({ root, rel: folder }, stat.mode | 0o700)
}

/** Held files during one landing: a folder that was made or opened once is not looked at again. */
export interface Rooms extends HeldFiles {
  /** Opens the folder of a content that is about to leave it, if a command closed that. */
  readonly openFolder: (spot: Spot) => void
}

/** Remembers the folders of held files for one landing. */
export function rememberRooms(held: HeldFiles): Rooms {
  const made = new Map<string, Root>()
  const opened = new Set<string>()
  return {
    find: held.find,
    makeRoom(root, rel) {
      const folder = placeOf(root, folderOf(rel))
      const known = made.get(folder)
      if (known !== undefined) return { root: known, rel }
      const spot = held.makeRoom(root, rel)
      made.set(folder, spot.root)
      return spot
    },
    openFolder(spot) {
      const folder = placeOf(spot.root.path, folderOf(spot.rel))
      if (opened.has(folder)) return
      openFolderOf(spot)
      opened.add(folder)
    },
  }
}

/** Opens the folder of a content that is about to leave it, if a command closed that. */
export function openFolderOf({ root, rel }: Spot): void {
  const folder = folderOf(rel)
  if (statOrNull(root, folder) === null || !root.isWritable(folder)) makeFolders(root, folder)
}

/** What a change moves or replaces: a file or link, which folders are not. */
export function isLeaf(state: FileState | null): state is FileState & { readonly kind?: 'link' } {
  return state !== null && state.kind !== 'folder'
}

/** Whether a state is a folder. */
export function isFolder(state: FileState | null): state is FileState & { readonly kind: 'folder' } {
  return state?.kind === 'folder'
}

/** Whether a change is to a folder that stays as it is, and is opened only because names in it change. */
export function isOnlyOpened({ before, after }: Pick<FileChange, 'before' | 'after'>): boolean {
  if (!isFolder(before) || !isFolder(after)) return false
  return before.mode === after.mode && before.uid === after.uid && before.gid === after.gid
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

/**
 * Finds where the new contents of changes lie, or null for one that is gone; yields after each. What is moved away first is
 * not held yet, so it is left out, and so is what is at these places.
 */
export function* findSpots(
  changes: readonly FileChange[],
  held: Pick<HeldFiles, 'find'>,
  except: ReadonlySet<string> = NO_PLACES,
): Generator<null, ReadonlyMap<FileChange, HeldSpot | null>> {
  const freed = freedPlaces(changes)
  const spots = new Map<FileChange, HeldSpot | null>()
  for (const change of changes) {
    const { root, path, after } = change
    if (!isLeaf(after) || after.held === undefined || freed.has(placeOf(root, after.held))) continue
    if (except.size > 0 && except.has(placeOf(root, path))) continue
    spots.set(change, held.find(root, after.held))
    yield null
  }
  return spots
}

const NO_PLACES: ReadonlySet<string> = new Set()

/** Where the new contents of changes are. */
export interface LocatedContents {
  /** Those that are moved, by change: where they lie, or null if another change moves them out of the way first. */
  readonly sources: ReadonlyMap<FileChange, HeldSpot | null>
  /** The first change whose content is nowhere, not even in the journal. */
  readonly missing: FileChange | null
}

/** Looks for the new contents of changes, until one is missing; yields after each. */
export function* locateContents(
  changes: readonly FileChange[],
  held: Pick<HeldFiles, 'find'>,
  isInJournal: (digest: string) => boolean,
): Generator<null, LocatedContents> {
  const freed = freedPlaces(changes)
  const sources = new Map<FileChange, HeldSpot | null>()
  for (const change of changes) {
    const { root, after } = change
    if (!isLeaf(after)) continue
    yield null
    if (after.held !== undefined) {
      const isFreed = freed.has(placeOf(root, after.held))
      const spot = isFreed ? null : held.find(root, after.held)
      if (isFreed || spot !== null) {
        sources.set(change, spot)
        continue
      }
    }
    if (!isInJournal(after.digest)) return { sources, missing: change }
  }
  return { sources, missing: null }
}

/** Finds the first change whose new content is nowhere: neither held, nor moved out of the way by another change, nor in the journal. */
export function* findMissing(
  changes: readonly FileChange[],
  held: HeldFiles,
  isInJournal: (digest: string) => boolean,
): Generator<null, FileChange | null> {
  return (yield* locateContents(changes, held, isInJournal)).missing
}
