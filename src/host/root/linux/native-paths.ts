import { closeSync, constants, openSync } from 'node:fs'
import type { Done, Native, NativeSpot } from '../../native/native.ts'
import type { NativeSource } from '../../native/load-native.ts'
import { absoluteOf } from '../rel-path.ts'
import { hasOddPart } from '../resolve-links.ts'
import type { FileStat, NativeMove } from '../root.ts'
import type { PinnedFolders } from './pinned-folders.ts'

/** What native code does below one root. Null means that it did nothing, and that the way without it is taken. */
export interface NativePaths {
  /** Opens a path below the root of which no part is a link, in one system call. */
  readonly open: (rel: string, flags: number) => number | null
  readonly statAt: (folder: number, name: string) => FileStat | 'missing' | null
  readonly exchange: (one: NativeSpot, other: NativeSpot) => NativeMove
  readonly moveIfFree: (from: NativeSpot, to: NativeSpot) => NativeMove
  /** Flushes the file system of the folder at a system path. */
  readonly sync: (folder: string) => Promise<boolean> | null
}

/** Uses native code below a root: for what is safer with it at once, for what is only quicker when that pays. */
export function nativePaths(rootPath: string, pins: PinnedFolders, source: NativeSource): NativePaths {
  const nativeFor = (one: NativeSpot, other: NativeSpot): Native | null =>
    isWhole(one.name) && isWhole(other.name) ? source.load() : null
  return {
    open(rel, flags) {
      if (rel === '' || hasOddPart(rel) || !isWhole(rel) || pins.isClosed()) return null
      return source.loadIfWorthwhile()?.openPlain(absoluteOf(rootPath, rel), flags) ?? null
    },
    statAt: (folder, name) =>
      isWhole(name) ? (source.loadIfWorthwhile()?.statAt(folder, name) ?? null) : null,
    exchange: (one, other) => judge(nativeFor(one, other)?.exchange(one, other), 'ENOENT'),
    moveIfFree: (from, to) => judge(nativeFor(from, to)?.moveIfFree(from, to), 'EEXIST'),
    sync(folder) {
      const native = source.load()
      if (native === null) return null
      const fd = openSync(folder, constants.O_RDONLY | constants.O_DIRECTORY)
      return native.syncFileSystem(fd).finally(() => closeSync(fd))
    },
  }
}

function judge(done: Done | undefined, refusal: string): NativeMove {
  if (done === 'done') return done
  return done === refusal ? 'refused' : 'impossible'
}

/** Whether a name reaches the system as it is: text of C ends at a NUL character, and koffi has text in UTF-8 only. */
function isWhole(name: string): boolean {
  return name.isWellFormed() && !name.includes('\0')
}
