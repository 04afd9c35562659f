import type { Buffer } from 'node:buffer'
import { accessSync, constants } from 'node:fs'
import type { Dirent, Stats } from 'node:fs'
import type { EntryKind } from '../../core/powers.ts'
import { errnoOf } from '../fs/errno.ts'
import type { FileStat } from './root.ts'

/** Converts the stats of Node. */
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
    isWhiteout: stats.isCharacterDevice() && stats.rdev === 0,
  }
}

/** Tells a name from every other one that exists at the same time. */
export function identityOf({ dev, ino }: Pick<FileStat, 'dev' | 'ino'>): string {
  return `${dev}:${ino}`
}

/** The kind of an entry or of a file; a link is not followed. */
export function entryKind(from: Stats | Dirent): EntryKind {
  if (from.isFile()) return 'file'
  if (from.isDirectory()) return 'dir'
  return from.isSymbolicLink() ? 'symlink' : 'other'
}

/** What to call something that is not a regular file in a message. */
export function describeOddFile(stats: Stats): string {
  if (stats.isDirectory()) return 'a folder'
  if (stats.isFIFO()) return 'a named pipe'
  if (stats.isSocket()) return 'a socket'
  if (stats.isSymbolicLink()) return 'a link'
  return 'a device'
}

/** Whether this process may create and remove names in the folder at a system path. */
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

/** Shows whether a file is unchanged since it was read, without reading it again. */
export interface FileStamp {
  readonly dev: number
  readonly ino: number
  readonly size: number
  readonly changedMs: number
}

/**
 * Change times are recorded in ticks of at most a hundredth of a second, or of a whole one on some file systems. A file that
 * changed just before it was read may change again within the same tick, without a trace.
 */
const TICK_MS = 20
export const SECOND_MS = 1_000

/** Whether a time looks as if it came from a file system that knows no parts of a second; others have such a time by chance. */
export function isWholeSecond(timeMs: number): boolean {
  return timeMs % SECOND_MS === 0
}

function isPastTick(timeMs: number, nowMs: number): boolean {
  return nowMs - timeMs > (isWholeSecond(timeMs) ? SECOND_MS + TICK_MS : TICK_MS)
}

/** Whether the content of a file was last changed long enough ago for a later change to show in its time. */
export function isSettled({ modifiedMs }: FileStat, nowMs = Date.now()): boolean {
  return isPastTick(modifiedMs, nowMs)
}

/** The stamp of a file whose stat was taken just before it was read; null if only reading again could show a change. */
export function fileStampOf({ dev, ino, size, changedMs }: FileStat, nowMs = Date.now()): FileStamp | null {
  return isPastTick(changedMs, nowMs) ? { dev, ino, size, changedMs } : null
}

/** Whether a file is still the one that the stamp was taken of, unchanged. */
export function matchesStamp(stamp: FileStamp, now: FileStat): boolean {
  return (
    now.kind === 'file' &&
    now.ino === stamp.ino &&
    now.changedMs === stamp.changedMs &&
    now.size === stamp.size &&
    now.dev === stamp.dev
  )
}
