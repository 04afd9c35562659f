import { findSharedGit } from '../../host/confine/git-mounts.ts'
import { isBelow } from '../../host/confine/mount.ts'
import type { Workspace } from '../../workspace/workspace.ts'

/**
 * The folder of git outside the roots that a path lies in, if git writes there when something is committed in a root: that of
 * the main work tree of a linked one, or of a submodule. Null if there is none.
 */
export function sharedGitAround(
  path: string,
  { roots }: Pick<Workspace, 'roots'>,
  home: string,
): string | null {
  return findSharedGit(roots, home).find((folder) => isBelow(path, folder)) ?? null
}
