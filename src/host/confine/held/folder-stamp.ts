import { lstatSync } from 'node:fs'
import type { BigIntStats } from 'node:fs'

/** Changes whenever a name in a folder is added or removed, and cannot be set back. */
export interface FolderStamp {
  readonly text: string
  /** Epoch milliseconds of the last change. */
  readonly changedMs: number
  /** False for a link to a folder. */
  readonly isFolder: boolean
}

/** The stamp of a folder, or null if there is none. */
export function folderStamp(path: string): FolderStamp | null {
  try {
    return stampOf(lstatSync(path, { bigint: true }))
  } catch {
    return null
  }
}

/** The stamp of what was found. */
export function stampOf(found: BigIntStats): FolderStamp {
  const { ino, dev, ctimeNs, mtimeNs, ctimeMs } = found
  return {
    text: `${dev}:${ino}:${ctimeNs}:${mtimeNs}`,
    changedMs: Number(ctimeMs),
    isFolder: found.isDirectory(),
  }
}
