import { folderOf, nameOf } from '../../host/root/rel-path.ts'
import type { HashedChange } from './file-changes.ts'

/**
 * Which removed file or link each new one was: the one with the same content, of the same name if there are several.
 * Layers only tell of whole folders that were moved. Empty files are too much alike for that.
 */
export function findMoved(changes: readonly HashedChange[]): ReadonlyMap<HashedChange, HashedChange> {
  const going = Map.groupBy(
    changes.filter(({ before, after }) => after === null && hasContent(before)),
    ({ part, before, beforeDigest }) => `${part.lower.path}\0${before?.kind}\0${beforeDigest}`,
  )
  const moved = new Map<HashedChange, HashedChange>()
  if (going.size === 0) return moved
  const coming = changes.filter(({ before, after }) => before === null && hasContent(after))
  const matches = [
    ({ path: to }: HashedChange, { path: from }: HashedChange) => nameOf(to) === nameOf(from),
    ({ path: to }: HashedChange, { path: from }: HashedChange) => folderOf(to) === folderOf(from),
    () => true,
  ]
  for (const isLikely of matches)
    for (const change of coming) {
      if (moved.has(change)) continue
      const { part, after, afterDigest } = change
      const left = going.get(`${part.lower.path}\0${after?.kind}\0${afterDigest}`) ?? []
      const at = left.findIndex((other) => isLikely(change, other))
      const [from] = at === -1 ? [] : left.splice(at, 1)
      if (from !== undefined) moved.set(change, from)
    }
  return moved
}

function hasContent(stat: HashedChange['before']): boolean {
  return stat?.kind === 'symlink' || (stat?.kind === 'file' && stat.size > 0)
}
