import { ToolFailure } from '../../core/error.ts'
import type { Root } from '../../host/root/root.ts'
import { folderOf } from '../../host/root/rel-path.ts'
import type { FileChange } from '../../journal/entries/entry.ts'
import { isFolder } from './held.ts'
import { placeOf } from './place-of.ts'

/** A name that cannot be changed, and why. */
export interface Obstacle {
  readonly path: string
  readonly why: string
}

/** The first of these changes that could not be put in place, as far as the system says beforehand. */
export function findObstacle(
  changes: readonly FileChange[],
  rootOf: (path: string) => Root,
): Obstacle | null {
  const folders = new Map<string, boolean>()
  const opened = new Set(
    changes.filter(({ before }) => isFolder(before)).map(({ root, path }) => placeOf(root, path)),
  )
  const coming = new Set(
    changes
      .filter(({ before, after }) => isFolder(after) && !isFolder(before))
      .map(({ root, path }) => placeOf(root, path)),
  )
  for (const { root: top, path, before } of changes) {
    try {
      const root = rootOf(top)
      let above = folderOf(path)
      while (coming.has(placeOf(top, above))) above = folderOf(above)
      const folder = nearestFolder(root, above)
      const key = placeOf(top, folder)
      const isWritable =
        folders.get(key) ?? (opened.has(key) ? mayOpen(root, folder) : root.isWritable(folder))
      folders.set(key, isWritable)
      if (!isWritable) return { path: folder === '' ? '.' : folder, why: 'its entries cannot be changed' }
      const isLooked = before !== null && !(opened.has(key) && !root.isWritable(folder))
      const why = isLooked ? root.findObstacle(path) : null
      if (why !== null) return { path, why }
    } catch (thrown) {
      // What cannot even be looked at, such as a folder that was swapped for a link, is in the way too.
      if (!(thrown instanceof ToolFailure)) throw thrown
      return { path, why: thrown.error.message.replace(/\.$/, '') }
    }
  }
  return null
}

/** Whether names in a folder can be changed, if need be after its owner has changed its mode. */
function mayOpen(root: Root, folder: string): boolean {
  return root.isWritable(folder) || root.stat(folder)?.uid === process.geteuid?.()
}

/** A folder, or the nearest one above it that exists. */
export function nearestFolder(root: Root, wanted: string): string {
  let folder = wanted
  while (folder !== '' && root.stat(folder) === null) folder = folderOf(folder)
  return folder
}
