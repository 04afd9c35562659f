import { Buffer } from 'node:buffer'
import { failure } from '../../core/error.ts'
import { digest } from '../../host/system/hash.ts'
import type { FileStat, Root } from '../../host/root/root.ts'
import { matchesStamp } from '../../host/root/file-stat.ts'
import type { FileStamp } from '../../host/root/file-stat.ts'
import type { Spot } from '../../host/root/move-name.ts'
import { openOwn, reachOwn } from '../../host/root/open-own.ts'
import { systemName } from '../../host/root/exact-name.ts'
import { readLink } from '../../host/layer/same-content.ts'
import type { Digest, FileState } from '../../journal/entries/entry.ts'
import type { DigestCache } from './digest-cache.ts'

/** What a name is expected to hold; null stands for nothing. */
export interface Expected {
  /** A regular file if absent. */
  readonly kind?: FileState['kind']
  readonly digest: Digest
  readonly stamp: FileStamp | null
}

/** What is at a name right now. */
export interface CurrentState extends Expected {
  readonly stat: FileStat
}

/** The content of a folder, as far as changes record it. */
export const FOLDER_DIGEST = digest('')

/** The digest of where a link points. */
export function linkDigest(target: string): Digest {
  const name = systemName(target)
  return digest(typeof name === 'string' ? name : new Uint8Array(name))
}

/**
 * Looks at a name and hashes what it holds; null if there is nothing. Fails for what is no file, link or folder. What is
 * closed to its owner says nothing about who changed it, so it is opened for the look. `seen` is what has the name, if it
 * was looked at just now.
 */
export function readState(
  root: Root,
  rel: string,
  digests: DigestCache,
  seen?: FileStat,
): CurrentState | null {
  return reachOwn({ root, rel }, () => stateAt(root, rel, digests, seen ?? root.stat(rel)))
}

function stateAt(root: Root, rel: string, digests: DigestCache, stat: FileStat | null): CurrentState | null {
  if (stat === null) return null
  if (stat.kind === 'dir') return { kind: 'folder', digest: FOLDER_DIGEST, stat, stamp: null }
  if (stat.kind === 'symlink')
    return { kind: 'link', digest: linkDigest(readLink(root, rel)), stat, stamp: null }
  const known = digests.find(stat)
  if (known !== null) return { ...known, stat }
  const file = openOwn(root, rel)
  try {
    return { ...digests.read(file), stat: file.stat }
  } finally {
    file.close()
  }
}

/** Reads all of a file; null if there is none. */
export function readBytes(root: Root, rel: string, maxBytes: number): Uint8Array | null {
  if (root.stat(rel) === null) return null
  const file = root.openFile(rel)
  try {
    return file.readAll(maxBytes)
  } finally {
    file.close()
  }
}

/** Whether two states are of one kind and hold the same. */
export function isSameContent(
  one: Pick<Expected, 'kind' | 'digest'> | null,
  other: Pick<Expected, 'kind' | 'digest'> | null,
): boolean {
  return one?.digest === other?.digest && one?.kind === other?.kind
}

/** Whether a name still holds what is expected. If the stamp matches, it is not read again. */
export function isAsExpected(
  root: Root,
  rel: string,
  expected: Expected | null,
  limits: LookLimits,
): boolean {
  return isAsExpectedAt(root.stat(rel), { root, rel }, expected, limits)
}

/** How much of a file is read to compare it. */
export interface LookLimits {
  readonly digests: DigestCache
  readonly maxBytes: number
}

/** The same for a name that was looked at just now. */
export function isAsExpectedAt(
  now: FileStat | null,
  { root, rel }: Spot,
  expected: Expected | null,
  { digests, maxBytes }: LookLimits,
): boolean {
  if (expected === null || now === null) return expected === now
  if (expected.stamp !== null && matchesStamp(expected.stamp, now)) return true
  if (now.kind === 'file' && now.size > maxBytes) return false
  return isSameContent(readState(root, rel, digests), expected)
}

/** The failure for a file that changed while a call was working on it; further files are named with it. */
export function staleFile(display: string, files: readonly string[] = []): Error {
  const message = 'File content changed since last read'
  const details = { file: display, reason: message, ...(files.length > 1 ? { files: [...files] } : {}) }
  return failure('stale_file', message, details, ['It changed while this call was running; read it again.'])
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
