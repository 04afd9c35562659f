import { fileStampOf, matchesStamp } from '../../host/root/file-stat.ts'
import type { FileStamp } from '../../host/root/file-stat.ts'
import { hashFile } from '../../host/root/hash-file.ts'
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
  /** Takes what was hashed elsewhere; the metadata are from before it was read. */
  readonly note: (stat: FileStat, digest: Digest) => void
}

/** As many files as one command may change. */
const MAX_KNOWN = 200_000

/** Creates the cache. */
export function createDigestCache(): DigestCache {
  /** By device and inode. */
  const known = new Map<string, { readonly digest: Digest; readonly stamp: FileStamp }>()
  const note = (stat: FileStat, digest: Digest): FileStamp | null => {
    const key = `${stat.dev}:${stat.ino}`
    const stamp = fileStampOf(stat)
    known.delete(key)
    if (stamp === null) return null
    const [oldest] = known.size >= MAX_KNOWN ? known.keys() : []
    if (oldest !== undefined) known.delete(oldest)
    known.set(key, { digest, stamp })
    return stamp
  }
  return {
    note,
    read(file) {
      const key = `${file.stat.dev}:${file.stat.ino}`
      const cached = known.get(key)
      if (cached !== undefined && matchesStamp(cached.stamp, file.stat)) return cached
      const { stat } = file
      const digest = hashFile(file)
      return { digest, stamp: note(stat, digest) }
    },
  }
}
