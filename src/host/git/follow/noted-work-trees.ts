import { accessSync, constants } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { failure } from '../../../core/error.ts'
import { kindOrMissing } from '../../confine/inspect-path.ts'
import { readExactNames } from '../../way/exact-names.ts'
import { systemName } from '../../root/exact-name.ts'
import { showPath } from '../../root/rel-path.ts'
import { realGitPath } from './follow-named-path.ts'
import { pointerOf } from './pointer.ts'

/** One of the work trees that share a repository, as git notes it there. */
export interface NotedWorkTree {
  /** Where its own part of the repository is. */
  readonly gitFolder: string
  /** Where it was made; it may have been moved. Null if that is not noted. */
  readonly folder: string | null
  /** Whether it has settings that the others do not share. */
  readonly isConfigured: boolean
}

/** Each is looked at for every edit. */
const MAX_WORK_TREES = 1_000

/** The work trees that share a repository, the main one first. Throws if they are too many, or cannot be listed. */
export function findNotedWorkTrees(commonFolder: string): readonly NotedWorkTree[] {
  const list = join(commonFolder, 'worktrees')
  const names = readExactNames(list) ?? []
  if (names.length > MAX_WORK_TREES)
    throw failure('not_allowed', `${commonFolder} names more than ${MAX_WORK_TREES} work trees`)
  if (names.length === 0 && isClosed(list))
    throw failure('not_allowed', `the work trees in ${showPath(list)} cannot be listed`)
  const real = realGitPath(commonFolder)
  const linked = names.map(({ name }): NotedWorkTree => {
    const gitFolder = join(list, name)
    const noted = pointerOf(join(gitFolder, 'gitdir'))
    const common = pointerOf(join(gitFolder, 'commondir'))
    const isElsewhere =
      common === null
        ? kindOrMissing(join(gitFolder, 'objects')) !== 'missing'
        : realGitPath(resolve(gitFolder, common)) !== real
    return {
      gitFolder: realGitPath(gitFolder) ?? gitFolder,
      folder: noted === null ? null : dirname(resolve(gitFolder, noted)),
      isConfigured: hasSettings(gitFolder) || isElsewhere,
    }
  })
  const main = {
    gitFolder: commonFolder,
    folder: dirname(commonFolder),
    isConfigured: hasSettings(commonFolder),
  }
  return [main, ...linked]
}

function hasSettings(gitFolder: string): boolean {
  return kindOrMissing(join(gitFolder, 'config.worktree')) !== 'missing'
}

/** Whether names in a folder can be found, but not listed. */
function isClosed(folder: string): boolean {
  try {
    accessSync(systemName(folder), constants.X_OK)
    return readExactNames(folder) === null
  } catch {
    return false
  }
}
