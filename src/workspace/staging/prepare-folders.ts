import { failure } from '../../core/error.ts'
import { ownerAfter } from '../../host/fs/owner.ts'
import { folderOf, partsOf } from '../../host/root/rel-path.ts'
import type { FileChange, FileState } from '../../journal/entries/entry.ts'
import { FOLDER_DIGEST } from '../landing/file-state.ts'
import { placeOf } from '../landing/place-of.ts'
import type { Located } from '../sandbox/sandbox.ts'
import type { StagedFolder } from './staged-file.ts'

/** The changes of folders, and which folders are left to be made by their names alone. */
export interface PreparedFolders {
  readonly changes: readonly FileChange[]
  /** The folders above a new name that no change makes and that do not exist, outermost first. */
  readonly missingAbove: (at: Located) => readonly string[]
}

/** Prepares folders for the commit, with the modes, owners and attributes that they have, or that others have which they are like. */
export function prepareFolders(
  staged: readonly StagedFolder[],
  attributesOf: (at: Located) => Pick<FileState, 'attributes'>,
): PreparedFolders {
  const coming = new Set(
    staged.flatMap(({ at, likeAt }) => (likeAt === null ? [] : [placeOf(at.root.path, at.rel)])),
  )
  const missingAbove = ({ root, rel }: Located): readonly string[] => {
    const missing: string[] = []
    const parts = partsOf(folderOf(rel))
    for (let length = parts.length; length > 0; length--) {
      const path = parts.slice(0, length).join('/')
      if (root.stat(path) !== null) break
      if (!coming.has(placeOf(root.path, path))) missing.unshift(path)
    }
    return missing
  }
  const changes = staged.map(({ at, likeAt }): FileChange => {
    const place = { root: at.root.path, path: at.rel }
    if (likeAt === null)
      return { ...place, before: { ...stateOf(at), ...attributesOf(at) }, after: null, folders: [] }
    const like = { ...stateOf(likeAt), ...attributesOf(likeAt) }
    return { ...place, before: null, after: { ...like, ...ownerAfter(like) }, folders: missingAbove(at) }
  })
  return { changes, missingAbove }
}

function stateOf({ root, rel, display }: Located): FileState {
  const stat = root.stat(rel)
  if (stat?.kind !== 'dir')
    throw failure('execution_failed', `${display} is not a folder any more.`, { path: display }, [
      'Something else changed it while this call was running; try again.',
    ])
  const { mode, uid, gid } = stat
  return { kind: 'folder', digest: FOLDER_DIGEST, mode, uid, gid }
}
