import { failure } from '../../core/error.ts'
import type { ToolFailure } from '../../core/error.ts'
import { showPath } from '../../host/root/rel-path.ts'
import { findExit } from '../../host/way/find-exit.ts'
import { findWay } from '../../host/way/find-way.ts'
import type { Way } from '../../host/way/follow-way.ts'

/**
 * Why a path that a setting names is not followed; null if it is. A tool or a command may have put a link in a root: the
 * setting was meant for what was there, and not for what the link leads to.
 */
export function findSettingFault(
  setting: string,
  path: string,
  roots: readonly string[],
  way: Way = findWay(path),
): ToolFailure | null {
  const exit = findExit(way, roots)
  if (exit === null) return null
  const { link, real, root } = exit
  return failure(
    'not_allowed',
    `${setting} names ${showPath(path)}, but ${showPath(link)} is a link that leads out of ${showPath(root)}, to ${showPath(real)}: it is not followed.`,
    { key: setting, path: showPath(path), link: showPath(link), leads_to: showPath(real) },
    [
      `Name ${showPath(real)} itself in ${setting} if that is meant, or put a folder in the place of the link.`,
    ],
  )
}

/** Throws if a folder that was opened is reached by a link in another one, where tools and commands make links. */
export function requireFoldersThemselves(folders: readonly string[], roots: readonly string[]): void {
  for (const [at, folder] of folders.entries()) {
    const others = roots.filter((root) => root !== roots[at])
    const fault = findSettingFault('tools.sandbox.allowed_roots', folder, others)
    if (fault !== null) throw fault
  }
}
