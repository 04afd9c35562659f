import type { FileChange } from '../../journal/entries/entry.ts'
import { isAboutFile } from '../../journal/folds/net-changes.ts'
import { isSameContent } from '../../workspace/landing/file-state.ts'
import { placeOf } from '../../workspace/landing/place-of.ts'

/** What a revert did to a file. */
export type RevertAction = 'restored' | 'removed' | 'recreated' | 'merged'

type Change = Pick<FileChange, 'root' | 'path' | 'before' | 'after'>

/** What a revert that merges nothing does to a file. */
export function actionOf({ before, after }: Pick<FileChange, 'before' | 'after'>): RevertAction {
  if (after === null) return 'removed'
  return before === null ? 'recreated' : 'restored'
}

/** What an undo or redo on record did to a file; `undone` is what the undone calls had changed, oldest first. */
export function recordedAction(change: Change, undone: readonly Change[]): RevertAction {
  const own = undone.filter(({ root, path }) => placeOf(root, path) === placeOf(change.root, change.path))
  const [oldest, newest] = [own[0], own.at(-1)]
  const action = actionOf(change)
  if (oldest === undefined || newest === undefined || action !== 'restored' || !isAboutFile(change))
    return action
  const isExact = isSameContent(change.before, newest.after) && isSameContent(change.after, oldest.before)
  return isExact ? action : 'merged'
}
