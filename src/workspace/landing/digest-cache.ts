import { fileStampOf, matchesStamp } from '../../host/root/file-stat.ts'
import type { FileStamp } from '../../host/root/file-stat.ts'
import { hashFile } from '../../host/root/hash-file.ts'
import { systemClock } from '../../host/system/clock.ts'
import type { FileStat, OpenFile } from '../../host/root/root.ts'
import type { Digest } from '../../journal/entries/entry.ts'

/** What a regular file holds. */
export interface HashedFile {
  readonly digest: Digest
  /** Null if only reading it again could show a change. */
  readonly stamp: FileStamp | null
}

/** Hashes files; one that is unchanged is not read again. */
export interface DigestCache {
  readonly read: (file: OpenFile) => HashedFile
  /** Takes what was hashed elsewhere; the metadata, and the time in epoch milliseconds, are from before it was read. */
  readonly note: (stat: FileStat, digest: Digest, sinceMs: number) => void
  /** What a file is known to hold by its stat alone; null if it has to be read. */
  readonly find: (stat: FileStat) => HashedFile | null
}

/** As many files as one command may change. */
const MAX_KNOWN = 200_000

/** Creates the cache. */
export function createDigestCache(): DigestCache {
  /** By device and inode. */
  const known = new Map<string, { readonly digest: Digest; readonly stamp: FileStamp }>()
  const find: DigestCache['find'] = (stat) => {
    const cached = known.get(keyOf(stat))
    return cached !== undefined && matchesStamp(cached.stamp, stat) ? cached : null
  }
  const note = (stat: FileStat, digest: Digest, sinceMs: number): FileStamp | null => {
    const key = keyOf(stat)
    const stamp = fileStampOf(stat, sinceMs)
    known.delete(key)
    if (stamp === null) return null
    const [oldest] = known.size >= MAX_KNOWN ? known.keys() : []
    if (oldest !== undefined) known.delete(oldest)
    known.set(key, { digest, stamp })
    return stamp
  }
  return {
    find,
    note,
    read(file) {
      const { stat } = file
      const cached = find(stat)
      if (cached !== null) return cached
      const sinceMs = systemClock.now()
      const digest = hashFile(file)
      return { digest, stamp: note(stat, digest, sinceMs) }
    },
  }
}

function keyOf({ dev, ino }: FileStat): string {
  return `${dev}:${ino}`
}
