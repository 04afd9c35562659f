import { join, resolve } from 'node:path'
import { failure } from '../../core/error.ts'
import { isRealFolder, kindOrMissing } from '../confine/inspect-path.ts'
import { showPath } from '../root/rel-path.ts'
import { readExactNames } from '../way/exact-names.ts'
import type { Gitlinks } from './git-index.ts'

/** A folder that an index names as a repository of its own. */
export interface NamedFolder {
  readonly folder: string
  /** The tree that may do so, for a folder of a sparse index. */
  readonly tree?: string
}

/** In a sparse checkout there is hardly anything in these folders. */
const MOST_FOLDERS = 10_000

/**
 * The folders of a work tree that its index names as repositories. Which ones a tree names is not looked up: all that are
 * there below its folder count. Throws if that holds too many folders to look for them.
 */
export function findNamedByIndex(
  top: string,
  { paths, folders }: Pick<Extract<Gitlinks, { readonly ok: true }>, 'paths' | 'folders'>,
): readonly NamedFolder[] {
  const linked = paths.map((path) => resolve(top, path)).filter((folder) => isRealFolder(top, folder))
  const below = folders.flatMap(({ path, tree }) => {
    const folder = resolve(top, path)
    return isRealFolder(top, folder) ? findBelow(folder).map((one) => ({ folder: one, tree })) : []
  })
  return [...linked.map((folder) => ({ folder })), ...below]
}

function findBelow(top: string): readonly string[] {
  const waiting = [top]
  for (const folder of waiting) {
    for (const { name, isFolder } of readExactNames(folder) ?? [])
      if (isFolder && name !== '.git') waiting.push(join(folder, name))
    if (waiting.length > MOST_FOLDERS)
      throw failure(
        'not_allowed',
        `${showPath(top)}, which git's index leaves out, holds too many folders to look for repositories in it`,
        {},
        ['Ask the user to remove it, or to take it into the sparse checkout.'],
      )
  }
  return waiting.filter((folder) => folder !== top && kindOrMissing(join(folder, '.git')) !== 'missing')
}
