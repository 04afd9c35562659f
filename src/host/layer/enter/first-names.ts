import type { Layer } from '../../../core/layer.ts'

type Has = (path: string) => boolean

const known = new WeakMap<Layer, Map<string, Has>>()

/** Notes what a root showed before the first process of a layer wrote anything. */
export function noteFirstNames(layer: Layer, root: string, has: Has): void {
  const roots = known.get(layer) ?? new Map<string, Has>()
  known.set(layer, roots.set(root, has))
}

/** Whether a root showed a name then; false if that is not known. */
export function wasThereAtFirst(layer: Layer, root: string, path: string): boolean {
  return known.get(layer)?.get(root)?.(path) ?? false
}
