import { isRealFolder, kindOrMissing } from '../../../host/confine/inspect-path.ts'
import { readFolderNames } from '../../../host/fs/folders.ts'
import { isBare, isBareByNames, REPOSITORY_NAMES } from '../../../host/git/find-repositories.ts'
import { absoluteOf, folderOf, joinRel, nameOf } from '../../../host/root/rel-path.ts'
import type { FileChange } from '../../../journal/entries/entry.ts'
import { gitFolderOf } from '../../layers/judge/git-judge.ts'
import { foldName } from '../../sandbox/deny-rule.ts'
import { placeOf } from '../place-of.ts'
import type { FilePlace } from '../place-of.ts'

/** What git finds a repository by, and what it obeys in one. */
const DECISIVE = [...REPOSITORY_NAMES, 'config', 'config.worktree', 'hooks', 'info'] as const
const NAMES: ReadonlySet<string> = new Set(REPOSITORY_NAMES.map(foldName))

/**
 * The first folder that changes would make a repository together with what is there already, or null. What an undo puts
 * back was there before; but what was written meanwhile was judged while the folder was none.
 */
export function findMadeRepository(changes: readonly FileChange[]): FilePlace | null {
  const all = new Map(changes.map((change) => [placeOf(change.root, change.path), change]))
  const removed = new Set(
    changes.flatMap(({ root, after, folders = [] }) =>
      after === null ? folders.map((path) => placeOf(root, path)) : [],
    ),
  )
  const isGone = (root: string, path: string): boolean => {
    const absolute = absoluteOf(root, path)
    if (kindOrMissing(absolute) === 'missing') return true
    const change = all.get(placeOf(root, path))
    if (change !== undefined) return change.after === null
    const names = removed.has(placeOf(root, path)) ? readFolderNames(absolute) : null
    return names !== null && names.every(({ name }) => isGone(root, joinRel(path, name)))
  }
  const made = new Set(
    changes
      .filter(({ path, after }) => after !== null && gitFolderOf(path) === null)
      .flatMap(({ root, path }) => withFolders(path).map((at) => placeOf(root, foldLast(at)))),
  )
  const isMade = (root: string, folder: string): boolean => {
    const stays = (name: string): boolean => !isGone(root, joinRel(folder, name))
    const comes = (name: string): boolean => made.has(placeOf(root, foldLast(joinRel(folder, name))))
    const absolute = absoluteOf(root, folder)
    if (!isRealFolder(root, absolute) || isBare(absolute)) return false
    return isBareByNames((name) => stays(name) || comes(name)) && DECISIVE.some(stays)
  }
  const tried = new Set<string>()
  for (const { root, path, after } of changes) {
    if (after === null || gitFolderOf(path) !== null) continue
    for (const at of withFolders(path)) {
      const folder = folderOf(at)
      if (!NAMES.has(foldName(nameOf(at))) || tried.has(placeOf(root, folder))) continue
      tried.add(placeOf(root, folder))
      if (isMade(root, folder)) return { root, path: folder === '' ? '.' : folder }
    }
  }
  return null
}

/** A path and the folders above it. */
function withFolders(path: string): readonly string[] {
  const all: string[] = []
  for (let at = path; at !== ''; at = folderOf(at)) all.push(at)
  return all
}

function foldLast(path: string): string {
  return joinRel(folderOf(path), foldName(nameOf(path)))
}
