import { ToolFailure } from '../../../core/error.ts'
import { absoluteOf, folderOf, joinRel, nameOf } from '../../../host/root/rel-path.ts'
import type { Root } from '../../../host/root/root.ts'
import { statOrNull } from '../../../host/root/stat-plain.ts'
import type { FileChange } from '../../../journal/entries/entry.ts'
import { isLeaf } from '../contents/held.ts'
import { placeOf } from '../place-of.ts'
import type { BorrowersOf } from './borrowers.ts'

const OBJECT =
  /^(?<git>.*?\/?)objects\/(?:[0-9a-f]{2}\/[0-9a-f]{38,62}|pack\/(?:pack-|multi-pack-index)[^/]*|info\/(?:packs|commit-graphs?)(?:\/[^/]*)?)$/
/** More files than this beside its objects are not looked at: the repository then counts as changed. */
const MOST_LOOKED_AT = 100_000

/** The folder of git in which a file is one of the objects, by its name; null if it is none. */
export function repositoryOfObject(path: string): string | null {
  const git = OBJECT.exec(path)?.groups?.['git']
  return git === undefined ? null : git.replace(/\/$/, '')
}

/** Objects of one repository that git may need by now, and what changed there since. */
interface NeededObjects {
  readonly root: string
  readonly objects: readonly FileChange[]
  readonly changed: string
}

/**
 * The objects of git among the files that changes remove, as far as git may need them by now. An object has no owner: what
 * was committed, staged or tagged since may share it, although the file itself is as it was. So they are all needed if
 * anything else in their repository, or in one in the roots that borrows its objects, changed since they came, except by way
 * of these changes, or if git has used one of them for something that it was to store: then it gives the object a new time,
 * also from a repository that borrows it.
 */
export function findNeededObjects(
  changes: readonly FileChange[],
  sinceMs: number,
  rootOf: (path: string) => Root,
  borrowersOf: BorrowersOf = () => [],
): readonly NeededObjects[] {
  const removed = Map.groupBy(
    changes.filter(
      ({ path, before, after }) => after === null && isLeaf(before) && repositoryOfObject(path) !== null,
    ),
    ({ root, path }) => placeOf(root, repositoryOfObject(path) ?? ''),
  )
  const covered = new Set(removed.size === 0 ? [] : changes.map(({ root, path }) => placeOf(root, path)))
  return [...removed.values()].flatMap((objects) => {
    const [{ root, path } = { root: '', path: '' }] = objects
    const repository = { root: rootOf(root), git: repositoryOfObject(path) ?? '' }
    const changed =
      findUsed(objects, sinceMs, repository) ??
      findChange(repository, sinceMs, covered) ??
      findBorrowed(repository, sinceMs, { covered, rootOf, borrowersOf })
    return changed === null ? [] : [{ root, objects, changed }]
  })
}

/** What changed since in a repository that borrows the objects of another: it may name them without a trace in the other. */
function findBorrowed(
  { root, git }: Repository,
  sinceMs: number,
  {
    covered,
    rootOf,
    borrowersOf,
  }: {
    readonly covered: ReadonlySet<string>
    readonly rootOf: (path: string) => Root
    readonly borrowersOf: BorrowersOf
  },
): string | null {
  const borrowers = borrowersOf(absoluteOf(root.path, joinRel(git, 'objects')))
  if (borrowers === null) return git
  for (const borrower of borrowers) {
    const changed = findChange({ root: rootOf(borrower.root), git: borrower.git }, sinceMs, covered)
    if (changed !== null) return changed
  }
  return null
}

interface Repository {
  readonly root: Root
  readonly git: string
}

/** The first of some objects that git has used since. */
function findUsed(objects: readonly FileChange[], sinceMs: number, { root }: Repository): string | null {
  const used = objects.find(({ path }) => (statOrNull(root, path)?.modifiedMs ?? -Infinity) >= sinceMs)
  return used?.path ?? null
}

/** The first file of a repository that is not a loose object or `covered`, and changed since; null if there is none. */
function findChange({ root, git }: Repository, sinceMs: number, covered: ReadonlySet<string>): string | null {
  const objects = joinRel(git, 'objects')
  /** There may be many of them; what is in them says nothing about what is needed. */
  const isLoose = (path: string): boolean => folderOf(path) === objects && /^[0-9a-f]{2}$/.test(nameOf(path))
  try {
    if (root.stat(joinRel(git, 'HEAD')) === null) return null
    let looked = 0
    let changed: string | null = null
    root.walk(git, (entry) => {
      const path = joinRel(git, entry.exactPath)
      if (entry.kind === 'dir') return isLoose(path) ? 'pass' : 'enter'
      if (covered.has(placeOf(root.path, path))) return 'pass'
      const found = entry.stat()
      const isNew = ++looked > MOST_LOOKED_AT || !('changedMs' in found) || found.changedMs >= sinceMs
      if (isNew) changed = path
      return isNew ? 'stop' : 'pass'
    })
    return changed
  } catch (thrown) {
    // What cannot be looked at may have changed.
    if (thrown instanceof ToolFailure) return git
    throw thrown
  }
}
