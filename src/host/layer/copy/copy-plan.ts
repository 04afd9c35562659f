import { folderOf } from '../../root/rel-path.ts'
import type { Root } from '../../root/root.ts'
import type { RootLook } from '../enter/look.ts'

/** What of a root is copied for a layer, and how much that is. */
export interface CopyPlan {
  readonly bytes: number
  /** Every file, link and folder that the copy gets. */
  readonly names: readonly string[]
  /** Those that are copied with everything in them. */
  readonly whole: readonly string[]
  /** Folders in which something is left out, a folder before those in it. */
  readonly partial: readonly string[]
}

/** How much is copied at most. */
export interface CopyLimits {
  readonly maxBytes: number
  readonly maxFiles: number
}

/** A root that is too large to be copied; the message is the end of a sentence. */
export class TooLarge extends Error {}

/**
 * Plans a copy of a root without what is hidden, what is mounted below it, and what is neither a file, a link nor a folder;
 * throws as soon as it is clear that it is over a limit.
 */
export function planCopy(
  root: Root,
  { masks, holes }: Pick<RootLook, 'masks' | 'holes'>,
  limits: CopyLimits,
): CopyPlan {
  const leftOut = new Set([...masks, ...holes].map(({ path }) => path))
  const partial = new Set([''])
  const openAbove = (path: string): void => {
    for (let at = folderOf(path); !partial.has(at); at = folderOf(at)) partial.add(at)
  }
  for (const path of leftOut) openAbove(path)
  const names: string[] = []
  const folders: string[] = []
  let bytes = 0
  root.walk('', (entry) => {
    const { exactPath: path, kind } = entry
    if (leftOut.has(path)) return 'pass'
    if (kind === 'other' || kind === 'unknown') {
      openAbove(path)
      return 'pass'
    }
    names.push(path)
    if (kind === 'dir') folders.push(path)
    const stat = kind === 'file' ? entry.stat() : null
    if (stat !== null && !('fault' in stat)) bytes += stat.size
    if (bytes > limits.maxBytes)
      throw new TooLarge(`it is larger than ${limits.maxBytes} bytes (tools.shell.layer_copy_max_bytes)`)
    if (names.length > limits.maxFiles) throw new TooLarge(`it has more than ${limits.maxFiles} files`)
    return 'enter'
  })
  return {
    bytes,
    names,
    whole: names.filter((path) => partial.has(folderOf(path)) && !partial.has(path)),
    partial: folders.filter((path) => partial.has(path)),
  }
}
