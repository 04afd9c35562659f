import {
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fstatSync,
  fsync,
  fsyncSync,
  readSync,
  writeSync,
} from 'node:fs'
import { failure } from '../../core/error.ts'
import { closeReadOnly } from '../fs/plain-file.ts'
import { describeOddFile, fileStat } from './file-stat.ts'
import { ioFailure, notRegular } from './io-failure.ts'
import type { FileStat, NewFile, OpenFile } from './root.ts'
import { showPath } from './rel-path.ts'

/** Windows has only some of these; the others are undefined there, which counts as zero in the expressions below. */
const { O_RDONLY, O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW, O_NONBLOCK, O_NOCTTY } = constants

/** Opening a pipe does not block, and opening a terminal does not make it our controlling one. */
export const READ_FLAGS = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY

/** Never opens an existing file. */
export const CREATE_FLAGS = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW

const CHUNK_BYTES = 65_536
/** Replaces the number of a closed descriptor, which the system soon gives to another file. */
const CLOSED = -1

/** Takes over a descriptor that was opened for reading, and closes it at once if it is not a regular file. */
export function takeFile(fd: number, rel: string): OpenFile {
  let isTaken = false
  try {
    const stats = fstatSync(fd)
    if (!stats.isFile()) throw notRegular(rel, describeOddFile(stats))
    isTaken = true
    return new RegularFile(fd, rel, fileStat(stats))
  } catch (error) {
    throw ioFailure(error, 'open', rel)
  } finally {
    if (!isTaken) closeReadOnly(fd)
  }
}

class RegularFile implements OpenFile {
  readonly stat: FileStat
  readonly #rel: string
  #fd: number

  constructor(fd: number, rel: string, stat: FileStat) {
    this.#fd = fd
    this.#rel = rel
    this.stat = stat
  }

  get systemPath(): string {
    return `/proc/${process.pid}/fd/${this.#fd}`
  }

  read(buffer: Uint8Array, offset: number, length: number, position: number): number {
    try {
      return readSync(this.#fd, buffer, offset, length, position)
    } catch (error) {
      throw ioFailure(error, 'read', this.#rel)
    }
  }

  /** Sizes can be wrong (a file may grow, and some file systems say 0), so it asks for more than the size. */
  readAll(maxBytes: number): Uint8Array {
    if (this.stat.size > maxBytes) throw tooLarge(this.#rel, this.stat.size, maxBytes)
    let bytes = new Uint8Array(this.stat.size + 1)
    let used = 0
    for (;;) {
      const count = this.read(bytes, used, bytes.length - used, used)
      used += count
      if (used > maxBytes) throw tooLarge(this.#rel, used, maxBytes)
      // More than the size was asked for and exactly the size came, so this is the end.
      if (count === 0 || (used === this.stat.size && used < bytes.length)) return bytes.subarray(0, used)
      if (used === bytes.length) {
        const wider = new Uint8Array(Math.min(used + Math.max(CHUNK_BYTES, used), maxBytes + 1))
        wider.set(bytes)
        bytes = wider
      }
    }
  }

  async sync(): Promise<void> {
    const fd = this.#fd
    await new Promise<void>((resolve, reject) => {
      fsync(fd, (error) => (error === null ? resolve() : reject(ioFailure(error, 'sync', this.#rel))))
    })
  }

  close(): void {
    if (this.#fd === CLOSED) return
    const last = this.#fd
    this.#fd = CLOSED
    closeReadOnly(last)
  }
}

export function tooLarge(rel: string, size: number, maxBytes: number): Error {
  const where = showPath(rel)
  return failure(
    'limit_exceeded',
    `Cannot read all of ${where}: it has ${size} bytes, and the limit is ${maxBytes}.`,
    { reason: 'LimitsExceeded', path: where, size, limit: maxBytes },
    ['Read part of it.'],
  )
}

/** Takes over the descriptor of a file that was just created. */
export function takeNewFile(taken: number, rel: string): NewFile {
  let fd = taken
  const attempt = <T>(action: string, run: () => T): T => {
    try {
      return run()
    } catch (error) {
      throw ioFailure(error, action, rel)
    }
  }
  return {
    write: (bytes) =>
      attempt('write', () => {
        for (let done = 0; done < bytes.length;) done += writeSync(fd, bytes, done, bytes.length - done)
      }),
    sync: () => attempt('sync', () => fsyncSync(fd)),
    setMode: (mode) => attempt('set the mode of', () => fchmodSync(fd, mode)),
    setOwner: (uid, gid) => attempt('set the owner of', () => fchownSync(fd, uid, gid)),
    stat: () => attempt('inspect', () => fileStat(fstatSync(fd))),
    close: () => {
      if (fd === CLOSED) return
      const last = fd
      fd = CLOSED
      attempt('close', () => closeSync(last))
    },
  }
}
