import { accessSync, constants } from 'node:fs'
import { dirname, join } from 'node:path'
import { failure, ToolFailure } from '../../core/error.ts'
import { foldText } from '../../core/text/fold-text.ts'
import { kindOrMissing } from '../confine/inspect-path.ts'
import { isBelow } from '../confine/mount.ts'
import { homeFolder } from '../fs/folders.ts'
import { createEffort, MOST_CHARACTERS } from './follow/effort.ts'
import { findExported, findRepositories } from './find-repositories.ts'
import type { FoundRepository } from './find-repositories.ts'
import { followNamedPath, holderOf } from './follow/follow-named-path.ts'
import { PATH_MAX } from '../way/follow-way.ts'
import type { FollowedName } from './follow/follow-named-path.ts'
import { HOOK_NAMES } from './hook-names.ts'
import { kindBelow } from './follow/names-below.ts'
import { findLinkedPlaces } from './follow/linked-places.ts'
import type { NamedPath } from './named/named-path.ts'
import { attributesForAll, filesForAll, settingsOfVariables } from './own-variables.ts'
import { MAX_PLACES, readConfiguration } from './read-configuration.ts'
import { TOO_MANY_PATHS } from './read-settings.ts'

/** A file or folder in a root that decides what git runs. Neither path tools nor commands may change it. */
export interface GitPlace {
  /** Without links on the way. */
  readonly path: string
  /** Why it is protected, as the end of a sentence. */
  readonly why: string
  /** Whether it is git's own folder, in which commands may commit. */
  readonly isGitFolder: boolean
}

/** A link on the way to such a place, which must go on leading there. */
export interface GitLink extends GitPlace {
  readonly target: string
}

/** The protected places, or why they cannot be known; then nothing may be changed. */
export type GitPlaces =
  | {
      readonly ok: true
      readonly places: readonly GitPlace[]
      readonly links: readonly GitLink[]
      /** Files that git would run if they were programs, which they are not now. */
      readonly dormant: readonly GitPlace[]
      /** Folders that must stay folders, because the way to a place goes through them and back. */
      readonly pinned: readonly string[]
    }
  | { readonly ok: false; readonly why: string }

/**
 * Finds the places in some roots that git's configuration names, for the repositories that cover a folder. This is the
 * one list: path tools deny what is in it, and the sandbox mounts it read-only.
 */
export function findGitPlaces(
  roots: readonly string[],
  folder: string,
  home: string = homeFolder(process.env),
): GitPlaces {
  try {
    return lookFor(roots, folder, home)
  } catch (thrown) {
    if (thrown instanceof ToolFailure) return { ok: false, why: thrown.message }
    throw thrown
  }
}

/** All configurations together; one of them may take a part of it. */
const MOST_FOR_READING = 4 * MOST_CHARACTERS
/** It is done again for every edit. */
const MOST_FOR_FOLLOWING = MOST_CHARACTERS / 2

function lookFor(roots: readonly string[], folder: string, home: string): GitPlaces {
  const reading = createEffort(MOST_FOR_READING)
  const effort = createEffort(MOST_FOR_FOLLOWING)
  const root = holderOf(folder, roots) ?? folder
  const places: GitPlace[] = []
  const links: GitLink[] = []
  const dormant: GitPlace[] = []
  const pinned: string[] = []
  const add = ({ real, links: ways, left }: FollowedName, narrowed: readonly string[], why: string): void => {
    if (holderOf(real, roots) !== null && Buffer.byteLength(real) > PATH_MAX)
      throw failure('not_allowed', `a path is too long to be protected: ${why}`)
    if (holderOf(real, roots) !== null)
      places.push(...narrowed.map((path) => ({ path, why, isGitFolder: false })))
    for (const link of ways)
      if (holderOf(link.path, roots) !== null) links.push({ ...link, why, isGitFolder: false })
    for (const path of left.filter((one) => holderOf(one, roots) !== null)) {
      if (effort.kindOf(path) === 'missing') places.push({ path, why, isGitFolder: false })
      else pinned.push(path)
    }
  }
  const addNamed = (path: string, why: string): void => {
    const followed = followNamedPath(path, effort)
    if (followed !== null) add(followed, [followed.real], why)
  }
  const starts = foldersUpTo(root, folder)
  const files = filesForAll(home, starts)
  for (const file of files) addNamed(file, 'it configures git for every repository')
  for (const file of attributesForAll(home, starts))
    addNamed(file, 'it decides for which files git runs programs')
  const found = repositoriesFor(root, folder, files)
  const exported = findExported(starts, effort).filter(
    ({ gitFolder }) => !found.some((one) => one.gitFolder === gitFolder),
  )
  for (const { named, gitFolder } of exported)
    if (!isGits(gitFolder)) addNamed(named, 'GIT_DIR names it, so git obeys what is in it')
  for (const repository of [...found, ...exported]) {
    const { named } = readConfiguration(repository, home, reading)
    if (typeof named === 'string') {
      // The configuration of a repository above the root that this user cannot read does not apply to them.
      if (!isBelow(repository.folder, root)) continue
      return { ok: false, why: `in ${repository.folder}, ${named}` }
    }
    const lost = findLost(repository, named, files)
    if (lost !== null) return { ok: false, why: lost }
    places.push(...ownFolders(repository, roots))
    for (const one of named) {
      if (!one.evenIfMissing && kindBelow(one.top, one.path, effort) === 'missing') continue
      const followed = followNamedPath(one.path, effort)
      if (followed === null) continue
      const why = explain(one)
      if (!isMeant(one, followed.real)) {
        if (one.onlyExecutable === true && kindOrMissing(followed.real) === 'file')
          dormant.push({ path: followed.real, why, isGitFolder: false })
        continue
      }
      const wide = [...roots, repository.gitFolder, repository.commonFolder]
      add(followed, narrow(followed.real, one.is === 'hooks', wide), why)
    }
    const hooks = named.filter(({ is }) => is === 'hooks').map(({ path }) => path)
    for (const { from, isHooks, real, links: ways, left } of findLinkedPlaces(repository, hooks, effort)) {
      if (isGits(real)) continue
      const outside = ways.filter(({ path }) => !isGits(path))
      add(
        { real, links: outside, left },
        narrow(real, isHooks, [...roots]),
        `${from} leads to it, so git obeys or runs it`,
      )
    }
  }
  if (places.length + links.length + pinned.length > MAX_PLACES) return { ok: false, why: TOO_MANY_PATHS }
  return { ok: true, places, links, dormant, pinned }
}

