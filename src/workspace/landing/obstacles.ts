import { ToolFailure } from '../../core/error.ts'
import type { Root } from '../../host/root/root.ts'
import { folderOf } from '../../host/root/rel-path.ts'
import type { FileChange } from '../../journal/entries/entry.ts'

/** A name that cannot be changed, and why. */
export interface Obstacle {
  readonly path: string
  readonly why: string
}

/** The first of these changes that could not be put in place, as far as the system says beforehand. */
export function findObstacle(
  changes: readonly Pick<FileChange, 'root' | 'path' | 'before'>[],
  rootOf: (path: string) => Root,
): Obstacle | null {
  const folders = new Map<string, boolean>()
  for (const { root: top, path, before } of changes) {
    try {
      const root = rootOf(top)
      const folder = nearestFolder(root, folderOf(path))
      const key = `${top}\0${folder}`
      const isWritable = folders.get(key) ?? root.isWritable(folder)
      folders.set(key, isWritable)
      if (!isWritable) return { path: folder === '' ? '.' : folder, why: 'its entries cannot be changed' }
      const why = before === null ? null : root.findObstacle(path)
      if (why !== null) return { path, why }
    } catch (thrown) {
      // What cannot even be looked at, such as a folder that was swapped for a link, is in the way too.
      if (!(thrown instanceof ToolFailure)) throw thrown
      return { path, why: thrown.error.message.replace(/\.$/, '') }
    }
  }
  return null
}

/** A folder, or the nearest one above it that exists. */
export function nearestFolder(root: Root, wanted: string): string {
  let folder = wanted
  while (folder !== '' && root.stat(folder) === null) folder = folderOf(folder)
  return folder
}
