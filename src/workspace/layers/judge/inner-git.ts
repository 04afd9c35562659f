import { isBelow } from '../../../host/confine/mount.ts'
import { joinRel, partsOf } from '../../../host/root/rel-path.ts'
import type { Root } from '../../../host/root/root.ts'
import { statPlain } from '../../../host/root/stat-plain.ts'

/** What git's folder of a linked work tree has besides its `HEAD`. */
const TREE_FILES = ['HEAD', 'commondir', 'gitdir'] as const

/** A folder in which git keeps a repository, or what is a linked work tree's own. */
export interface GitFolder {
  readonly path: string
  /** Whether it belongs to a linked work tree, the rest of whose repository is in the folder around it. */
  readonly isLinked: boolean
}

/**
 * The innermost git folder around a path in a git folder: that of a submodule or of a linked work tree, if it was there
 * before the command. What is new among them stays a part of the folder around it.
 */
export function innermostGit(lower: Root, git: string, path: string): GitFolder {
  let found: GitFolder = { path: git, isLinked: false }
  for (;;) {
    const inner = nextInner(lower, found.path, path)
    if (inner === null) return found
    found = inner
  }
}

function nextInner(lower: Root, git: string, path: string): GitFolder | null {
  const [kind, ...names] = partsOf(path.slice(git.length + 1))
  if (kind === 'worktrees') {
    const tree = joinRel(git, `worktrees/${names[0] ?? ''}`)
    return isBelow(path, tree) && isLinkedTree(lower, tree) ? { path: tree, isLinked: true } : null
  }
  if (kind !== 'modules') return null
  // A submodule may have slashes in its name.
  const tops = names.map((_, at) => joinRel(git, `modules/${names.slice(0, at + 1).join('/')}`))
  const top = tops.find((one) => isWholeRepository(lower, one))
  return top === undefined ? null : { path: top, isLinked: false }
}

function isLinkedTree(lower: Root, folder: string): boolean {
  return TREE_FILES.every((name) => kindIn(lower, folder, name) === 'file')
}

function isWholeRepository(lower: Root, folder: string): boolean {
  return (
    kindIn(lower, folder, 'HEAD') === 'file' &&
    ['objects', 'refs'].every((name) => kindIn(lower, folder, name) === 'dir')
  )
}

function kindIn(lower: Root, folder: string, name: string): string | undefined {
  return statPlain(lower, joinRel(folder, name))?.kind
}
