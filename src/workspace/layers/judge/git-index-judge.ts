import { failure } from '../../../core/error.ts'
import { readGitlinks, readSureGitlinks } from '../../../host/git/git-index.ts'
import type { SparseFolder } from '../../../host/git/git-index.ts'
import { findNamedByIndex } from '../../../host/git/named-by-index.ts'
import type { LayerChange } from '../../../host/layer/layer-change.ts'
import { absoluteOf, folderOf, joinRel, nameOf, relativeTo, showPath } from '../../../host/root/rel-path.ts'
import type { Root } from '../../../host/root/root.ts'
import { statPlain } from '../../../host/root/stat-plain.ts'
import { findRepositories } from '../../../host/git/find-repositories.ts'
import { gitFolderOf } from './git-judge.ts'
import { innermostGit } from './inner-git.ts'
import type { OpenPart } from '../layer-files.ts'

/** Throws if an index would name further repositories of the workspace, whose configuration `git status` would follow. */
export function refuseIndexedRepositories(
  { lower, upper }: OpenPart,
  landing: readonly LayerChange[],
  displayOf: (path: string) => string,
): void {
  for (const { path, after } of landing) {
    const outer = nameOf(path) === 'index' && after?.kind === 'file' ? gitFolderOf(path) : null
    if (outer === null || after === null) continue
    const git = innermostGit(lower, outer, path).path
    if (git !== folderOf(path)) continue
    const layer = after.source.layer === 'upper' ? upper : lower
    const [is, was] = [
      readGitlinks(absoluteOf(layer.path, after.source.path)),
      readSureGitlinks(absoluteOf(lower.path, path)),
    ]
    if (!is.ok) {
      if (was.ok) throw refusal(path, "it would leave git's index unreadable", displayOf)
      continue
    }
    const known = new Set(was.ok ? was.paths : [])
    const tops = git === outer ? [folderOf(git)] : workTreesOf(lower, git)
    const added = is.paths.find(
      (inner) =>
        !known.has(inner) &&
        (tops.length === 0 || tops.some((top) => statPlain(lower, `${joinRel(top, inner)}/.git`) !== null)),
    )
    const inTree = findInNewTrees(lower, tops, is.folders, was.ok ? was.folders : [])
    const named = added ?? inTree
    if (named !== null && named !== undefined)
      throw refusal(path, `it would name ${showPath(named)}, whose configuration git would follow`, displayOf)
  }
}

/** A repository that a folder of a sparse index could come to name, because another tree says what is in it. */
function findInNewTrees(
  lower: Root,
  tops: readonly string[],
  folders: readonly SparseFolder[],
  before: readonly SparseFolder[],
): string | null {
  const known = new Set(before.map(({ path, tree }) => `${tree} ${path}`))
  const changed = folders.filter(({ path, tree }) => !known.has(`${tree} ${path}`))
  if (tops.length === 0) return changed[0]?.path ?? null
  const named = tops.flatMap((top) =>
    findNamedByIndex(absoluteOf(lower.path, top), { paths: [], folders: changed }),
  )
  const [first] = named
  return first === undefined ? null : (relativeTo(lower.path, first.folder) ?? first.folder)
}

/** The work trees that a submodule's or linked work tree's git folder belongs to; none if that is unknown. */
function workTreesOf(lower: Root, git: string): readonly string[] {
  const absolute = absoluteOf(lower.path, git)
  return findRepositories(lower.path, lower.path)
    .filter(({ gitFolder, isLost }) => gitFolder === absolute && isLost !== true)
    .flatMap(({ folder }) => relativeTo(lower.path, folder) ?? [])
}

function refusal(path: string, why: string, displayOf: (path: string) => string): Error {
  const attempted = displayOf(path).toWellFormed()
  return failure(
    'denied_pattern',
    `Nothing was landed: ${showPath(attempted)} would have been changed, but ${why}.`,
    { reason: 'DeniedPatternMatched', attempted },
    ['Run the command such that it leaves the index alone, or ask the user to run it.'],
  )
}
