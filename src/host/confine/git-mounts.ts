import { dirname, join, resolve } from 'node:path'
import { ToolFailure, failure } from '../../core/error.ts'
import { findGitPlaces } from '../git/git-places.ts'
import type { GitPlace } from '../git/git-places.ts'
import { followGitFile, isBare } from '../git/find-repositories.ts'
import { holderOf, realGitPath } from '../git/follow/follow-named-path.ts'
import { pointerOf } from '../git/follow/pointer.ts'
import { isLinkedBack, isOwnSubmodule } from '../git/worktree/own-repository.ts'
import type { GuardedLink, GuardedRepository } from './confinement.ts'
import { readGitlinks } from '../git/git-index.ts'
import { findNamedByIndex } from '../git/named-by-index.ts'
import { kindOf } from './inspect-path.ts'
import { isBelow } from './mount.ts'
import type { Mount } from './mount.ts'

/** How a repository is mounted for a command that may commit to it but not change what git runs. */
export interface RepositoryView {
  readonly mounts: readonly Mount[]
  /** Writable mounts that only keep a folder from being renamed. */
  readonly pins: readonly Mount[]
  readonly forbidden: readonly string[]
  readonly links: readonly GuardedLink[]
  readonly repositories: readonly GuardedRepository[]
}

/** The repositories of a workspace, and what their configuration names there. */
export interface WorkspaceGit extends RepositoryView {
  readonly places: readonly GitPlace[]
}

/** Files and folders that decide where git looks and what it runs. The files in `branches` and `remotes` are remotes. */
export const DECISIVE_FILES = ['config', 'config.worktree', 'objects/info/alternates'] as const
export const DECISIVE_FOLDERS = ['branches', 'hooks', 'modules', 'remotes', 'worktrees'] as const
/** Those that must not be created if they are missing; an empty `modules` or `worktrees` has no effect. */
export const NEVER_NEW = [
  'branches',
  'commondir',
  'config',
  'config.worktree',
  'hooks',
  'objects/info/alternates',
  'remotes',
] as const
/** Folders of the main repository that a commit in a linked work tree writes to. */
const SHARED_WRITTEN = ['objects', 'refs', 'logs'] as const
/** Each takes several mounts, which are set up again for every command. */
export const MAX_REPOSITORIES = 256

export const NO_VIEW: RepositoryView = { mounts: [], pins: [], forbidden: [], links: [], repositories: [] }

/**
 * Finds the repository of a workspace and those that its index names. Git's own folder becomes a mount, so that it
 * cannot be renamed or replaced, and what controls git is read-only in it. `folders` are those that commands write: the
 * repositories around each of them count.
 */
export function viewRepositories(
  roots: readonly string[],
  home: string,
  nested: readonly RepositoryView[] = [],
  folders: readonly string[] = roots,
): WorkspaceGit {
  const views = roots.map((root) => viewRoot(root, home))
  const named = folders.map((folder) => viewPlaces(roots, folder, home))
  const all = [...views, ...named, ...nested]
  const mounts = all.flatMap((view) => view.mounts)
  const readOnlyPlaces = mounts.filter(({ kind }) => kind === 'read').map(({ at }) => at)
  const pins = all.flatMap((view) => view.pins)
  return {
    // A pin is a writable mount, and would open what is read-only around it.
    pins: [],
    mounts: [...mounts, ...pins.filter(({ at }) => !readOnlyPlaces.some((place) => isBelow(at, place)))],
    forbidden: [...new Set(all.flatMap((view) => view.forbidden))],
    links: all.flatMap((view) => view.links),
    repositories: all.flatMap((view) => view.repositories),
    places: named.flatMap(({ places }) => places),
  }
}

/**
 * The same view without a way to change git's folders outside the roots, such as those of the main work tree of a linked
 * one. They are no part of a layer, so that a command would change them unseen.
 */