/**
 * The repositories that cover a folder. If there is none but settings for every repository, these are read for one that
 * could be made at the root.
 */
function repositoriesFor(root: string, folder: string, files: readonly string[]): readonly FoundRepository[] {
  const found = findRepositories(root, folder)
  const isSet = settingsOfVariables().length > 0 || files.some((file) => kindOrMissing(file) !== 'missing')
  if (found.length > 0 || !isSet) return found
  return [{ folder: root, gitFolder: NO_GIT, commonFolder: NO_GIT }]
}

/** Why it is unknown what a work tree that was moved names: a relative path of its own starts where it is. */
function findLost(
  { isLost, gitFolder, commonFolder }: FoundRepository,
  named: readonly NamedPath[],
  files: readonly string[],
): string | null {
  if (isLost !== true) return null
  const shared = new Set([null, join(commonFolder, 'config'), ...files])
  const lost = named.find(
    ({ path, is, evenIfMissing, setting }) =>
      evenIfMissing && is !== 'settings' && path.startsWith(`${gitFolder}/`) && !shared.has(setting.file),
  )
  return lost === undefined
    ? null
    : `${lost.setting.key} in ${lost.setting.file ?? ''} names a path in a work tree that was moved or removed (run \`git worktree repair\` in it, or \`git worktree prune\`)`
}

/** The folders from one up to a root, in any of which the user may start git. */
function foldersUpTo(root: string, folder: string): readonly string[] {
  const folders = [folder]
  for (let at = folder; at !== root && isBelow(at, root) && at !== dirname(at);)
    folders.push((at = dirname(at)))
  return folders
}

const NO_GIT = '/nonexistent/.git'

/** Whether a path lies in git's own folder, which is protected as a whole. */
function isGits(path: string): boolean {
  return path.split('/').includes('.git')
}

/** Finds the place that a path is in, or null. */
export type FindGitPlace = (absolute: string) => GitPlace | null

/** Makes places ready to be asked about for many paths. Names are compared without case, as some file systems do. */
export function createFindGitPlace({
  places,
  links,
}: Pick<Extract<GitPlaces, { readonly ok: true }>, 'places' | 'links'>): FindGitPlace {
  const all = [...places, ...links].map((place) => ({ place, folded: foldText(place.path) }))
  return (absolute) => {
    const folded = foldText(absolute)
    return all.find((one) => isBelow(folded, one.folded))?.place ?? null
  }
}

/** The same for a single path. */
export function findGitPlace(
  found: Extract<GitPlaces, { readonly ok: true }>,
  absolute: string,
): GitPlace | null {
  return createFindGitPlace(found)(absolute)
}

/** Git folders with another name than `.git`, which the denied names do not cover. */
function ownFolders(
  { folder, gitFolder, commonFolder }: FoundRepository,
  roots: readonly string[],
): readonly GitPlace[] {
  const why = `it is the git folder of ${folder}`
  const decisive = [
    'branches',
    'commondir',
    'config',
    'config.worktree',
    'hooks',
    'info',
    'modules',
    'remotes',
    'worktrees',
  ]
  return [...new Set([gitFolder, commonFolder])]
    .filter((path) => holderOf(path, roots) !== null && !path.split('/').includes('.git'))
    .flatMap((path) => (path === folder ? decisive.map((name) => join(path, name)) : [path]))
    .map((path) => ({ path, why, isGitFolder: true }))
}

function isMeant({ is, evenIfMissing, onlyExecutable }: NamedPath, real: string): boolean {
  const kind = kindOrMissing(real)
  if (kind === 'missing') return evenIfMissing
  if (is !== 'program') return true
  return kind === 'file' && (onlyExecutable !== true || isExecutable(real))
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** A root or git's own folder cannot be protected as a whole: of hooks directly in it, the names that git runs are. */
function narrow(real: string, isHooks: boolean, wide: readonly string[]): readonly string[] {
  if (!wide.includes(real)) return [real]
  return isHooks ? HOOK_NAMES.map((name) => join(real, name)) : []
}

const EFFECT: Readonly<Record<NamedPath['is'], string>> = {
  hooks: 'so git runs the hooks in it',
  template: 'so git copies its hooks into new repositories',
  settings: 'so git obeys the settings in it',
  attributes: 'so it decides for which files git runs programs',
  programs: 'so git runs the programs in it',
  program: 'so git may run it',
}

function explain({ is, setting: { key, file, givenBy } }: NamedPath): string {
  return `${givenBy ?? key} in ${file ?? 'the environment'} names it, ${EFFECT[is]}`
}
