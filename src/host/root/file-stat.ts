import type { Buffer } from 'node:buffer'
import { accessSync, constants } from 'node:fs'
import type { Dirent, Stats } from 'node:fs'
import type { EntryKind } from '../../core/powers.ts'
import { errnoOf } from '../fs/errno.ts'
import type { FileStat } from './root.ts'

/** What Node says about a file, in our words. */
export function fileStat(stats: Stats): FileStat {
  return {
    kind: entryKind(stats),
    size: stats.size,
    modifiedMs: Math.floor(stats.mtimeMs),
    changedMs: stats.ctimeMs,
    mode: stats.mode & 0o7777,
    uid: stats.uid,
    gid: stats.gid,
    ino: stats.ino,
    dev: stats.dev,
    nlink: stats.nlink,
  }
}

/** The kind of an entry or of a file; never what a link points to. */
export function entryKind(from: Stats | Dirent): EntryKind {
  if (from.isFile()) return 'file'
  if (from.isDirectory()) return 'dir'
  return from.isSymbolicLink() ? 'symlink' : 'other'
}

/** What a thing that is no regular file is called in a message. */
export function describeOddFile(stats: Stats): string {
  if (stats.isDirectory()) return 'a folder'
  if (stats.isFIFO()) return 'a named pipe'
  if (stats.isSocket()) return 'a socket'
  if (stats.isSymbolicLink()) return 'a link'
  return 'a device'
}

/** Whether this process may make and remove names in the folder at a system path. */
export function mayChange(folder: string | Buffer): boolean {
  try {
    accessSync(folder, constants.W_OK | constants.X_OK)
    return true
  } catch (error) {
    const errno = errnoOf(error)
    if (errno === 'EACCES' || errno === 'EPERM' || errno === 'EROFS') return false
    throw error
  }
}

/** What tells that a file is still as it was read, without reading it again. */
export interface FileStamp {
  readonly dev: number
  readonly ino: number
  readonly size: number
  readonly changedMs: number
}

/**
 * Times of change are kept in ticks, at most a hundredth of a second long. A file that changed just before it was read
 * may change once more within the tick, and nobody could tell.
 */
const TICK_MS = 20

/** The witness of a file that was looked at just now and then read; null where only reading again could tell. */
export function fileStampOf({ dev, ino, size, changedMs }: FileStat, nowMs = Date.now()): FileStamp | null {
  return nowMs - changedMs > TICK_MS ? { dev, ino, size, changedMs } : null
}

/** Whether a file is the one that was witnessed, unchanged. */
export function matchesStamp(stamp: FileStamp, now: FileStat): boolean {
  return (
    now.kind === 'file' &&
    now.ino === stamp.ino &&
    now.changedMs === stamp.changedMs &&
    now.size === stamp.size &&
    now.dev === stamp.dev
  )
}
