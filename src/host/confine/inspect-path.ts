import { accessSync, constants, lstatSync, realpathSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { readPlainFile } from '../fs/plain-file.ts'
import { platform } from '../system/platform.ts'
import { isBelow } from './mount.ts'

/** The kind of a path, without following a link at its end. */
export type PathKind = 'file' | 'folder' | 'link' | 'other' | 'missing'

/** Reads the kind of a path. */
export function kindOf(path: string): PathKind {
  const found = lstatSync(path, { throwIfNoEntry: false })
  if (found === undefined) return 'missing'
  if (found.isFile()) return 'file'
  if (found.isDirectory()) return 'folder'
  return found.isSymbolicLink() ? 'link' : 'other'
}

/** The same, but a path that cannot be read counts as missing, because it cannot be mounted either. */
export function kindOrMissing(path: string): PathKind {
  try {
    return kindOf(path)
  } catch {
    return 'missing'
  }
}

/** Whether a path is a regular file that this process may read. */
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

/** Elsewhere, the system's own would also change how a name is spelt. */
const follow = platform === 'linux' ? realpathSync.native : realpathSync

/** The path with every link followed, or null if it leads nowhere. */
export function realPathOf(path: string): string | null {
  try {
    // Most of what is asked for is missing, and an error costs more than this look.
    return statSync(path, { throwIfNoEntry: false }) === undefined ? null : follow(path)
  } catch {
    return null
  }
}

/** The bytes of a regular file up to a size, or null; never blocks on a pipe or device put in its place. */
export function readRegular(path: string, maxBytes: number): Buffer | null {
  // Git follows links here, so what they lead to has to be known.
  const found = readPlainFile(path, 'own', maxBytes)
  return found.is === 'read' ? found.bytes : null
}

/** As large as git accepts them. */
const MAX_POINTER_BYTES = 1024 ** 2

/** The text of a file that says where git finds something, without line ends behind it, as git reads it; or null. */
export function pointerOf(path: string): string | null {
  const text = readRegular(path, MAX_POINTER_BYTES)?.toString('utf8') ?? null
  if (text === null) return null
  // An expression for the end would begin anew at each line.
  let end = text.length
  while (text[end - 1] === '\n' || text[end - 1] === '\r') end--
  return text.slice(0, end)
}
