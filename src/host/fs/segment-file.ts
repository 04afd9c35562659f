import * as fs from 'node:fs'
import { dirname } from 'node:path'
import { crc32 } from 'node:zlib'
import { errnoOf } from './errno.ts'
import { syncFolder } from './private-files.ts'

const FILE_MODE = 0o600

/**
 * A file is filled in pieces of this size. Linux keeps what one write fills in pages as large as the write, and each
 * later write looks at all blocks of its page: in a page of two megabytes that takes longer than the rest of it.
 */
const PIECE_BYTES = 64 * 1024

/** A file of fixed size that one process writes at places of its choice. */
export interface SegmentFile {
  /** Writes all of these bytes at a place. */
  readonly write: (bytes: Uint8Array, at: number) => void
  readonly sync: () => void
  /** Whether the file still has its name. */
  readonly isInPlace: () => boolean
  readonly size: () => number
  readonly close: () => void
}

/** Creates a file with this content, which nobody but its owner can read; file and name are on disk when this returns. */
export function createSegmentFile(path: string, content: Uint8Array): SegmentFile {
  const fd = fs.openSync(path, 'wx+', FILE_MODE)
  try {
    fs.fchmodSync(fd, FILE_MODE)
    writeAll(fd, content, 0)
    fs.fsyncSync(fd)
    syncFolder(dirname(path))
  } catch (error) {
    fs.closeSync(fd)
    fs.rmSync(path, { force: true })
    throw error
  }
  return fileOf(fd)
}

/** Opens such a file of another process, to overwrite what nobody needs any more; null if it is gone. */
export function openSegmentFile(path: string): SegmentFile | null {
  try {
    return fileOf(fs.openSync(path, 'r+'))
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return null
    throw error
  }
}

/** Gives a file another name in the same folder. */
export function renameFile(from: string, to: string): void {
  fs.renameSync(from, to)
}

/** A checksum that finds torn and damaged bytes; it does not protect against people. */
export function checksum(bytes: Uint8Array, seed = 0): number {
  return crc32(bytes, seed)
}

function fileOf(fd: number): SegmentFile {
  return {
    write: (bytes, at) => writeAll(fd, bytes, at),
    sync: () => fs.fdatasyncSync(fd),
    isInPlace: () => fs.fstatSync(fd).nlink > 0,
    size: () => fs.fstatSync(fd).size,
    close: () => fs.closeSync(fd),
  }
}

function writeAll(fd: number, bytes: Uint8Array, at: number): void {
  for (let done = 0; done < bytes.length;)
    done += fs.writeSync(fd, bytes, done, Math.min(bytes.length - done, PIECE_BYTES), at + done)
}
