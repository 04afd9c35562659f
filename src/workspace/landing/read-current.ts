import { ToolFailure } from '../../core/error.ts'
import { identityOf } from '../../host/root/file-stat.ts'
import { digest } from '../../host/system/hash.ts'
import type { Root } from '../../host/root/root.ts'
import type { FileState } from '../../journal/entries/entry.ts'
import { readBytes } from './file-state.ts'

/** A file as it is now. */
export interface CurrentFile {
  readonly state: FileState
  readonly bytes: Uint8Array
  /** See `identityOf`. */
  readonly identity: string
}

/** Reads a regular file of a root; null if there is none, or a larger one. */
export function readCurrent(root: Root, path: string, maxBytes: number): CurrentFile | null {
  try {
    const stat = root.stat(path)
    if (stat?.kind !== 'file' || stat.size > maxBytes) return null
    const bytes = readBytes(root, path, maxBytes)
    const { mode, uid, gid } = stat
    return bytes === null
      ? null
      : { state: { digest: digest(bytes), mode, uid, gid }, bytes, identity: identityOf(stat) }
  } catch (thrown) {
    // A name below one that is a file since, for example.
    if (thrown instanceof ToolFailure) return null
    throw thrown
  }
}
