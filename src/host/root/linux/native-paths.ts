import { constants as osConstants } from 'node:os'
import type { NativeSource } from '../../native/load-native.ts'
import type { NativeName, RenameHow } from '../../native/native.ts'
import { absoluteOf } from '../rel-path.ts'
import { hasOddPart } from '../resolve-links.ts'
import type { FileStat, PlaceEnd } from '../root.ts'
import type { PinnedFolders } from './pinned-folders.ts'

/** What native code does below one root. Null means that it did nothing, and that the way without it is taken. */
export interface NativePaths {
  /** Opens a path below the root of which no part is a link, in one system call. */
  readonly open: (rel: string, flags: number) => number | null
  readonly statAt: (folder: number, name: string) => FileStat | 'missing' | null
  /** Whether something is mounted on a name in an open folder. */
  readonly isMounted: (folder: number, name: string) => boolean | null
  /** Whether a name in an open folder, or the folder itself as `.`, is immutable or append-only. */
  readonly isFixed: (folder: number, name: string) => boolean | null
  /** Renames to a free name, or exchanges two names. */
  readonly rename: (from: NativeName, to: NativeName, how: RenameHow) => PlaceEnd
  /** Whether the system refuses to remove a path because it is no folder, and for no reason before that. */
  readonly isRefusedAsFile: (path: string) => boolean
}

/** Uses native code below a root. */
export function nativePaths(rootPath: string, pins: PinnedFolders, source: NativeSource): NativePaths {
  return {
    open(rel, flags) {
      if (rel === '' || hasOddPart(rel) || !isWhole(rel) || pins.isClosed()) return null
      return source()?.openPlain(absoluteOf(rootPath, rel), flags) ?? null
    },
    statAt: (folder, name) => (isWhole(name) ? (source()?.statAt(folder, name) ?? null) : null),
    isMounted: (folder, name) => (isWhole(name) ? (source()?.isMounted(folder, name) ?? null) : null),
    // Nothing else tells it beforehand.
    isFixed: (folder, name) => (isWhole(name) ? (source('needed')?.isFixed(folder, name) ?? null) : null),
    rename(from, to, how) {
      const native = isWhole(from.name) && isWhole(to.name) ? source('needed') : null
      const errno = native?.rename(from, to, how)
      if (errno === 0) return 'done'
      return how === 'new' && errno === osConstants.errno.EEXIST ? 'taken' : 'not possible'
    },
    isRefusedAsFile: (path) => isWhole(path) && source()?.removeFolder(path) === osConstants.errno.ENOTDIR,
  }
}

/** Opens paths of plain names, without links, below an open folder. */
export function openNatively(
  source: NativeSource,
): (folder: number, path: string, flags: number) => number | null {
  return (folder, path, flags) => (isWhole(path) ? (source()?.openBelow(folder, path, flags) ?? null) : null)
}

/** Whether a name reaches the system as it is: text of C ends at a NUL character, and koffi has text in UTF-8 only. */
function isWhole(name: string): boolean {
  return name.isWellFormed() && !name.includes('\0')
}
