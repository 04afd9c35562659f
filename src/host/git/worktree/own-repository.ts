import { dirname, join, resolve } from 'node:path'
import { kindOrMissing } from '../../confine/inspect-path.ts'
import { isBelow } from '../../confine/mount.ts'
import { followGitFile } from '../find-repositories.ts'
import { readGitSettings } from '../read-settings.ts'
import { realGitPath } from '../follow/follow-named-path.ts'
import { pointerOf } from '../follow/pointer.ts'

/** What git writes or obeys in its folder. A link in the place of one would be another repository's. */
const PARTS = ['HEAD', 'index', 'objects', 'refs', 'logs', 'packed-refs', 'config', 'info'] as const

/**
 * Why git must not be used in a folder: its `.git` leads to a repository that does not know this work tree, as in a
 * folder that was unpacked. Null if it may be, or if there is no repository.
 */
export function findForeignRepository(folder: string, home: string): string | null {
  for (let at = folder; ; at = dirname(at)) {
    if (kindOrMissing(join(at, '.git')) !== 'missing') return judge(at, home)
    if (at === dirname(at)) return null
  }
}

function judge(folder: string, home: string): string | null {
  const git = join(folder, '.git')
  const foreign = `${git} leads to a repository that does not name this work tree`
  const kind = kindOrMissing(git)
  const gitFolder = kind === 'folder' ? git : kind === 'file' ? followGitFile(folder, git) : null
  if (gitFolder === null) return kind === 'link' ? `${git} is a link` : foreign
  const common = pointerOf(join(gitFolder, 'commondir'))
  const shared = common === null ? gitFolder : realGitPath(resolve(gitFolder, common))
  if (shared === null) return foreign
  if (kindOrMissing(join(gitFolder, 'commondir')) !== 'missing') {
    if (kind === 'folder' || dirname(dirname(gitFolder)) !== shared || !isLinkedBack(gitFolder, git))
      return foreign
  } else if (!isBelow(gitFolder, realGitPath(folder) ?? folder) && !isOwnSubmodule(folder, gitFolder, home))
    return foreign
  const link = [...new Set([gitFolder, shared])]
    .flatMap((at) => PARTS.map((name) => join(at, name)))
    .find((path) => kindOrMissing(path) === 'link')
  return link === undefined ? null : `${link} is a link`
}

/** Whether the folder of one of several work trees names its file `.git`. */
export function isLinkedBack(gitFolder: string, git: string): boolean {
  return realGitPath(resolve(gitFolder, pointerOf(join(gitFolder, 'gitdir')) ?? '')) === realGitPath(git)
}

/** Whether a git folder names this work tree as its own; any `.git` file could point to a foreign one. */
export function isOwnSubmodule(folder: string, gitFolder: string, home: string): boolean {
  const own = join(gitFolder, 'config')
  const read = readGitSettings({ gitFolder, commonFolder: gitFolder }, home)
  const named = read.ok
    ? read.settings.filter(
        ({ key, file, givenBy }) => key === 'core.worktree' && file === own && givenBy === undefined,
      )
    : []
  return named.some(({ value }) => realGitPath(resolve(gitFolder, value)) === realGitPath(folder))
}
