import { dirname, isAbsolute, join, resolve } from 'node:path'
import { ToolFailure, failure } from '../../core/error.ts'
import type { GuardedRepository } from './confinement.ts'
import { readGitlinks } from './git-index.ts'
import { firstLineOf, isRealFolder, kindOf, readRegular, realPathOf } from './inspect-path.ts'
import { isBelow } from './mount.ts'
import type { Mount } from './mount.ts'

/** How a repository is mounted for a command that may commit to it but not change what git runs. */
export interface RepositoryView {
  readonly mounts: readonly Mount[]
  readonly forbidden: readonly string[]
  readonly repositories: readonly GuardedRepository[]
}

/** Files and folders that decide where git looks and what it runs. */
const DECISIVE_FILES = ['config', 'config.worktree', 'objects/info/alternates'] as const
const DECISIVE_FOLDERS = ['hooks', 'modules', 'worktrees'] as const
/** Those that must not be created if they are missing; an empty `modules` or `worktrees` has no effect. */
const NEVER_NEW = ['commondir', 'config', 'config.worktree', 'hooks', 'objects/info/alternates'] as const
/** Folders of the main repository that a commit in a linked work tree writes to. */
const SHARED_WRITTEN = ['objects', 'refs', 'logs'] as const
/** Each takes several mounts, which are set up again for every command. */
const MAX_REPOSITORIES = 256
const MAX_CONFIG_BYTES = 1024 ** 2

const NOTHING: RepositoryView = { mounts: [], forbidden: [], repositories: [] }

/**
 * Finds the repository of a workspace and those that its index names. Git's own folder becomes a mount, so that it
 * cannot be renamed or replaced, and what controls git is read-only in it.
 */