export function withSharedReadOnly(view: WorkspaceGit, roots: readonly string[]): WorkspaceGit {
  const isOurs = (path: string): boolean => roots.some((root) => isBelow(path, root))
  return {
    mounts: view.mounts.map((mount) =>
      mount.kind === 'write' && !isOurs(mount.at) ? { kind: 'read', at: mount.at } : mount,
    ),
    pins: view.pins,
    // What somebody else creates there meanwhile is not the command's.
    forbidden: view.forbidden.filter(isOurs),
    links: view.links.filter(({ path }) => isOurs(path)),
    repositories: view.repositories.filter(({ gitFolder }) => isOurs(gitFolder)),
    places: view.places,
  }
}

/** Git's folders outside the roots that a commit in one of them writes to. */
export function findSharedGit(roots: readonly string[], home: string): readonly string[] {
  const outside = viewRepositories(roots, home).mounts.filter(
    ({ at }) => !roots.some((root) => isBelow(at, root)),
  )
  const tops = outside.filter(({ at }) => !outside.some((other) => other.at !== at && isBelow(at, other.at)))
  const isWritten = (top: string): boolean =>
    outside.some(({ kind, at }) => kind === 'write' && isBelow(at, top))
  return [...new Set(tops.map(({ at }) => at))].filter(isWritten)
}

/** Makes what git's configuration names read-only; what does not exist yet must not be created. */
function viewPlaces(roots: readonly string[], root: string, home: string): WorkspaceGit {
  const found = findGitPlaces(roots, root, home)
  if (!found.ok)
    throw failure(
      'not_allowed',
      `Cannot find out what git would run in ${root}: ${found.why}.`,
      { path: root },
      [
        'Check `git config --list` and `git status` there; commands run again when all that git follows can be followed.',
      ],
    )
  const paths = found.places.filter(({ isGitFolder }) => !isGitFolder).map(({ path }) => path)
  const pinned = [...paths, ...found.links.map(({ path }) => path)]
  return {
    mounts: readOnly(paths),
    pins: [...pinned.map((path) => dirname(path)), ...found.pinned].flatMap((path) =>
      pinFolders(holderOf(path, roots) ?? root, path),
    ),
    forbidden: missingOf(paths),
    links: found.links.map(({ path, target }) => ({ path, target })),
    repositories: [],
    places: [...found.places, ...found.links],
  }
}

function viewRoot(root: string, home: string): RepositoryView {
  try {
    return viewAll(root, home)
  } catch (error) {
    if (error instanceof ToolFailure) throw error
    throw failure(
      'not_allowed',
      `Cannot inspect the repository in ${root}: ${(error as Error).message}.`,
      { path: root },
      ['Make its .git readable; the sandbox cannot protect it otherwise.'],
    )
  }
}

function viewAll(root: string, home: string): RepositoryView {
  const views: RepositoryView[] = []
  const seen = new Set<string>()
  const visit = (folder: string): void => {
    if (seen.has(folder)) return
    seen.add(folder)
    if (seen.size > MAX_REPOSITORIES) throw tooMany(root)
    const view = viewRepository(root, folder, home)
    views.push(view, { ...NO_VIEW, pins: pinFolders(root, folder) })
    for (const { gitFolder } of view.repositories) {
      const links = readGitlinks(join(gitFolder, 'index'))
      if (!links.ok)
        throw failure('not_allowed', `Cannot check git's index in ${gitFolder}: ${links.reason}.`, {}, [
          'Check whether `git status` works there.',
        ])
      for (const { folder: inner } of findNamedByIndex(folder, links))
        if (kindOf(join(inner, '.git')) !== 'missing') visit(inner)
    }
  }
  visit(root)
  return {
    mounts: views.flatMap((view) => view.mounts),
    pins: views.flatMap((view) => view.pins),
    forbidden: views.flatMap((view) => view.forbidden),
    links: [],
    repositories: views.flatMap((view) => view.repositories),
  }
}

/** Refuses a folder with more repositories than can be protected. */
export function tooMany(folder: string): ToolFailure {
  return failure(
    'not_allowed',
    `${folder} holds more than ${MAX_REPOSITORIES} repositories, too many for the sandbox to protect.`,
    { path: folder },
    ['Run the command in one of them, or grant only the folder that it needs.'],
  )
}

