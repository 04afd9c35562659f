import type { Root } from '../../host/root/root.ts'
import type { Target } from './change-status.ts'

/** Folders that new files need, outermost first; one file may name a folder for all files in it. */
export function needed(targets: readonly Target[]): readonly (readonly [Root, string])[] {
  return targets
    .filter(({ change }) => change.after !== null)
    .flatMap(({ change, root }) => change.folders.map((folder) => [root, folder] as const))
    .toSorted(([, one], [, other]) => one.length - other.length)
}

/** Folders that were created for files that are now removed, innermost first. */
export function emptied(targets: readonly Target[]): readonly (readonly [Root, string])[] {
  const removed = targets.filter(({ change }) => change.after === null)
  return removed
    .flatMap(({ change, root }) => change.folders.map((folder) => [root, folder] as const))
    .toSorted(([, one], [, other]) => other.split('/').length - one.split('/').length)
}
