import { isTakenForBare } from '../../host/git/find-repositories.ts'
import { absoluteOf, partsOf } from '../../host/root/rel-path.ts'
import { placeOf } from '../landing/place-of.ts'
import type { HashedChange } from './file-changes.ts'
import { gitFolderOf } from './judge/git-judge.ts'

/** Where git keeps things in a repository without a work tree; work trees may lie in other folders of it. */
const STORES: ReadonlySet<string> = new Set([
  'objects',
  'refs',
  'logs',
  'reftable',
  'modules',
  'worktrees',
  'lfs',
])

/** A folder of git among what changed. */
export interface GitStore {
  /** For people and models. */
  readonly display: string
}

/**
 * Finds the changes in folders of git, and which of these they are in: references, the index and objects need one another.
 * The outermost folder counts, as submodules and linked work trees are in that of their repository.
 */
export function findStoredByGit(
  changes: readonly HashedChange[],
  displayOf: (change: HashedChange) => string,
): ReadonlyMap<HashedChange, GitStore> {
  const stores = new Map<string, GitStore>()
  const bare = new Map<string, boolean>()
  const isBare = (folder: string): boolean => {
    const known = bare.get(folder) ?? isTakenForBare(folder)
    bare.set(folder, known)
    return known
  }

  const found = new Map<HashedChange, GitStore>()
  for (const change of changes) {
    const top = change.part.lower.path
    const git =
      gitFolderOf(change.path) ?? bareFolderOf(change.path, (folder) => isBare(absoluteOf(top, folder)))
    if (git === null) continue
    const place = placeOf(top, git)
    const store = stores.get(place) ?? { display: displayOf({ ...change, path: git }) || '.' }
    stores.set(place, store)
    found.set(change, store)
  }
  return found
}

/** The outermost repository without a work tree that a path is a part of. */
function bareFolderOf(path: string, isBare: (folder: string) => boolean): string | null {
  const parts = partsOf(path)
  for (const [at, name] of parts.entries()) {
    const folder = parts.slice(0, at).join('/')
    if ((at === parts.length - 1 || STORES.has(name)) && isBare(folder)) return folder
  }
  return null
}
