import {
  accessSync,
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readFileSync,
  realpathSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { isBelow } from './mount.ts'

/** What a name stands for, without following it. */
export type PathKind = 'file' | 'folder' | 'link' | 'other' | 'missing'

/** Looks at a name; what cannot be looked at counts as missing, because it cannot be mounted either. */
export function kindOf(path: string): PathKind {
  const found = lstatSync(path, { throwIfNoEntry: false })
  if (found === undefined) return 'missing'
  if (found.isFile()) return 'file'
  if (found.isDirectory()) return 'folder'
  return found.isSymbolicLink() ? 'link' : 'other'
}

/** The same, where the way to the name may be barred. */
export function kindOrMissing(path: string): PathKind {
  try {
    return kindOf(path)
  } catch {
    return 'missing'
  }
}

/** Whether a name is that of a regular file that we may read. */
export function isReadableFile(path: string): boolean {
  try {
    accessSync(path, constants.R_OK)
    return kindOf(path) === 'file'
  } catch {
    return false
  }
}

/** Whether a path is a folder at or below another, with no links on the way. */
export function isRealFolder(from: string, path: string): boolean {
  for (let at = path; at !== from; at = dirname(at)) {
    if (!isBelow(at, from) || kindOrMissing(at) !== 'folder') return false
  }
  return true
}

/** Where a path leads once every link is followed, or null if nowhere. */
export function realPathOf(path: string): string | null {
  try {
    return realpathSync(path)
  } catch {
    return null
  }
}

/** The bytes of a regular file up to a size, or null: a pipe or a device that somebody put in its place never blocks. */
export function readRegular(path: string, maxBytes: number): Buffer | null {
  let fd: number
  try {
    fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  } catch {
    return null
  }
  try {
    const found = fstatSync(fd)
    return found.isFile() && found.size <= maxBytes ? readFileSync(fd) : null
  } catch {
    return null
  } finally {
    closeSync(fd)
  }
}

const MAX_LINE_BYTES = 65_536

/** The first line of a small file, or null. */
export function firstLineOf(path: string): string | null {
  return readRegular(path, MAX_LINE_BYTES)?.toString('utf8').split('\n', 1)[0] ?? null
}
