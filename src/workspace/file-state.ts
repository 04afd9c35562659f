import { digest } from '../host/hash.ts'
import type { FileStat, Root } from '../host/root/root.ts'

/** What is in a file right now. */
export interface CurrentState {
  readonly digest: string
  readonly stat: FileStat
  readonly bytes: Uint8Array
}

/** Reads and hashes a file, or gives null where there is none. Anything that is no regular file fails. */
export function readState(root: Root, rel: string, maxBytes: number): CurrentState | null {
  if (root.stat(rel) === null) return null
  const file = root.openFile(rel)
  try {
    const bytes = file.readAll(maxBytes)
    return { digest: digest(bytes), stat: file.stat, bytes }
  } finally {
    file.close()
  }
}
