import { accessSync, constants } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { failure } from '../../core/error.ts'
import { readGitlinks, TOO_MANY_LINKS } from './git-index.ts'
import { pointerOf, isRealFolder, kindOrMissing, realPathOf } from '../confine/inspect-path.ts'
import { isBelow } from '../confine/mount.ts'
import { readFolderNames } from '../fs/folders.ts'
import { readSpan } from '../fs/private-files.ts'
import { createEffort } from './follow/effort.ts'
import type { Effort } from './follow/effort.ts'
import { followNamedPath, pathFrom, readLink, traceNamedPath } from './follow/follow-named-path.ts'
import { exportedPlaces } from './own-variables.ts'
import type { ConfiguredRepository } from './read-settings.ts'

/** A work tree and where git keeps the rest of its repository. */
export interface FoundRepository extends ConfiguredRepository {
  readonly folder: string
}

/** Each is asked about separately. */
const MAX_REPOSITORIES = 256
/** Each is looked at for every edit. */
const MAX_WORK_TREES = 1_000
/** What makes a folder a repository in git's eyes. */
export const BARE_NAMES = ['HEAD', 'objects', 'refs'] as const
/** A file that says where the other names are, and the configuration. */
const ELSEWHERE = 'commondir'
export const REPOSITORY_NAMES = [...BARE_NAMES, ELSEWHERE] as const

/** The repository of a folder, or null; a bare one is its own git folder. */
export function repositoryAt(folder: string): FoundRepository | null {
  const git = join(folder, '.git')
  const kind = kindOrMissing(git)
  if (kind === 'missing') return isBare(folder) ? withCommon(folder, folder) : null
  const real = realPathOf(git)
  if (real === null) return null
  // A link may also lead to a file that says where the folder is.
  const isFolder = kindOrMissing(real) === 'folder'
  const gitFolder = isFolder ? real : followGitFile(folder, git)
  return gitFolder === null ? null : withCommon(folder, gitFolder)
}

function withCommon(folder: string, gitFolder: string): FoundRepository {
  const common = pointerOf(join(gitFolder, ELSEWHERE))
  const commonFolder = common === null ? gitFolder : realPathOf(resolve(gitFolder, common))
  return { folder, gitFolder, commonFolder: commonFolder ?? gitFolder }
}

/** Whether a folder is a repository without a work tree of its own. */
export function isBare(folder: string): boolean {
  return isBareByNames((name) => kindOrMissing(join(folder, name)) !== 'missing')
}

/** The same for a folder of which only the names are known. */
export function isBareByNames(has: (name: string) => boolean): boolean {
  return BARE_NAMES.every(has) || (has('HEAD') && has(ELSEWHERE))
}

/** As much of a `HEAD` as git looks at. */
const HEAD_BYTES = 256
const BRANCH_OR_COMMIT = /^(?:ref:\s*refs\/|[0-9a-f]{40})/i

/**
 * Whether git takes a folder that has these names for a repository. One that git passes over is none yet, and what stands
 * in the place of `HEAD` or of a folder there must not become what git looks for.
 */
export function isTakenForBare(folder: string): boolean {
  const head = join(folder, 'HEAD')
  const kind = kindOrMissing(head)
  const isHead =
    kind === 'link'
      ? readLink(head)?.startsWith('refs/') === true
      : kind === 'file' && BRANCH_OR_COMMIT.test(readStart(head))
  if (!isHead) return false
  const endOf = (name: string): string => realPathOf(join(folder, name)) ?? ''
  if (kindOrMissing(endOf(ELSEWHERE)) === 'file') return true
  return ['objects', 'refs'].map(endOf).every((end) => kindOrMissing(end) === 'folder' || isExecutable(end))
}

/** Git asks the system whether a name can be entered, and a program can be, in this sense. */
function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return path !== ''
  } catch {
    return false
  }
}

/** The folders that git looks for in a repository, or where its `commondir` leads. */
function neededFolders(folder: string): readonly string[] {
  const common = pointerOf(join(folder, ELSEWHERE))
  const base = common === null ? folder : pathFrom(folder, common)
  return ['objects', 'refs'].map((name) => `${base}/${name}`)
}

/**
 * For a folder that only has the names of a repository: the paths, links among them, at which something would have to be
 * made for git to find what it looks for. Git obeys the configuration that is there already as soon as it does.
 */
