import { changeMode } from '../../../host/layer/opened-folders.ts'
import { linkName, moveName, moveToFree } from '../../../host/root/move-name.ts'
import type { FileStat } from '../../../host/root/root.ts'
import type { FileChange, FileState } from '../../../journal/entries/entry.ts'
import type { LookOptions, Target } from '../change-status.ts'
import { isLeaf, openFolderOf } from './held.ts'
import type { HeldSpot, Rooms } from './held.ts'

/** A name that somebody gave to something else while its content was being moved. */
export class Replaced extends Error {}

/** What a name holds now, and where contents are put away. */
export interface MoveOptions {
  readonly now: FileStat | null
  readonly held: Rooms
}

/**
 * Moves what a change replaces or removes to its place among the held files. If a file is to have the name, the old one
 * keeps it until then, so that the name is never missing; only where the system allows no second name it goes at once.
 */
export function putAway({ change, root }: Target, before: FileState, { now, held }: MoveOptions): void {
  const { path, after } = change
  if (now === null) return
  if (before.held === undefined) {
    if (!isLeaf(after)) root.unlink(path)
    return
  }
  const here = { root, rel: path }
  const there = held.makeRoom(change.root, before.held)
  if (!isLeaf(after) || !linkName(here, there)) moveName(here, there)
}

/** Fails if something else than what was put away has the name: it would be lost. Returns what has it. */
export function requireKept({ change: { path }, root }: Target, kept: FileStat | null): FileStat | null {
  const now = root.stat(path)
  if (now !== null && (kept === null || kept.ino !== now.ino || kept.dev !== now.dev))
    throw new Replaced(path)
  return now
}

/** Moves a held content to its path. */
export function takeOut({ change, root }: Target, from: HeldSpot, { now, held }: MoveOptions): void {
  held.openFolder(from)
  setHeldMode(change, from)
  moveName(from, { root, rel: change.path }, now === null)
}

/**
 * The same if nothing was put away there, in one step that replaces nothing; fails if something has the name by now. False if
 * the system cannot do that, and nothing has happened.
 */
export function takeOutToFree(
  { change, root }: Target,
  from: HeldSpot,
  held: Pick<Rooms, 'openFolder'>,
): boolean {
  held.openFolder(from)
  setHeldMode(change, from)
  const end = moveToFree(from, { root, rel: change.path })
  if (end === 'taken') throw new Replaced(change.path)
  return end === 'done'
}

/** Gives a held file the mode that it is to have; that of the file in whose place it comes may have changed meanwhile. */
export function setHeldMode({ after }: FileChange, { root, rel, stat }: HeldSpot): void {
  if (after === null || after.kind !== undefined) return
  if (stat.kind === 'file' && stat.mode !== after.mode) changeMode(root, rel, after.mode)
}

/** Removes the second name that an interrupted landing left of a content that is at its path. */
export function dropSecondName(
  { change, root }: Pick<Target, 'change' | 'root'>,
  { held: files }: LookOptions,
): void {
  const held = change.after?.held
  const kept = held === undefined ? null : files.find(change.root, held)
  if (kept === null) return
  const now = root.stat(change.path)
  const old = kept.root.stat(kept.rel)
  if (now === null || old?.ino !== now.ino || old.dev !== now.dev || now.kind === 'dir') return
  openFolderOf(kept)
  kept.root.unlink(kept.rel)
}
