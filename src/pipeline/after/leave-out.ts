import { posix } from 'node:path'
import type { FileChange } from '../../journal/entries/entry.ts'
import { isFolder, isLeaf } from '../../workspace/landing/contents/held.ts'
import { FOLDER_DIGEST } from '../../workspace/landing/file-state.ts'

/** The changes of a call that are undone, and those that are left. */
export interface Divided {
  readonly undone: readonly FileChange[]
  readonly left: readonly FileChange[]
}

/**
 * Leaves files out of the changes of a call, and the folders that the call made for them, also in the place of something
 * else. With what took the place of a folder, all that was in the folder is left out; with a file that was moved away, the
 * name it has now, or else its content would be gone from both.
 */
export function leaveOut(changes: readonly FileChange[], named: ReadonlySet<string>): Divided {
  if (named.size === 0) return { undone: changes, left: [] }
  const except = new Set([...named, ...findTargets(changes, named)])
  const replaced = changes
    .filter(({ before, after }) => isFolder(before) && isLeaf(after))
    .map(({ root, path }) => posix.join(root, path))
    .filter((place) => except.has(place))
  const isLeft = ({ root, path, before, after }: FileChange): boolean => {
    const place = posix.join(root, path)
    if (except.has(place) || replaced.some((folder) => place.startsWith(`${folder}/`))) return true
    return !isFolder(before) && isFolder(after) && [...except].some((one) => one.startsWith(`${place}/`))
  }
  return { undone: changes.filter((change) => !isLeft(change)), left: changes.filter(isLeft) }
}

/** Where files went that are left out, by their contents. An empty one need not have gone anywhere. */
function findTargets(changes: readonly FileChange[], named: ReadonlySet<string>): readonly string[] {
  const gone = new Set(
    changes.flatMap(({ root, path, before, after }) =>
      after === null && isLeaf(before) && named.has(posix.join(root, path)) ? [before.digest] : [],
    ),
  )
  gone.delete(FOLDER_DIGEST)
  return changes
    .filter(({ before, after }) => before === null && isLeaf(after) && gone.has(after.digest))
    .map(({ root, path }) => posix.join(root, path))
}

/** Names of files as people write them, as absolute paths; those that no change is about are named as they were written. */
export function resolveFiles(
  names: readonly string[],
  changes: readonly FileChange[],
  root: string,
): { readonly places: ReadonlySet<string>; readonly unknown: readonly string[] } {
  const changed = new Set(changes.map((change) => posix.join(change.root, change.path)))
  const places = new Set<string>()
  const unknown: string[] = []
  for (const name of names) {
    const place = posix.resolve(root, name)
    if (changed.has(place)) places.add(place)
    else unknown.push(name)
  }
  return { places, unknown }
}
