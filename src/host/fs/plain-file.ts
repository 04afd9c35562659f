import { closeSync, constants, fstatSync, lstatSync, openSync, readSync, statSync } from 'node:fs'
import type { Stats } from 'node:fs'
import { Buffer } from 'node:buffer'
import { systemName } from '../root/exact-name.ts'
import { describeOddFile } from '../root/file-stat.ts'
import { errnoOf } from './errno.ts'

/**
 * Where a file comes from, which decides what may be in its place. `project`: anyone may have put it there, so it is a
 * regular file and not a link. `own`: the user or the administrator put it there, so it may be a link to one, or to
 * /dev/null. `settings`: the same, but another user's is refused, as with `sudo` HOME may be that of somebody else.
 * `named`: the user named it for this command, so it may be a pipe as well.
 */
export type Origin = 'project' | 'own' | 'settings' | 'named'

/** Far more than a file that a person writes. */
export const MAX_TEXT_BYTES = 1024 ** 2

/** What is at a path. */
export type PlainFile =
  | { readonly is: 'read'; readonly bytes: Buffer }
  | { readonly is: 'missing' }
  | { readonly is: 'refused'; readonly why: string; readonly advice: string }

const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK, O_NOCTTY } = constants

/** Windows has none of these flags but the first; undefined counts as zero. */
const FLAGS: Readonly<Record<Origin, number>> = {
  project: O_RDONLY | O_NOCTTY | O_NONBLOCK | O_NOFOLLOW,
  own: O_RDONLY | O_NOCTTY | O_NONBLOCK,
  settings: O_RDONLY | O_NOCTTY | O_NONBLOCK,
  named: O_RDONLY | O_NOCTTY,
}

/** Throws if something other than a file is at a path: opening a pipe could wait for ever. What does not exist is no obstacle. */
export function requirePlainFile(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.isFile() === false)
    throw Object.assign(new Error(`${path} is not a regular file`), { code: 'EINVAL' })
}

/** Reads all of a small file; never waits for a pipe or reads an endless device that was put in its place. */
export function readPlainFile(path: string, origin: Origin, maxBytes: number): PlainFile {
  let fd: number
  try {
    fd = openSync(systemName(path), FLAGS[origin])
  } catch (error) {
    return judgeFault(error)
  }
  try {
    const stats = fstatSync(fd)
    if (origin !== 'named' && !stats.isFile()) {
      if (origin !== 'project' && isNullDevice(stats)) return { is: 'read', bytes: Buffer.alloc(0) }
      return refuse(`it is ${describeOddFile(stats)}, not a regular file`)
    }
    if (stats.isDirectory()) return refuse('it is a folder, not a file')
    if (origin === 'settings' && isForeign(stats)) return OF_ANOTHER_USER
    const bytes = readUpTo(fd, stats.size, maxBytes)
    if (bytes !== null) return { is: 'read', bytes }
    return {
      is: 'refused',
      why: `it has more than ${maxBytes} bytes, the limit for such a file`,
      advice: 'make it smaller or remove it',
    }
  } catch (error) {
    return judgeFault(error)
  } finally {
    closeSync(fd)
  }
}

/** The bytes up to the end, or null if there are more than the limit. The size is only a hint: it may be wrong. */
function readUpTo(fd: number, size: number, maxBytes: number): Buffer | null {
  if (size > maxBytes) return null
  let bytes = Buffer.alloc(size + 1)
  let used = 0
  for (;;) {
    const count = readSync(fd, bytes, used, bytes.length - used, null)
    used += count
    if (used > maxBytes) return null
    if (count === 0) return bytes.subarray(0, used)
    if (used === bytes.length) bytes = Buffer.concat([bytes], Math.min(2 * used + 4_096, maxBytes + 1))
  }
}

function refuse(why: string): PlainFile {
  return { is: 'refused', why, advice: 'replace it with a regular file or remove it' }
}

const OF_ANOTHER_USER: PlainFile = {
  is: 'refused',
  why: 'it belongs to another user, and could have programs run with your rights',
  advice: 'set HOME to your own home folder (sudo -H does so), or make the file yours',
}

/** The owner of the whole disk could do anything anyway; that is not always user 0, as in a user namespace. */
function isForeign({ uid }: Stats): boolean {
  const user = process.geteuid?.()
  return user !== undefined && uid !== user && uid !== 0 && uid !== lstatSync('/').uid
}

function judgeFault(error: unknown): PlainFile {
  switch (errnoOf(error)) {
    case 'ENOENT':
    case 'ENOTDIR':
      return { is: 'missing' }
    case 'ELOOP':
    case 'EMLINK':
      return refuse('it is a link, not a regular file')
    case 'ENXIO':
      return refuse('it is a socket or a device, not a regular file')
    case 'EACCES':
    case 'EPERM':
      return { is: 'refused', why: 'permission denied', advice: 'make it readable for you, or remove it' }
    default:
      return {
        is: 'refused',
        why: error instanceof Error ? error.message : 'unknown reason',
        advice: 'check the file and the disk it is on',
      }
  }
}

/** Linking a configuration file to the null device is a usual way to have none. */
function isNullDevice(stats: Stats): boolean {
  if (!stats.isCharacterDevice()) return false
  const known = statSync('/dev/null', { throwIfNoEntry: false })
  return known?.isCharacterDevice() === true && known.rdev === stats.rdev
}

/** A file that exists and cannot be used. */
export class RefusedFileError extends Error {
  readonly path: string
  readonly why: string
  readonly advice: string

  constructor(path: string, why: string, advice: string) {
    super(`cannot read ${path}: ${why}; ${advice}`)
    this.name = 'RefusedFileError'
    this.path = path
    this.why = why
    this.advice = advice
  }
}

/** The text of a small file, null if there is none; a RefusedFileError if it is anything else than such a file. */
export function readTextIfExists(
  path: string,
  origin: Origin,
  maxBytes: number = MAX_TEXT_BYTES,
): string | null {
  const found = readPlainFile(path, origin, maxBytes)
  if (found.is === 'refused') throw new RefusedFileError(path, found.why, found.advice)
  return found.is === 'missing' ? null : found.bytes.toString('utf8')
}

/** What differs once the file at a path was changed, replaced or hidden; null if there is none. */
export function stampOf(path: string): string | null {
  let found: Stats | undefined
  try {
    found = statSync(path, { throwIfNoEntry: false })
  } catch (error) {
    // Reading it will say why.
    return `hidden: ${errnoOf(error) ?? 'unknown'}`
  }
  // A number that became free is given to the next file, so the time of birth counts too.
  return found === undefined ? null : [found.dev, found.ino, found.birthtimeMs, found.mtimeMs].join(' ')
}

/** Closes what was only read from: where the system reports an error it is closed all the same, and nothing is lost. */
export function closeReadOnly(fd: number): void {
  try {
    closeSync(fd)
  } catch (error) {
    // Closed twice: the number may already be that of another file.
    if (errnoOf(error) === 'EBADF') throw error
  }
}