function viewRepository(root: string, folder: string, home: string): RepositoryView {
  const git = join(folder, '.git')
  switch (kindOf(git)) {
    case 'missing':
      return isBare(folder)
        ? withForbidden(viewGitFolder(folder, folder), git)
        : { ...NO_VIEW, forbidden: [git] }
    case 'folder':
      return viewGitFolder(folder, git)
    case 'file':
      return viewGitFile(root, folder, git, home)
    default:
      throw failure('not_allowed', `${git} is a link, which a sandboxed command could replace.`, {}, [
        'Replace it with a file `.git` that holds the line `gitdir: PATH`.',
      ])
  }
}

/** How git's own folder of a work tree is mounted. */
export function viewGitFolder(folder: string, git: string): RepositoryView {
  const isOdd =
    kindOf(join(git, 'commondir')) !== 'missing' ||
    DECISIVE_FILES.some((name) => !['file', 'missing'].includes(kindOf(join(git, name)))) ||
    [...DECISIVE_FOLDERS, 'objects', 'objects/info'].some(
      (name) => !['folder', 'missing'].includes(kindOf(join(git, name))),
    )
  const repositories = [{ folder, gitFolder: git }]
  // A link cannot be protected by a mount, so the whole folder becomes read-only.
  if (isOdd) return { ...NO_VIEW, mounts: [{ kind: 'read', at: git }], repositories }
  const decisive = [...DECISIVE_FILES, ...DECISIVE_FOLDERS].map((name) => join(git, name))
  return {
    ...NO_VIEW,
    mounts: [{ kind: 'write', at: git }, ...readOnly(decisive)],
    forbidden: missingOf(NEVER_NEW.map((name) => join(git, name))),
    repositories,
  }
}

/** A file that says where git keeps the rest: of a submodule, or of one of several work trees. */
function viewGitFile(root: string, folder: string, git: string, home: string): RepositoryView {
  const pinned: Mount = { kind: 'read', at: git }
  const gitFolder = followGitFile(folder, git)
  const alone: RepositoryView = { ...NO_VIEW, mounts: [pinned] }
  if (gitFolder === null) return alone
  const repositories = [{ folder, gitFolder }]
  // A submodule of the workspace's own repository: read-only with the rest of `modules`.
  if (isBelow(gitFolder, join(root, '.git/modules'))) return { ...alone, repositories }
  const common = pointerOf(join(gitFolder, 'commondir'))
  if (common === null) {
    if (!isBelow(gitFolder, root) && !isOwnSubmodule(folder, gitFolder, home)) return alone
    const view = viewGitFolder(folder, gitFolder)
    return { ...view, mounts: [pinned, ...view.mounts], pins: pinFolders(root, dirname(gitFolder)) }
  }
  const shared = realGitPath(resolve(gitFolder, common))
  if (shared === null || dirname(dirname(gitFolder)) !== shared || !isLinkedBack(gitFolder, git)) return alone
  const alternates = join(shared, 'objects/info/alternates')
  const written = SHARED_WRITTEN.map((name) => join(shared, name)).filter((path) => kindOf(path) === 'folder')
  return {
    ...NO_VIEW,
    mounts: [
      pinned,
      { kind: 'read', at: shared },
      ...[...written, gitFolder].map((at): Mount => ({ kind: 'write', at })),
      ...readOnly(['commondir', 'gitdir', 'config.worktree'].map((name) => join(gitFolder, name))),
      ...readOnly([alternates]),
    ],
    forbidden: missingOf([join(gitFolder, 'config.worktree'), alternates]),
    repositories,
  }
}

function withForbidden(view: RepositoryView, path: string): RepositoryView {
  return { ...view, forbidden: [...view.forbidden, path] }
}

/** Makes every folder from the root to a repository a mount: renaming one would free the repository's path. */
export function pinFolders(root: string, folder: string): readonly Mount[] {
  const mounts: Mount[] = []
  for (let at = folder; at !== root && isBelow(at, root); at = dirname(at))
    if (kindOf(at) === 'folder') mounts.push({ kind: 'write', at })
  return mounts
}

function readOnly(paths: readonly string[]): readonly Mount[] {
  return paths
    .filter((path) => ['file', 'folder'].includes(kindOf(path)))
    .map((at): Mount => ({ kind: 'read', at }))
}

export function missingOf(paths: readonly string[]): readonly string[] {
  return paths.filter((path) => kindOf(path) === 'missing')
}
