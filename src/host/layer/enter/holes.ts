import { compareCodePoints } from '../../../core/text/compare.ts'
import { exactName } from '../../root/exact-name.ts'
import { identityOf } from '../../root/file-stat.ts'
import { relativeTo } from '../../root/rel-path.ts'
import type { Root } from '../../root/root.ts'
import { allMountPointsBelow } from '../mounts.ts'

/** A folder or file that is not part of the layer: something is mounted there, or a command writes through to it. */
export interface Hole {
  readonly path: string
  readonly isFolder: boolean
  /** Whether it lies in another one, which shows there first. */
  readonly isInner: boolean
  readonly isWritable: boolean
  /** Device and inode. */
  readonly identity: string
}

/**
 * What below a root is no part of its layers, relative to it, and whether commands write there at once. Outer ones come
 * first. A mount on a mount counts by itself: a layer does not see it, and would show what lies under it.
 */
export function findHoles(root: string, passthrough: readonly string[]): ReadonlyMap<string, boolean> {
  const holes = new Map(
    allMountPointsBelow(root).map((path) => [relativeTo(root, exactName(path)) ?? '', false]),
  )
  for (const path of passthrough) holes.set(relativeTo(root, path) ?? '', true)
  holes.delete('')
  return new Map([...holes].toSorted(([one], [other]) => compareCodePoints(one, other)))
}

/** Looks at such places; what is hidden stays so, with whatever is mounted on it. */
export function lookAtHoles(
  lower: Root,
  holes: ReadonlyMap<string, boolean>,
  hidden: ReadonlySet<string>,
): readonly Hole[] {
  const outer = new Set<string>()
  return [...holes].flatMap(([path, isWritable]): readonly Hole[] => {
    const stat = hidden.has(path) || hasFolderIn(path, hidden) ? null : lower.stat(path)
    if (stat?.kind !== 'dir' && stat?.kind !== 'file') return []
    const isInner = hasFolderIn(path, outer)
    outer.add(path)
    return [{ path, isFolder: stat.kind === 'dir', isInner, isWritable, identity: identityOf(stat) }]
  })
}

/** Whether one of the folders above a path is among these. */
export function hasFolderIn(path: string, folders: ReadonlySet<string>): boolean {
  if (folders.size === 0) return false
  for (let at = path.lastIndexOf('/'); at > 0; at = path.lastIndexOf('/', at - 1))
    if (folders.has(path.slice(0, at))) return true
  return false
}