export function missingParts(folder: string, effort: Effort): readonly string[] {
  if (!isBare(folder)) return []
  const elsewhere = join(folder, ELSEWHERE)
  const isAwaited = kindOrMissing(elsewhere) !== 'missing' && pointerOf(elsewhere) === null
  const missing = neededFolders(folder).filter((path) => kindOrMissing(realPathOf(path) ?? '') !== 'folder')
  return [...new Set([...missing, ...(isAwaited ? [elsewhere] : [])].flatMap((path) => wayTo(path, effort)))]
}

/** The links on a way, and its end. */
function wayTo(path: string, effort: Effort): readonly string[] {
  const { real, links, left } = traceNamedPath(path, effort)
  return [real, ...links.map((link) => link.path), ...left]
}

function readStart(path: string): string {
  try {
    return readSpan(path, 0, HEAD_BYTES)?.toString('latin1') ?? ''
  } catch {
    return ''
  }
}

/** Where a file in the place of a git folder leads. */
export function followGitFile(folder: string, git: string): string | null {
  const target = /^gitdir: (.+)$/s.exec(pointerOf(git) ?? '')?.[1]
  return target === undefined ? null : realPathOf(resolve(folder, target))
}

/**
 * The repositories that git may work with in a root: those on the way from the top of the file system down to a folder in it, and
 * all that the index of one of them names. The way begins above the root, because a repository there covers it too.
 * Other work trees of these count if they are near or have settings of their own.
 */
export function findRepositories(root: string, folder: string): readonly FoundRepository[] {
  const found = new Map<string, FoundRepository>()
  const isNear = (at: string): boolean => isBelow(at, root) || isBelow(root, at)
  const add = (at: string): void => {
    if (found.has(at) || found.size >= MAX_REPOSITORIES) return
    const repository = repositoryAt(at)
    if (repository === null) return
    found.set(at, repository)
    const links = readGitlinks(join(repository.gitFolder, 'index'))
    if (!links.ok && links.reason === TOO_MANY_LINKS)
      throw failure('not_allowed', `git's index in ${repository.gitFolder} cannot be used: ${links.reason}`)
    for (const path of links.ok ? links.paths : []) {
      const inner = resolve(at, path)
      if (isNear(inner) && isRealFolder(at, inner)) add(inner)
    }
  }
  for (let at = folder; ; at = dirname(at)) {
    add(at)
    if (at === dirname(at)) break
  }
  const shared = new Set([...found.values()].map(({ commonFolder }) => commonFolder))
  for (const commonFolder of shared)
    for (const tree of otherWorkTrees(commonFolder))
      if (isNear(tree.folder) || tree.isConfigured) add(tree.folder)
  return [...found.values()]
}

/**
 * The repositories that variables of the environment name for every git that the user starts in one of some folders,
 * each with the path as it is named. They may not exist yet.
 */
export function findExported(
  starts: readonly string[],
  effort: Effort = createEffort(),
): readonly (FoundRepository & { readonly named: string })[] {
  return starts.flatMap((folder) =>
    exportedPlaces([folder]).gitFolders.flatMap((named) => {
      const gitFolder = followNamedPath(named, effort)?.real
      return gitFolder === undefined ? [] : [{ folder, gitFolder, commonFolder: gitFolder, named }]
    }),
  )
}

/** The work trees that share a repository, and whether they have settings of their own. */
function otherWorkTrees(
  commonFolder: string,
): readonly { readonly folder: string; readonly isConfigured: boolean }[] {
  const names = readFolderNames(join(commonFolder, 'worktrees')) ?? []
  if (names.length > MAX_WORK_TREES)
    throw failure('not_allowed', `${commonFolder} names more than ${MAX_WORK_TREES} work trees`)
  const linked = names.flatMap(({ name }) => {
    const own = join(commonFolder, 'worktrees', name)
    const git = pointerOf(join(own, 'gitdir'))
    return git === null ? [] : [{ folder: dirname(resolve(own, git)), own }]
  })
  return [{ folder: dirname(commonFolder), own: commonFolder }, ...linked].map(({ folder, own }) => ({
    folder,
    isConfigured: kindOrMissing(join(own, 'config.worktree')) !== 'missing',
  }))
}