export function viewRepositories(root: string): RepositoryView {
  try {
    return viewAll(root)
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

function viewAll(root: string): RepositoryView {
  const views: RepositoryView[] = []
  const seen = new Set<string>()
  const visit = (folder: string): void => {
    if (seen.has(folder)) return
    seen.add(folder)
    if (seen.size > MAX_REPOSITORIES)
      throw failure(
        'not_allowed',
        `${root} holds more than ${MAX_REPOSITORIES} repositories, too many for the sandbox to protect.`,
        {},
        ['Run the command in one of them.'],
      )
    const view = viewRepository(root, folder)
    views.push(view, pinFolders(root, folder))
    for (const { gitFolder } of view.repositories) {
      const links = readGitlinks(join(gitFolder, 'index'))
      if (!links.ok)
        throw failure('not_allowed', `Cannot check git's index in ${gitFolder}: ${links.reason}.`, {}, [
          'Check whether `git status` works there.',
        ])
      for (const path of links.paths) {
        const inner = resolve(folder, path)
        if (isRealFolder(folder, inner) && kindOf(join(inner, '.git')) !== 'missing') visit(inner)
      }
    }
  }
  visit(root)
  return {
    mounts: views.flatMap((view) => view.mounts),
    forbidden: views.flatMap((view) => view.forbidden),
    repositories: views.flatMap((view) => view.repositories),
  }
}

function viewRepository(root: string, folder: string): RepositoryView {
  const git = join(folder, '.git')
  switch (kindOf(git)) {
    case 'missing':
      return { ...NOTHING, forbidden: [git] }
    case 'folder':
      return viewGitFolder(root, folder, git)
    case 'file':
      return viewGitFile(root, folder, git)
    default:
      throw failure('not_allowed', `${git} is a link, which a sandboxed command could replace.`, {}, [
        'Replace it with a file `.git` that holds the line `gitdir: PATH`.',
      ])
  }
}

function viewGitFolder(root: string, folder: string, git: string): RepositoryView {
  const isOdd =
    kindOf(join(git, 'commondir')) !== 'missing' ||
    DECISIVE_FILES.some((name) => !['file', 'missing'].includes(kindOf(join(git, name)))) ||
    [...DECISIVE_FOLDERS, 'objects', 'objects/info'].some(
      (name) => !['folder', 'missing'].includes(kindOf(join(git, name))),
    )
  const repositories = [{ folder, gitFolder: git }]
  // A link cannot be protected by a mount, so the whole folder becomes read-only.
  if (isOdd) return { mounts: [{ kind: 'read', at: git }], forbidden: [], repositories }
  const decisive = [...DECISIVE_FILES, ...DECISIVE_FOLDERS].map((name) => join(git, name))
  const included = findIncluded(root, folder, git)
  const pins = included.flatMap((path) => pinFolders(root, dirname(path)).mounts)
  return {
    mounts: [{ kind: 'write', at: git }, ...pins, ...readOnly([...decisive, ...included])],
    forbidden: missingOf([...NEVER_NEW.map((name) => join(git, name)), ...included]),
    repositories,
  }
}

/** A file that says where git keeps the rest: of a submodule, or of one of several work trees. */
function viewGitFile(root: string, folder: string, git: string): RepositoryView {
  const pinned: Mount = { kind: 'read', at: git }
  const target = /^gitdir: (.+)$/.exec(firstLineOf(git) ?? '')?.[1]
  const gitFolder = target === undefined ? null : realPathOf(resolve(folder, target))
  const alone: RepositoryView = { ...NOTHING, mounts: [pinned] }
  if (gitFolder === null) return alone
  const repositories = [{ folder, gitFolder }]
  // A submodule of the workspace's own repository: read-only with the rest of `modules`.
  if (isBelow(gitFolder, join(root, '.git/modules'))) return { ...alone, repositories }
  const common = firstLineOf(join(gitFolder, 'commondir'))
  if (common === null) {
    if (!isBelow(gitFolder, root) && !isOwnSubmodule(folder, gitFolder)) return alone
    const view = viewGitFolder(root, folder, gitFolder)
    return { ...view, mounts: [pinned, ...pinFolders(root, dirname(gitFolder)).mounts, ...view.mounts] }
  }
  const shared = realPathOf(resolve(gitFolder, common))
  const isLinkedBack = realPathOf(firstLineOf(join(gitFolder, 'gitdir')) ?? '') === git
  if (shared === null || dirname(dirname(gitFolder)) !== shared || !isLinkedBack) return alone
  const alternates = join(shared, 'objects/info/alternates')
  const written = SHARED_WRITTEN.map((name) => join(shared, name)).filter((path) => kindOf(path) === 'folder')
  return {
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

/** Whether a git folder names this work tree as its own; any `.git` file could point to a foreign one. */
function isOwnSubmodule(folder: string, gitFolder: string): boolean {
  const named = valuesOf(join(gitFolder, 'config'), /^\s*worktree\s*=\s*(.+?)\s*$/gim)
  return named.some((path) => realPathOf(resolve(gitFolder, path)) === folder)
}

/** Files and folders in the workspace that git's configuration refers to. */
function findIncluded(root: string, folder: string, git: string): readonly string[] {
  const named = valuesOf(join(git, 'config'), /^\s*(?:path|hookspath)\s*=\s*(.+?)\s*$/gim)
  return named
    .map((path) => path.replace(/^"(.*)"$/, '$1'))
    .flatMap((path) => (isAbsolute(path) ? [path] : [resolve(git, path), resolve(folder, path)]))
    .filter((path) => path !== root && isRealFolder(root, dirname(path)))
}

function valuesOf(file: string, line: RegExp): readonly string[] {
  const text = readRegular(file, MAX_CONFIG_BYTES)?.toString('utf8') ?? ''
  return [...text.matchAll(line)].map(([, value = '']) => value)
}

/** Makes every folder from the root to a repository a mount: renaming one would free the repository's path. */
function pinFolders(root: string, folder: string): RepositoryView {
  const mounts: Mount[] = []
  for (let at = folder; at !== root && isBelow(at, root); at = dirname(at)) mounts.push({ kind: 'write', at })
  return { ...NOTHING, mounts }
}

function readOnly(paths: readonly string[]): readonly Mount[] {
  return paths
    .filter((path) => ['file', 'folder'].includes(kindOf(path)))
    .map((at): Mount => ({ kind: 'read', at }))
}

function missingOf(paths: readonly string[]): readonly string[] {
  return paths.filter((path) => kindOf(path) === 'missing')
}
