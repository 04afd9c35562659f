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
  return {
    find,
    read(file) {
      const cached = find(file.stat)
      if (cached !== null) return cached
      const key = keyOf(file.stat)
      const stamp = fileStampOf(file.stat)
      const digest = hashFile(file)
      known.delete(key)
      if (stamp === null) return { digest, stamp }
      const [oldest] = known.size >= MAX_KNOWN ? known.keys() : []
      if (oldest !== undefined) known.delete(oldest)
      known.set(key, { digest, stamp })
      return { digest, stamp }
    },
  }
}

function keyOf({ dev, ino }: FileStat): string {
  return `${dev}:${ino}`
}
