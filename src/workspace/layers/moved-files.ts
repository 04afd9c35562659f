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
  const takers = new Map(
    [...going].map(([content, left]) => [content, LIKENESS.map((by) => queue(left, by))]),
  )
  const taken = new Set<HashedChange>()
  for (const at of LIKENESS.keys())
    for (const change of coming) {
      if (moved.has(change)) continue
      const { part, after, afterDigest } = change
      const take = takers.get(`${part.lower.path}\0${after?.kind}\0${afterDigest}`)?.[at]
      const from = take?.(change, taken)
      if (from === undefined) continue
      taken.add(from)
      moved.set(change, from)
    }
  return moved
}

/** What a new file has in common with the removed one that it most likely was, the strongest sign first. */
const LIKENESS: readonly ((change: HashedChange) => string)[] = [
  ({ path }) => nameOf(path),
  ({ path }) => folderOf(path),
  () => '',
]

/** Queues removed files by what they have in common, so that each is looked at once, however many have the same content. */
function queue(left: readonly HashedChange[], by: (change: HashedChange) => string) {
  const queues = Map.groupBy(left, by)
  const heads = new Map<string, number>()
  return (change: HashedChange, taken: ReadonlySet<HashedChange>): HashedChange | undefined => {
    const key = by(change)
    const queued = queues.get(key) ?? []
    for (let head = heads.get(key) ?? 0; head < queued.length; head++) {
      const found = queued[head]
      if (found === undefined || taken.has(found)) continue
      heads.set(key, head + 1)
      return found
    }
    heads.set(key, queued.length)
    return undefined
  }
}

function hasContent(stat: HashedChange['before']): boolean {
  return stat?.kind === 'symlink' || (stat?.kind === 'file' && stat.size > 0)
}
