import { Buffer } from 'node:buffer'
import { failure } from '../../core/error.ts'
import { digest } from '../../host/system/hash.ts'
import type { FileStat, Root } from '../../host/root/root.ts'
import { matchesStamp, fileStampOf } from '../../host/root/file-stat.ts'
import type { FileStamp } from '../../host/root/file-stat.ts'

/** What is in a file right now. */
export interface CurrentState {
  readonly digest: string
  readonly stat: FileStat
  readonly bytes: Uint8Array
  readonly stamp: FileStamp | null
}

/** Reads and hashes a file, or returns null if there is none. Fails for anything but a regular file. */
export function readState(root: Root, rel: string, maxBytes: number): CurrentState | null {
  if (root.stat(rel) === null) return null
  const file = root.openFile(rel)
  try {
    const stamp = fileStampOf(file.stat)
    const bytes = file.readAll(maxBytes)
    return { digest: digest(bytes), stat: file.stat, bytes, stamp }
  } finally {
    file.close()
  }
}

/** What a file is expected to hold; null stands for no such file. */
export interface Expected {
  readonly digest: string
  readonly stamp: FileStamp | null
}

/** Whether a file is still as expected. If the stamp matches, it is not read again. */
export function isAsExpected(root: Root, rel: string, expected: Expected | null, maxBytes: number): boolean {
  const now = root.stat(rel)
  if (expected === null || now === null) return expected === now
  if (expected.stamp !== null && matchesStamp(expected.stamp, now)) return true
  return readState(root, rel, maxBytes)?.digest === expected.digest
}

/** The failure for a file that changed while a call was working on it. */
export function staleFile(display: string): Error {
  const message = 'File content changed since last read'
  return failure('stale_file', message, { file: display, reason: message }, [
    'It changed while this call was running; read it again.',
  ])
}

/** The smallest unit that disks write. */
const SECTOR_BYTES = 512

/**
 * Whether some bytes are what a power cut leaves of a write: cut short, or with zeros in place of sectors that did not
 * reach the disk. False for the complete bytes and for anything else.
 */
export function isTorn(found: Uint8Array, wanted: Uint8Array): boolean {
  if (found.length > wanted.length) return false
  let isWhole = found.length === wanted.length
  for (let at = 0; at < found.length; at += SECTOR_BYTES) {
    const end = Math.min(at + SECTOR_BYTES, found.length)
    const sector = found.subarray(at, end)
    if (Buffer.compare(sector, wanted.subarray(at, end)) === 0) continue
    if (sector.some((byte) => byte !== 0)) return false
    isWhole = false
  }
  return !isWhole
}
