import { closeSync, constants, openSync, readlinkSync } from 'node:fs'
import { latin1Name, systemName } from '../exact-name.ts'
import { errnoOf } from '../../fs/errno.ts'
import { isPlainName } from '../rel-path.ts'

/** Node has no name for it: a descriptor that only stands for a place, which needs no right to read there. */
const O_PATH = 0o10_000_000
const FOLDER_FLAGS = O_PATH | constants.O_DIRECTORY | constants.O_NOFOLLOW
/** What the kernel adds to the path of a folder that is gone. */
const GONE = ' (deleted)'

/** Errors of an open that another way to the same folder may not meet. */
const INDIRECTLY = new Set(['ENOTDIR', 'ELOOP', 'ENAMETOOLONG', 'EACCES'])

/**
 * Where the kernel shows our descriptors as paths. One that goes on after a descriptor starts in the open folder
 * itself: the name by which the folder was reached is not looked at again. The number of the process is quicker than
 * `self`, and right unless /proc belongs to another process namespace.
 */
export function findDescriptors(): string {
  return readlinkSync('/proc/self') === String(process.pid) ? `/proc/${process.pid}/fd` : '/proc/self/fd'
}

/** Opens a folder by path; null if that leads nowhere directly. A link in the last part is not followed. */
export function openFolder(path: string): number | null {
  try {
    return openSync(systemName(path), FOLDER_FLAGS)
  } catch (error) {
    if (INDIRECTLY.has(errnoOf(error) ?? '')) return null
    throw error
  }
}

/** Opens a folder in an open one; throws where the name is a link or no folder. */
export function openBelow(folderPath: string, name: string): number {
  if (!isPlainName(name)) throw Object.assign(new Error(`no plain name: ${name}`), { code: 'ELOOP' })
  return openSync(systemName(`${folderPath}/${name}`), FOLDER_FLAGS)
}

/** Opens the folder behind a descriptor once more. */
export function openAgain(descriptorPath: string): number {
  return openSync(descriptorPath, O_PATH | constants.O_DIRECTORY)
}

/** Opens, from an open folder, the one that lies some parts below it, one part at a time. */
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

/** A question to the kernel: does the folder behind a descriptor lie at this path now? */
export interface PlaceCheck {
  readonly path: string
  readonly expected: string
  readonly encoding: 'utf8' | 'latin1'
}

/** Prepares the question. Where a replacement character could stand for any odd byte, bytes are compared. */
export function placeCheck(descriptorPath: string, absolute: string): PlaceCheck {
  const isPlain = absolute.isWellFormed() && !absolute.includes('\uFFFD')
  return isPlain
    ? { path: descriptorPath, expected: absolute, encoding: 'utf8' }
    : { path: descriptorPath, expected: latin1Name(absolute), encoding: 'latin1' }
}

/**
 * Asks it. Yes means that no part of the path is a link. A path that ends like one of a folder that is gone proves
 * nothing, and one too long for the kernel to spell is not known.
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
