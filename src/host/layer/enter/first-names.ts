import type { Layer } from '../../../core/layer.ts'
import { identityOf } from '../../root/file-stat.ts'
import type { FileStat } from '../../root/root.ts'

/** What a root showed before the first process of a layer wrote anything. */
export interface FirstNames {
  readonly has: (path: string) => boolean
  /** Null if there was no folder. */
  readonly folderAt: (path: string) => FirstFolder | null
}

/** A folder as it was then. */
export type FirstFolder = Pick<FileStat, 'dev' | 'ino' | 'mode' | 'uid' | 'gid' | 'changedMs' | 'modifiedMs'>

/** Keeps of a folder what shows later whether somebody changed it. */
export function firstFolderOf({ dev, ino, mode, uid, gid, changedMs, modifiedMs }: FirstFolder): FirstFolder {
  return { dev, ino, mode, uid, gid, changedMs, modifiedMs }
}

/**
 * Whether somebody changed who may use a folder since. A name that comes or goes changes both times of its folder; what
 * changes only the time of change may be an access list.
 */
export function hasNewAccess(first: FirstFolder, now: FirstFolder): boolean {
  if (identityOf(first) !== identityOf(now)) return false
  if (first.mode !== now.mode || first.uid !== now.uid || first.gid !== now.gid) return true
  if (first.changedMs === now.changedMs) return false
  return first.modifiedMs === now.modifiedMs || Math.floor(now.changedMs) !== now.modifiedMs
}

const known = new WeakMap<Layer, Map<string, FirstNames>>()

/** Notes what a root showed before the first process of a layer wrote anything. */
export function noteFirstNames(layer: Layer, root: string, names: FirstNames): void {
  const roots = known.get(layer) ?? new Map<string, FirstNames>()
  known.set(layer, roots.set(root, names))
}

/** What a root showed then; null if that is not known. */
export function firstNamesOf(layer: Layer, root: string): FirstNames | null {
  return known.get(layer)?.get(root) ?? null
}
