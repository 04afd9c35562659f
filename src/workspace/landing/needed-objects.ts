import { ToolFailure } from '../../core/error.ts'
import { joinRel } from '../../host/root/rel-path.ts'
import type { Root } from '../../host/root/root.ts'
import { statOrNull } from '../../host/root/stat-plain.ts'
import type { FileChange } from '../../journal/entries/entry.ts'
import { isLeaf } from './contents/held.ts'
import { placeOf } from './place-of.ts'

const OBJECT =
  /^(?<git>.*?\/?)objects\/(?:[0-9a-f]{2}\/[0-9a-f]{38,62}|pack\/(?:pack-|multi-pack-index)[^/]*|info\/(?:packs|commit-graphs?)(?:\/[^/]*)?)$/
/** Folders of objects, of which there may be many; what is in them says nothing about what is needed. */
const LOOSE = /(?:^|\/)objects\/[0-9a-f]{2}$/
/** More files than this beside its objects are not looked at: the repository then counts as changed. */
const MOST_LOOKED_AT = 100_000

/** The folder of git in which a file is one of the objects, by its name; null if it is none. */
export function repositoryOfObject(path: string): string | null {
  const git = OBJECT.exec(path)?.groups?.['git']
  return git === undefined ? null : git.replace(/\/$/, '')
}

/**
 * The objects of git among the files that changes remove, as far as git may need them by now. An object has no owner: what
 * was committed, staged or tagged since may share it, although the file itself is as it was. So they are all needed if
 * anything else in their repository changed since they came, except by way of these changes.
 */
export function findNeededObjects(
  changes: readonly FileChange[],
  rootOf: (path: string) => Root,
): ReadonlySet<string> {
  const removed = Map.groupBy(
    changes.filter(
      ({ path, before, after }) => after === null && isLeaf(before) && repositoryOfObject(path) !== null,
    ),
    ({ root, path }) => placeOf(root, repositoryOfObject(path) ?? ''),
  )
  const covered = new Set(changes.map(({ root, path }) => placeOf(root, path)))
  const needed = new Set<string>()
  for (const objects of removed.values()) {
    const [{ root, path } = { root: '', path: '' }] = objects
    if (hasChangedSince(rootOf(root), repositoryOfObject(path) ?? '', objects, covered))
      for (const one of objects) needed.add(placeOf(one.root, one.path))
  }
  return needed
}

/** Whether anything of a repository but its loose objects, and what is `covered`, is newer than the oldest of some objects. */
function hasChangedSince(
  root: Root,
  git: string,
  objects: readonly FileChange[],
  covered: ReadonlySet<string>,
): boolean {
  try {
    const came = objects.flatMap(({ path }) => statOrNull(root, path)?.changedMs ?? [])
    const since = came.reduce((one, other) => Math.min(one, other), Infinity)
    if (since === Infinity || root.stat(joinRel(git, 'HEAD')) === null) return false
    let looked = 0
    let hasChanged = false
    root.walk(git, (entry) => {
      const path = joinRel(git, entry.exactPath)
      if (entry.kind === 'dir') return LOOSE.test(path) ? 'pass' : 'enter'
      if (covered.has(placeOf(root.path, path))) return 'pass'
      const found = entry.stat()
      hasChanged = ++looked > MOST_LOOKED_AT || !('changedMs' in found) || found.changedMs >= since
      return hasChanged ? 'stop' : 'pass'
    })
    return hasChanged
  } catch (thrown) {
    // What cannot be looked at may have changed.
    if (thrown instanceof ToolFailure) return true
    throw thrown
  }
}
