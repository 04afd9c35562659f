import { join, resolve } from 'node:path'
import { failure } from '../../../core/error.ts'
import { followGitFile, isBare } from '../../git/find-repositories.ts'
import { pointerOf } from '../../git/follow/pointer.ts'
import { readLink } from '../../way/find-way.ts'
import type { ConfinedWorkspace, GitBelow, NewGit } from '../confinement.ts'
import { MAX_REPOSITORIES, missingOf, NO_VIEW, pinFolders, tooMany, viewGitFolder } from '../git-mounts.ts'
import type { RepositoryView } from '../git-mounts.ts'
import { kindOrMissing } from '../inspect-path.ts'
import { isBelow } from '../mount.ts'
import { watchNewGit } from './new-git.ts'

/** The repositories below folders that a command changes directly. */
export interface NestedGit {
  readonly views: readonly RepositoryView[]
  /** Folders that have to be hidden, because what is in them cannot be protected by its name. */
  readonly masked: readonly string[]
  readonly newGit: NewGit | null
}

/** For what is not started. */
export const NO_NESTED: NestedGit = { views: [], masked: [], newGit: null }

/**
 * Looks for the repositories below folders that are written without a layer. Nobody judges what changes there, so each is
 * protected like that of a root, and new ones are looked for afterwards. Throws if they are too many to protect.
 */
export function viewNested(folders: readonly string[], gitBelow: ConfinedWorkspace['gitBelow']): NestedGit {
  const tops = folders.filter((at) => !folders.some((other) => other !== at && isBelow(at, other)))
  if (gitBelow === undefined || tops.length === 0) return NO_NESTED
  const looks = tops.map((top) => lookInto(top, gitBelow))
  return {
    views: looks.flatMap(({ repositories, unseen }, at) =>
      repositories
        // It is hidden as a whole.
        .filter((folder) => !unseen.includes(join(folder, '.git')))
        .map((folder) => viewOne(tops[at] ?? folder, folder, tops)),
    ),
    masked: looks.flatMap(({ unreadable }) => unreadable),
    newGit: watchNewGit(tops, looks, gitBelow),
  }
}

function lookInto(top: string, gitBelow: NonNullable<ConfinedWorkspace['gitBelow']>): GitBelow {
  const found = gitBelow(top)
  if (found === null)
    throw failure(
      'not_allowed',
      `${top} holds too many folders to look for git repositories in it, which a command that writes there could change.`,
      { path: top },
      ['Grant only the folder that is needed.'],
    )
  if (found.repositories.length > MAX_REPOSITORIES) throw tooMany(top)
  if (found.unreadable.includes(top))
    throw failure(
      'not_allowed',
      `Something directly in ${top} may hold a git repository and cannot be protected: its name is not valid UTF-8.`,
      { path: top },
      ['Rename it or move it into a folder.'],
    )
  return found
}

/** How a repository is mounted. Nothing outside the written folders becomes writable by it. */
function viewOne(top: string, folder: string, tops: readonly string[]): RepositoryView {
  const isOurs = (path: string): boolean => tops.some((one) => isBelow(path, one))
  const views = viewParts(folder)
  const mounts = views.flatMap((view) => view.mounts).filter(({ at }) => isOurs(at))
  return {
    mounts: mounts.filter(({ kind }) => kind === 'read'),
    // A writable mount must not open what something else has made read-only.
    pins: [
      ...mounts.filter(({ kind }) => kind === 'write'),
      ...views.flatMap(({ repositories }) =>
        repositories.flatMap(({ gitFolder }) => pinFolders(top, gitFolder)),
      ),
      ...pinFolders(top, folder),
    ].filter(({ at }) => isOurs(at)),
    forbidden: views.flatMap((view) => view.forbidden).filter(isOurs),
    links: views.flatMap((view) => view.links),
    // Whatever an index comes to name is protected here, or new and looked for.
    repositories: [],
  }
}

function viewParts(folder: string): readonly RepositoryView[] {
  try {
    const bare = isBare(folder) ? [viewGitFolder(folder, folder)] : []
    return [viewEntry(folder, join(folder, '.git')), ...bare]
  } catch (error) {
    throw failure(
      'not_allowed',
      `Cannot inspect the repository in ${folder}: ${(error as Error).message}.`,
      { path: folder },
      ['Make its .git readable; the sandbox cannot protect it otherwise.'],
    )
  }
}

/** What stands in the place of git's folder. */
function viewEntry(folder: string, git: string): RepositoryView {
  switch (kindOrMissing(git)) {
    case 'folder':
      return viewGitFolder(folder, git)
    case 'file': {
      const pinned: RepositoryView = { ...NO_VIEW, mounts: [{ kind: 'read', at: git }] }
      const gitFolder = followGitFile(folder, git)
      if (gitFolder === null) return { ...pinned, forbidden: missingOf(namedBy(folder, git)) }
      // The folder of a linked work tree is read-only in that of its repository, which is found by itself.
      if (kindOrMissing(join(gitFolder, 'commondir')) !== 'missing') return pinned
      const view = viewGitFolder(folder, gitFolder)
      return { ...view, mounts: [...pinned.mounts, ...view.mounts] }
    }
    case 'link': {
      const target = readLink(git)
      if (target === null) return NO_VIEW
      return { ...NO_VIEW, links: [{ path: git, target }], forbidden: missingOf([resolve(folder, target)]) }
    }
    default:
      return NO_VIEW
  }
}

/** Where a file says that git's folder is, though there is none. */
function namedBy(folder: string, git: string): readonly string[] {
  const target = /^gitdir: (.+)$/s.exec(pointerOf(git) ?? '')?.[1]
  return target === undefined ? [] : [resolve(folder, target)]
}
