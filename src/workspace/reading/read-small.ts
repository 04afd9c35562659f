import { ToolFailure } from '../../core/error.ts'
import type { PeekedStart } from '../../core/powers.ts'
import type { Root } from '../../host/root/root.ts'

/** All of a regular file, or null if it is larger than the limit. */
export function readSmall(root: Root, rel: string, maxBytes: number): Uint8Array | null {
  const file = root.openFile(rel)
  try {
    return file.stat.size > maxBytes ? null : file.readAll(maxBytes)
  } finally {
    file.close()
  }
}

/** The beginning of a regular file. */
export function readStart(root: Root, rel: string, maxBytes: number): PeekedStart {
  const file = root.openFile(rel)
  try {
    const bytes = new Uint8Array(Math.min(file.stat.size, maxBytes))
    let have = 0
    for (let got = -1; got !== 0 && have < bytes.length; have += got)
      got = file.read(bytes, have, bytes.length - have, have)
    return { is: 'read', bytes: bytes.subarray(0, have), isWhole: file.stat.size <= maxBytes }
  } finally {
    file.close()
  }
}

/** The result of `read`, or null if the path is outside, denied, gone or not a file. */
export function unlessRefused<T>(read: () => T): T | null {
  try {
    return read()
  } catch (thrown) {
    if (thrown instanceof ToolFailure && thrown.error.code !== 'resource_exhausted') return null
    throw thrown
  }
}
