import { runGit } from './run-git.ts'
import type { GitRepository } from './run-git.ts'

/** The names of contents in a repository's newest commit, by path. */
export type CommittedNames = ReadonlyMap<string, string>

/** Looks up what the newest commit holds at some paths; null where there is no commit, or no git. */
export type LookUpCommitted = (
  repository: GitRepository,
  /** Changes with every commit; null where nothing may be remembered. */
  version: string | null,
  paths: readonly string[],
) => Promise<CommittedNames | null>

interface Memory {
  readonly version: string
  /** Null until somebody asks a second time. */
  all: CommittedNames | null
  isTooLarge: boolean
}

/** Asks for single paths at first, and for all of a commit once there are more: starting git costs more than reading. */
export function createCommittedNames(): LookUpCommitted {
  const memories = new Map<string, Memory>()
  return async (repository, version, paths) => {
    const memory = version === null ? undefined : memories.get(repository.folder)
    if (memory === undefined || memory.version !== version) {
      if (version !== null) memories.set(repository.folder, { version, all: null, isTooLarge: false })
      return list(repository, paths)
    }
    if (memory.all === null && !memory.isTooLarge) {
      memory.all = await list(repository, null)
      memory.isTooLarge = memory.all === null
    }
    return memory.all ?? list(repository, paths)
  }
}

async function list(
  repository: GitRepository,
  paths: readonly string[] | null,
): Promise<CommittedNames | null> {
  const which = paths === null ? ['-r', 'HEAD'] : ['HEAD', '--', ...paths]
  const end = await runGit(repository, ['ls-tree', '-z', '--full-tree', ...which])
  return end.ok ? readNames(end.stdout) : null
}

/** Reads `mode type name<TAB>path` of each entry; only files are of interest. */
function readNames(listed: string): CommittedNames {
  const found = new Map<string, string>()
  for (const row of listed.split('\0')) {
    const tab = row.indexOf('\t')
    const [mode = '', type, name = ''] = row.slice(0, Math.max(0, tab)).split(' ')
    if (type === 'blob' && mode.startsWith('100')) found.set(row.slice(tab + 1), name)
  }
  return found
}
