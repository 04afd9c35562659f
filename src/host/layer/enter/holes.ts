import { exactName } from '../../root/exact-name.ts'
import { relativeTo } from '../../root/rel-path.ts'
import { mountPointsBelow } from '../mounts.ts'

/** The folders below a root that are no part of its layers, relative to it, and whether commands write there at once. */
export function findHoles(root: string, passthrough: readonly string[]): ReadonlyMap<string, boolean> {
  const holes = new Map(
    mountPointsBelow(root).map((path) => [relativeTo(root, exactName(path)) ?? '', false]),
  )
  for (const path of passthrough) holes.set(relativeTo(root, path) ?? '', true)
  holes.delete('')
  return holes
}
