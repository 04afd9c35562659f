import { folderOf, joinRel } from '../root/rel-path.ts'
import type { Root } from '../root/root.ts'
import { changeMode } from './opened-folders.ts'

/** Removes a file or a folder with everything in it, if it is there; yields now and then, so that the caller can pause. */
export function* removeTree(root: Root, path: string): Generator<null, void> {
  const stat = root.stat(path)
  if (stat === null) return
  if (stat.kind !== 'dir') return root.unlink(path)
  // Its owner may have closed it to everyone.
  if ((stat.mode & 0o700) !== 0o700) changeMode(root, path, stat.mode | 0o700)
  for (const { exactName } of root.list(path)) {
    yield* removeTree(root, joinRel(path, exactName))
    yield null
  }
  root.rmdir(path)
}

/** Creates the folders above a path that are missing, for their owner alone. */
export function makeFoldersFor(root: Root, path: string): void {
  const folder = folderOf(path)
  if (folder === '' || root.stat(folder) !== null) return
  makeFoldersFor(root, folder)
  root.mkdir(folder, 0o700)
}
