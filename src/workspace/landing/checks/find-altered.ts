import { ToolFailure } from '../../../core/error.ts'
import type { FileChange } from '../../../journal/entries/entry.ts'
import type { LookOptions } from '../change-status.ts'
import { isSameContent, readState } from '../file-state.ts'
import { freedPlaces, isLeaf } from '../contents/held.ts'
import { placeOf } from '../place-of.ts'

/**
 * Finds the first change whose held content is gone or is not what the change says; yields after each file. What is moved
 * away first is not held yet.
 */
export function* findAltered(
  changes: readonly FileChange[],
  compared: 'content' | 'mode too',
  { held, digests }: Pick<LookOptions, 'held' | 'digests'>,
): Generator<null, FileChange | null> {
  const freed = freedPlaces(changes)
  const isAsSaid = ({ root, after }: FileChange): boolean => {
    if (!isLeaf(after) || after.held === undefined || freed.has(placeOf(root, after.held))) return true
    const spot = held.find(root, after.held)
    if (spot === null) return false
    try {
      const found = readState(spot.root, spot.rel, digests)
      if (!isSameContent(found, after)) return false
      return compared === 'content' || after.kind === 'link' || found?.stat.mode === after.mode
    } catch (thrown) {
      if (thrown instanceof ToolFailure) return false
      throw thrown
    }
  }
  for (const change of changes) {
    if (!isAsSaid(change)) return change
    yield null
  }
  return null
}
