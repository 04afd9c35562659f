import { accessSync, constants, statSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { kindOrMissing } from '../confine/inspect-path.ts'
import { isBelow } from '../confine/mount.ts'
import { homeFolder } from '../fs/folders.ts'
import { findExported, findRepositories } from './find-repositories.ts'
import type { FoundRepository } from './find-repositories.ts'
import { followNamedPath, holderOf } from './follow-named-path.ts'
import type { FollowedName } from './follow-named-path.ts'
import { HOOK_NAMES } from './hook-names.ts'
import { findLinkedPlaces } from './linked-places.ts'
import type { GitSetting } from './git-setting.ts'
import type { NamedPath } from './named-path.ts'
import { findNamedPaths, findUnjudgeable } from './named-paths.ts'
import { attributesForAll, filesForAll, settingsOfVariables, variablesStamp } from './own-variables.ts'
import { isEndless, MAX_PATHS, readGitSettings, TOO_MANY_PATHS } from './read-settings.ts'

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
  const root = holderOf(folder, roots) ?? folder
  const places: GitPlace[] = []
  const links: GitLink[] = []
  const pinned: string[] = []
  const add = ({ real, links: ways, left }: FollowedName, narrowed: readonly string[], why: string): void => {
    if (holderOf(real, roots) !== null)
      places.push(...narrowed.map((path) => ({ path, why, isGitFolder: false })))
    for (const link of ways)
      if (holderOf(link.path, roots) !== null) links.push({ ...link, why, isGitFolder: false })
    for (const path of left.filter((one) => holderOf(one, roots) !== null)) {
      if (kindOrMissing(path) === 'missing') places.push({ path, why, isGitFolder: false })
      else pinned.push(path)
    }
  }
  const addNamed = (path: string, why: string): void => {
    const followed = followNamedPath(path)
    if (followed !== null) add(followed, [followed.real], why)
  }
  const starts = foldersUpTo(root, folder)
  const files = filesForAll(home, starts)
  for (const file of files) addNamed(file, 'it configures git for every repository')
  for (const file of attributesForAll(home, starts))
    addNamed(file, 'it decides for which files git runs programs')
  const found = repositoriesFor(root, folder, files)
  const exported = findExported(starts).filter(
    ({ gitFolder }) => !found.some((one) => one.gitFolder === gitFolder),
  )
  for (const { named, gitFolder } of exported)
    if (!isGits(gitFolder)) addNamed(named, 'GIT_DIR names it, so git obeys what is in it')
  for (const repository of [...found, ...exported]) {
    const { named } = readConfiguration(repository, home)
    if (typeof named === 'string') {
      // The configuration of a repository above the root that this user cannot read does not apply to them.
      if (!isBelow(repository.folder, root)) continue
      return { ok: false, why: `in ${repository.folder}, ${named}` }
    }
    places.push(...ownFolders(repository, roots))
    for (const one of named) {
      if (!one.evenIfMissing && kindOrMissing(one.path) === 'missing') continue
      const followed = followNamedPath(one.path)
      if (followed === null || !isMeant(one, followed.real)) continue
      const why = explain(one)
      const wide = [...roots, repository.gitFolder, repository.commonFolder]
      add(followed, narrow(followed.real, one.is === 'hooks', wide), why)
    }
    const hooks = named.filter(({ is }) => is === 'hooks').map(({ path }) => path)
    for (const { from, isHooks, real, links: ways, left } of findLinkedPlaces(repository, hooks)) {
      if (isGits(real)) continue
      const outside = ways.filter(({ path }) => !isGits(path))
      add(
        { real, links: outside, left },
        narrow(real, isHooks, [...roots]),
        `${from} leads to it, so git obeys or runs it`,
      )
    }
  }
  return { ok: true, places, links, pinned }
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

/** The place that a path is in, or null. Names are compared without case, as some file systems do. */
export function findGitPlace(
  { places, links }: Extract<GitPlaces, { readonly ok: true }>,
  absolute: string,
): GitPlace | null {
  const folded = foldPath(absolute)
  return [...places, ...links].find(({ path }) => isBelow(folded, foldPath(path))) ?? null
}

function foldPath(path: string): string {
  return path.normalize('NFC').toLowerCase()
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

function explain({ is, setting: { key, file } }: NamedPath): string {
  return `${key} in ${file ?? 'the environment'} names it, ${EFFECT[is]}`
}

interface Cached {
  readonly stamp: string
  readonly named: readonly NamedPath[] | string
  readonly files: readonly string[]
}

const cache = new Map<string, Cached>()
const MAX_CACHED = 300
const YOUNG_MS = 20
/** A path that a setting names may be meant in several places, and a command has several words. */
const MAX_PLACES = 8 * MAX_PATHS

/** Something that git would wait for when it reads the configuration of a repository; null if there is nothing. */
export function findEndlessFile(repository: FoundRepository, home: string): string | null {
  const { files } = readConfiguration(repository, home)
  const own = ['HEAD', 'index', 'packed-refs', 'commondir'].map((name) => join(repository.gitFolder, name))
  return [...own, ...files].find(isEndless) ?? null
}

/** The paths that a repository's settings name, or why they are unknown. Git is asked again after a file has changed. */
function readConfiguration(repository: FoundRepository, home: string): Cached {
  const { folder, gitFolder, commonFolder } = repository
  const key = JSON.stringify([folder, gitFolder, commonFolder, home])
  const cached = cache.get(key)
  if (cached !== undefined && cached.stamp === stampOf(cached.files)) return cached
  const startedMs = Date.now()
  const read = readGitSettings(repository, home)
  const named = read.ok ? judge(read.settings, repository, home) : read.why
  const { files } = read
  const made: Cached = { stamp: stampOf(files), named, files }
  if (cache.size >= MAX_CACHED) cache.clear()
  // A file that changed while it was read, or just before, may change again with the same time.
  if (files.some((file) => Number(statOrMissing(file)?.ctimeMs ?? 0) > startedMs - YOUNG_MS))
    cache.delete(key)
  else cache.set(key, made)
  return made
}

/** A name that is not UTF-8 cannot be protected by name. */
function judge(
  settings: readonly GitSetting[],
  repository: FoundRepository,
  home: string,
): readonly NamedPath[] | string {
  const all = [...settings, ...settingsOfVariables()]
  const unjudgeable = findUnjudgeable(all)
  if (unjudgeable !== null) return unjudgeable
  const found = findNamedPaths(all, repository, home)
  const named = [
    ...new Map(
      found.map((one) => [JSON.stringify([one.path, one.is, one.evenIfMissing, one.onlyExecutable]), one]),
    ).values(),
  ]
  if (named.length > MAX_PLACES) return TOO_MANY_PATHS
  const broken = named.find(({ path, evenIfMissing }) => evenIfMissing && path.includes('\uFFFD'))
  return broken === undefined ? named : `${broken.setting.key} names a path that is not valid UTF-8`
}

function stampOf(files: readonly string[]): string {
  // A link in a folder of PATH can make a name lead into the workspace.
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '')
  const stamps = [...files, ...folders].map((file) => {
    const found = statOrMissing(file)
    return found === undefined
      ? '-'
      : `${found.dev} ${found.ino} ${found.size} ${found.mtimeNs} ${found.ctimeNs}`
  })
  return JSON.stringify([variablesStamp(), folders, ...stamps])
}

function statOrMissing(file: string) {
  try {
    return statSync(file, { bigint: true, throwIfNoEntry: false })
  } catch {
    return undefined
  }
}
