import { statSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { ToolFailure } from '../../core/error.ts'
import { createEffort, MOST_CHARACTERS } from './follow/effort.ts'
import type { Effort } from './follow/effort.ts'
import type { FoundRepository } from './find-repositories.ts'
import type { GitSetting } from './git-setting.ts'
import type { NamedPath } from './named/named-path.ts'
import { findNamedPaths } from './named/named-paths.ts'
import { settingsOfVariables, variablesStamp } from './own-variables.ts'
import { isEndless, MAX_PATHS, readGitSettings, TOO_MANY_PATHS } from './read-settings.ts'

/** What the configuration of a repository names. */
interface Configuration {
  readonly stamp: string
  /** Or why it is unknown. */
  readonly named: readonly NamedPath[] | string
  readonly files: readonly string[]
}

const cache = new Map<string, Configuration>()
const MAX_CACHED = 300
const YOUNG_MS = 20
/** A path that a setting names may be meant in several places, and a command has several words. */
export const MAX_PLACES = 8 * MAX_PATHS

/** Something that git would wait for when it reads the configuration of a repository; null if there is nothing. */
export function findEndlessFile(repository: FoundRepository, home: string): string | null {
  const { files } = readConfiguration(repository, home)
  const own = ['HEAD', 'index', 'packed-refs', 'commondir'].map((name) => join(repository.gitFolder, name))
  return [...own, ...files].find(isEndless) ?? null
}

/** The paths that a repository's settings name, or why they are unknown. Git is asked again after a file has changed. */
export function readConfiguration(
  repository: FoundRepository,
  home: string,
  whole: Effort = createEffort(),
): Configuration {
  const { folder, gitFolder, commonFolder, inner = [] } = repository
  const key = JSON.stringify([folder, gitFolder, commonFolder, inner, home])
  const cached = cache.get(key)
  if (cached !== undefined && cached.stamp === stampOf(cached.files)) return cached
  const read = readGitSettings(repository, home, undefined, whole)
  const named = read.ok ? judge(read.settings, repository, home, whole) : read.why
  const { files } = read
  const made: Configuration = { stamp: stampOf(files), named, files }
  if (cache.size >= MAX_CACHED) cache.clear()
  // A file that changed while files were read, or just before, may have been read in time or not, and may change again
  // with the same time.
  if (files.some((file) => Number(statOrMissing(file)?.ctimeMs ?? 0) > whole.judgement.startedMs - YOUNG_MS))
    cache.delete(key)
  else cache.set(key, made)
  return made
}

/** A name that is not UTF-8 cannot be protected by name. */
function judge(
  settings: readonly GitSetting[],
  repository: FoundRepository,
  home: string,
  whole: Effort,
): readonly NamedPath[] | string {
  const effort = createEffort(MOST_CHARACTERS, whole)
  let found: readonly NamedPath[]
  try {
    found = findNamedPaths([...settings, ...settingsOfVariables()], repository, home, effort)
  } catch (thrown) {
    if (!(thrown instanceof ToolFailure)) throw thrown
    // It may be the others that took too much.
    whole.spend(0)
    return thrown.message
  }
  const named = [
    ...new Map(
      found.map((one) => [`${one.is} ${one.evenIfMissing} ${one.onlyExecutable} ${one.path}`, one]),
    ).values(),
  ]
  if (named.length > MAX_PLACES) return TOO_MANY_PATHS
  const broken = named.find(({ path, evenIfMissing }) => evenIfMissing && path.includes('\uFFFD'))
  return broken === undefined ? named : `${broken.setting.key} names a path that is not valid UTF-8`
}

function stampOf(files: readonly string[]): string {
  // A link in a folder of PATH can make a name lead into the workspace.
  const path = process.env['PATH'] ?? ''
  const folders = path.split(delimiter).filter((folder) => folder !== '')
  const stamps = [...files, ...folders].map((file) => {
    const found = statOrMissing(file)
    return found === undefined
      ? '-'
      : `${found.dev} ${found.ino} ${found.size} ${found.mtimeNs} ${found.ctimeNs}`
  })
  return JSON.stringify([variablesStamp(), path, ...stamps])
}

function statOrMissing(file: string) {
  try {
    return statSync(file, { bigint: true, throwIfNoEntry: false })
  } catch {
    return undefined
  }
}
