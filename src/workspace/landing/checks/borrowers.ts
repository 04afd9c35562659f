import type { GitBelow } from '../../../host/confine/confinement.ts'
import { findBorrowers } from '../../../host/git/worktree/borrowed-objects.ts'
import { relativeTo } from '../../../host/root/rel-path.ts'

/** A repository in a root, by the path of git's folder in it. */
export interface Borrower {
  readonly root: string
  readonly git: string
}

/** The repositories in the roots that borrow from a folder of objects; null if there are too many folders to look. */
export type BorrowersOf = (objects: string) => readonly Borrower[] | null

/** Lists the repositories in some roots that borrow from a folder of objects; null if there are too many folders to look. */
export function listBorrowers(
  objects: string,
  roots: readonly string[],
  findGitIn: (root: string) => GitBelow | null,
): readonly Borrower[] | null {
  const folders: string[] = []
  for (const root of roots) {
    const found = findGitIn(root)
    if (found === null) return null
    folders.push(...found.repositories)
  }
  return findBorrowers(objects, folders).flatMap((folder) =>
    roots.flatMap((root) => {
      const git = relativeTo(root, folder)
      return git === null ? [] : [{ root, git }]
    }),
  )
}
