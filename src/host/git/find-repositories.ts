import { accessSync, constants } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { failure } from '../../core/error.ts'
import { readGitlinks } from './git-index.ts'
import { findNamedByIndex } from './named-by-index.ts'
import { isReadableFile, kindOrMissing } from '../confine/inspect-path.ts'
import { isBelow } from '../confine/mount.ts'
import { readSpan } from '../fs/private-files.ts'
import { createEffort } from './follow/effort.ts'
import type { Effort } from './follow/effort.ts'
import { followNamedPath, pathFrom, realGitPath, traceNamedPath } from './follow/follow-named-path.ts'
import { findNotedWorkTrees } from './follow/noted-work-trees.ts'
import { pointerOf } from './follow/pointer.ts'
import { readableName } from '../root/exact-name.ts'
import { showPath } from '../root/rel-path.ts'
import { findWay, readLink } from '../way/find-way.ts'
import { exportedPlaces } from './own-variables.ts'
import type { ConfiguredRepository } from './read-settings.ts'

/** A work tree and where git keeps the rest of its repository. */
export interface FoundRepository extends ConfiguredRepository {
  readonly folder: string
  /** The work trees below it in which it may have git run a command, as those of its submodules. */
  readonly inner?: readonly string[]
  /** Whether nobody knows where its work tree is; `folder` is that of git then. */
  readonly isLost?: true
}

/** Each is asked about separately. */
const MAX_REPOSITORIES = 256
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
  const real = realGitPath(git)
  if (real === null) return null
  // A link may also lead to a file that says where the folder is.
  const isFolder = kindOrMissing(real) === 'folder'
  const gitFolder = isFolder ? real : followGitFile(folder, git)
  return gitFolder === null ? null : withCommon(folder, gitFolder)
}

function withCommon(folder: string, gitFolder: string): FoundRepository {
  const common = pointerOf(join(gitFolder, ELSEWHERE))
  const commonFolder = common === null ? gitFolder : realGitPath(resolve(gitFolder, common))
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
  const leadsTo = (name: string, isWanted: (path: string) => boolean): boolean => {
    const { end, real } = findWay(join(folder, name))
    // Where git is started, it may find it there.
    return end === 'depends' || (end === 'there' && isWanted(real))
  }
  if (leadsTo(ELSEWHERE, (path) => kindOrMissing(path) === 'file')) return true
  return ['objects', 'refs'].every((name) =>
    leadsTo(name, (path) => kindOrMissing(path) === 'folder' || isExecutable(path)),
  )
}

/** Git asks the system whether a name can be entered, and a program can be, in this sense. */
function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
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
  const missing = neededFolders(folder).filter((path) => kindOrMissing(realGitPath(path) ?? '') !== 'folder')
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
  return target === undefined ? null : realGitPath(resolve(folder, target))
}

/**
 * The repositories that git may work with in a root: those on the way from the top of the file system down to a folder in it, and
 * all that the index of one of them names. The way begins above the root, because a repository there covers it too.
 * Other work trees of these count if they are near or have settings of their own. Throws where git may follow what we
 * cannot: what is named there could be anything.
 */
export function findRepositories(root: string, folder: string): readonly FoundRepository[] {
  const found = new Map<string, FoundRepository>()
  const isNear = (at: string): boolean => isBelow(at, root) || isBelow(root, at)
  const add = (at: string, repository: FoundRepository | null): void => {
    if (repository === null || found.has(at)) return
    requireSpellable(repository)
    if (found.size >= MAX_REPOSITORIES)
      throw failure(
        'not_allowed',
        `git follows more than ${MAX_REPOSITORIES} repositories and work trees from ${showPath(folder)}`,
        {},
        ['Work in a part of it, or ask the user to.'],
      )
    found.set(at, repository)
    if (repository.isLost === true) return
    for (const inner of namedByIndexOf(repository, root))
      if (isNear(inner) && !found.has(inner)) add(inner, repositoryAt(inner))
  }
  for (let at = folder; ; at = dirname(at)) {
    add(at, repositoryAt(at))
    if (at === dirname(at)) break
  }
  const shared = new Set<string>()
  // Those that are added meanwhile are visited, too.
  for (const { commonFolder } of found.values()) {
    if (shared.has(commonFolder)) continue
    shared.add(commonFolder)
    for (const { gitFolder, folder: noted, isConfigured } of findNotedWorkTrees(commonFolder)) {
      if (noted !== null && isNear(noted)) add(noted, repositoryAt(noted))
      if (!isConfigured || [...found.values()].some((one) => one.gitFolder === gitFolder)) continue
      const there = noted?.isWellFormed() === true ? repositoryAt(noted) : null
      if (there?.gitFolder === gitFolder) add(there.folder, there)
      else add(gitFolder, lostTree(gitFolder))
    }
  }
  const folders = [...found.values()].flatMap((one) => (one.isLost === true ? [] : one.folder))
  return [...found.values()].map((repository) => {
    const inner = folders.filter((at) => at !== repository.folder && isBelow(at, repository.folder))
    return inner.length === 0 ? repository : { ...repository, inner }
  })
}

/** A work tree that is not where git noted it, by its own part of the repository. */
function lostTree(gitFolder: string): FoundRepository {
  return { ...withCommon(gitFolder, gitFolder), isLost: true }
}

/** Neither git nor a sandbox can be told a name that is not UTF-8. */
function requireSpellable({ folder, gitFolder, commonFolder }: FoundRepository): void {
  const raw = [folder, gitFolder, commonFolder].find((path) => !path.isWellFormed())
  if (raw !== undefined)
    throw failure(
      'not_allowed',
      `git follows the repository in ${showPath(readableName(raw))}, and this name is not valid UTF-8`,
      {},
      ['Ask the user to rename it.'],
    )
}

/** The folders in a repository that its index names as others. */
function namedByIndexOf({ folder, gitFolder }: FoundRepository, root: string): readonly string[] {
  const index = join(gitFolder, 'index')
  const links = readGitlinks(index)
  if (links.ok) return findNamedByIndex(folder, links).map((named) => named.folder)
  // What this user may not read above the root, this user's git may not read either.
  if (kindOrMissing(index) === 'file' && !isReadableFile(index) && !isBelow(folder, root)) return []
  throw failure('not_allowed', `git's index in ${showPath(gitFolder)} cannot be used: ${links.reason}`, {}, [
    'Check whether `git status` works there.',
  ])
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
