import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Effort } from './effort.ts'
import { followNamedPath } from './follow-named-path.ts'
import type { FollowedName } from './follow-named-path.ts'
import type { FoundRepository } from '../find-repositories.ts'

/** Something outside of git's own folder that a link in it leads to. */
export interface LinkedPlace extends FollowedName {
  /** The link, or what was reached through it. */
  readonly from: string
  readonly isHooks: boolean
}

/** What decides over git in its own folder. */
const DECISIVE = ['config', 'config.worktree', 'info', 'info/attributes', 'modules', 'worktrees'] as const

/**
 * Finds where links lead that are in the place of what decides over git, or of single hooks: many projects keep their
 * hooks among the sources and link them. `hooks` are the folders that the configuration names.
 */
export function findLinkedPlaces(
  { folder: top, gitFolder, commonFolder }: FoundRepository,
  hooks: readonly string[],
  effort: Effort,
): readonly LinkedPlace[] {
  const linkAt = (from: string, isHooks: boolean): readonly LinkedPlace[] => {
    const followed = followNamedPath(from, effort)
    return followed === null || followed.links.length === 0 ? [] : [{ ...followed, from, isHooks }]
  }
  const folders = [...new Set([gitFolder, commonFolder])]
  const usualHooks = folders.map((folder) => join(folder, 'hooks'))
  return [
    ...linkAt(join(top, '.git'), false),
    ...folders.flatMap((folder) => DECISIVE.flatMap((name) => linkAt(join(folder, name), false))),
    ...usualHooks.flatMap((folder) => linkAt(folder, true)),
    ...[...new Set([...usualHooks, ...hooks])].flatMap((folder) =>
      linksIn(folder).flatMap((path) => linkAt(path, false)),
    ),
  ]
}

function linksIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isSymbolicLink())
      .map(({ name }) => join(folder, name))
  } catch {
    return []
  }
}
