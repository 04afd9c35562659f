import { ToolFailure } from '../../core/error.ts'
import type { Root } from '../../host/root/root.ts'

/** All of a regular file, or null if it is larger than that. */
export function readSmall(root: Root, rel: string, maxBytes: number): Uint8Array | null {
  const file = root.openFile(rel)
  try {
    return file.stat.size > maxBytes ? null : file.readAll(maxBytes)
  } finally {
    file.close()
  }
}

/** What `read` gives, or null if what it looks at is outside, denied, gone or no file. */
export function unlessRefused<T>(read: () => T): T | null {
  try {
    return read()
  } catch (thrown) {
    if (thrown instanceof ToolFailure && thrown.error.code !== 'resource_exhausted') return null
    throw thrown
  }
}
