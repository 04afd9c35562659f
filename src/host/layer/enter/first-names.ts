import type { Layer } from '../../../core/layer.ts'

/** What a root showed before the first process of a layer wrote anything. */
export interface FirstNames {
  readonly has: (path: string) => boolean
  /** Device and inode of a folder; null if there was none. */
  readonly folderAt: (path: string) => string | null
}

const known = new WeakMap<Layer, Map<string, FirstNames>>()

/** Notes what a root showed before the first process of a layer wrote anything. */
export function noteFirstNames(layer: Layer, root: string, names: FirstNames): void {
  const roots = known.get(layer) ?? new Map<string, FirstNames>()
  known.set(layer, roots.set(root, names))
}

/** What a root showed then; null if that is not known. */
export function firstNamesOf(layer: Layer, root: string): FirstNames | null {
  return known.get(layer)?.get(root) ?? null
}
