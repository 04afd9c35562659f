import { ownerAfter } from '../../../host/fs/owner.ts'
import type { FileChange } from '../../../journal/entries/entry.ts'
import { isLeaf } from './held.ts'

/** The files that come back with another owner than they had, because only root can give files to others. What is held is moved, and keeps its owner. */
export function findForeign(changes: readonly FileChange[]): readonly FileChange[] {
  return changes.filter(
    ({ before, after }) =>
      before === null && isLeaf(after) && after.held === undefined && ownerAfter(after).uid !== after.uid,
  )
}
