import { accessSync, constants, realpathSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { readPlainFile } from '../fs/plain-file.ts'
import { systemName } from '../root/exact-name.ts'
import { platform } from '../system/platform.ts'
import { findWay } from '../way/find-way.ts'
import { kindOf, kindOrMissing } from '../way/path-kind.ts'
import { isBelow } from './mount.ts'

export { kindOf, kindOrMissing }
export type { PathKind } from '../way/path-kind.ts'

/** Whether a path is a regular file that this process may read. */
export function isReadableFile(path: string): boolean {
  try {
    accessSync(path, constants.R_OK)
    return kindOf(path) === 'file'
  } catch {
    return false
  }
}

/** The size of what a path leads to if that is a regular file; 0 for everything else. */
export function sizeOrZero(path: string): number {
  try {
    const found = statSync(systemName(path), { throwIfNoEntry: false })
    return found?.isFile() === true ? found.size : 0
  } catch {
    return 0
  }
}

/** Whether a path is a folder at or below another, with no links on the way. */
export function isRealFolder(from: string, path: string): boolean {
  for (let at = path; at !== from; at = dirname(at)) {
    if (!isBelow(at, from) || kindOrMissing(at) !== 'folder') return false
  }
  return true
}

/** The exact path with every link followed; null if it leads nowhere, or elsewhere for each program that follows it. */
export function realPathOf(path: string): string | null {
  try {
    // Most of what is asked for is missing, and an error costs more than this look.
    if (statSync(systemName(path), { throwIfNoEntry: false }) === undefined) return null
  } catch {
    return null
  }
  return platform === 'linux' ? (findWay(path).place?.real ?? null) : realPathByName(path)
}

/** The system's own would also change how a name is spelt. */
function realPathByName(path: string): string | null {
  try {
    return realpathSync(path)
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
