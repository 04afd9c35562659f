import type { Buffer } from 'node:buffer'
import { rmdirSync } from 'node:fs'
import { errnoOf } from '../fs/errno.ts'
import type { FileStat } from './root.ts'

const STICKY = 0o1000

/** Said of what the system protects. */
export const FIXED = 'it is immutable or append-only, or the system protects it in another way'
const OTHERS = 'it belongs to another user, and its folder lets only owners replace their files'

/**
 * Why a file, a link or a folder cannot be replaced or removed, as far as the system says beforehand; null if nothing speaks against it.
 * Removing a file as if it were a folder never succeeds, and the system refuses it as "not a folder" only after it has
 * checked everything it would check for removing the file: the folder's permissions, whose file it is in a sticky
 * folder, and whether the file is immutable or append-only. A folder cannot be tried like that.
 */
export function findObstacle(path: string | Buffer, file: FileStat, folder: () => FileStat): string | null {
  if (file.kind === 'dir') return isOthersInSticky(file, folder()) ? OTHERS : null
  if (file.kind === 'other') return null
  try {
    rmdirSync(path)
    return null
  } catch (error) {
    switch (errnoOf(error)) {
      case 'EPERM':
        return isOthersInSticky(file, folder()) ? OTHERS : FIXED
      case 'EACCES':
        return 'permission denied'
      case 'EROFS':
        return 'the file system is read-only'
      default:
        return null
    }
  }
}

/** What is not there has no obstacle. */
export function unlessGone(find: () => string | null): string | null {
  try {
    return find()
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return null
    throw error
  }
}

/** Said of a file that another file system, or another part of this one, is mounted on. */
export const MOUNTED = 'something is mounted on it'

function isOthersInSticky(file: FileStat, folder: FileStat): boolean {
  const user = process.geteuid?.() ?? 0
  return (folder.mode & STICKY) !== 0 && user !== 0 && file.uid !== user && folder.uid !== user
}
