import type { Buffer } from 'node:buffer'
import { closeSync, constants, openSync, readFileSync, readlinkSync } from 'node:fs'
import { latin1Name, systemName } from '../exact-name.ts'
import { errnoOf } from '../../fs/errno.ts'
import { isPlainName } from '../rel-path.ts'

/** Not among the constants of Node: a descriptor that only identifies a place and needs no read permission. */
const O_PATH = 0o10_000_000
/** How a folder is opened. */
export const FOLDER_FLAGS = O_PATH | constants.O_DIRECTORY | constants.O_NOFOLLOW
/** What the kernel appends to the path of a deleted folder. */
const GONE = ' (deleted)'

/** A folder held open. Its paths go through the descriptor, whatever happens to the folder's name. */
export interface Pin {
  readonly fd: number
  /** The folder itself, as a system path. */
  readonly path: string
  /** The prefix that reaches a name in the folder. */
  readonly base: string
}

/** Errors of opening a path directly that going down folder by folder may avoid. */
const INDIRECTLY = new Set(['ENOTDIR', 'ELOOP', 'ENAMETOOLONG', 'EACCES'])

/**
 * Where the kernel shows our descriptors as paths. A path that continues after a descriptor starts in the open folder
 * itself, without resolving the folder's name again. The process id is quicker than `self`, and correct unless /proc
 * belongs to another process namespace.
 */
export function findDescriptors(): string {
  try {
    if (readlinkSync('/proc/self') === String(process.pid)) return `/proc/${process.pid}/fd`
  } catch {
    // Then the slower name will do.
  }
  return '/proc/self/fd'
}

/** Opens a folder by path; null if it cannot be opened directly. A link in the last part is not followed. */
export function openFolder(path: string): number | null {
  try {
    return openSync(systemName(path), FOLDER_FLAGS)
  } catch (error) {
    if (INDIRECTLY.has(errnoOf(error) ?? '')) return null
    throw error
  }
}

/** Whether something is mounted on a name in an open folder. */
export function isMountPoint(descriptors: string, folder: number, path: string | Buffer): boolean {
  const fd = openSync(path, O_PATH | constants.O_NOFOLLOW)
  try {
    return mountOf(descriptors, fd) !== mountOf(descriptors, folder)
  } finally {
    closeSync(fd)
  }
}

/** The number of the mount that a descriptor is on; the kernel shows it beside the descriptors. */
function mountOf(descriptors: string, fd: number): string | undefined {
  return /^mnt_id:\s*(\d+)/m.exec(readFileSync(`${descriptors}info/${fd}`, 'latin1'))?.[1]
}

/** Opens a folder in an open one; throws if the name is a link or not a folder. */
export function openBelow(folderPath: string, name: string): number {
  if (!isPlainName(name)) throw Object.assign(new Error(`no plain name: ${name}`), { code: 'ELOOP' })
  return openSync(systemName(`${folderPath}/${name}`), FOLDER_FLAGS)
}

/** Opens the folder of a descriptor a second time. */
export function openAgain(descriptorPath: string): number {
  return openSync(descriptorPath, O_PATH | constants.O_DIRECTORY)
}

/** Opens a folder below an open one, one part of the path at a time. */
export function descend(descriptors: string, start: number, parts: readonly string[]): number {
  let fd = openAgain(`${descriptors}/${start}`)
  for (const name of parts) {
    try {
      const next = openBelow(`${descriptors}/${fd}`, name)
      closeSync(fd)
      fd = next
    } catch (error) {
      closeSync(fd)
      throw error
    }
  }
  return fd
}

/** Asks the kernel whether the folder of a descriptor is at this path now. */
export interface PlaceCheck {
  readonly path: string
  readonly expected: string
  readonly encoding: 'utf8' | 'latin1'
}

/** Prepares a check. Bytes are compared if a replacement character could stand for an arbitrary byte. */
export function placeCheck(descriptorPath: string, absolute: string): PlaceCheck {
  const isPlain = absolute.isWellFormed() && !absolute.includes('\uFFFD')
  return isPlain
    ? { path: descriptorPath, expected: absolute, encoding: 'utf8' }
    : { path: descriptorPath, expected: latin1Name(absolute), encoding: 'latin1' }
}

/**
 * Runs a check. True means that no part of the path is a link. A path that ends like that of a deleted folder proves
 * nothing, and a path that is too long for the kernel to return cannot be confirmed.
 */
export function isInPlace(check: PlaceCheck): boolean {
  if (check.expected.endsWith(GONE)) return false
  try {
    return readlinkSync(check.path, check.encoding) === check.expected
  } catch (error) {
    if (errnoOf(error) === 'ENAMETOOLONG') return false
    throw error
  }
}
