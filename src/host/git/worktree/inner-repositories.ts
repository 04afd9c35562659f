import { lstatSync } from 'node:fs'
import { join } from 'node:path'
import { readFolderNames } from '../../fs/folders.ts'
import { kindOrMissing } from '../../confine/inspect-path.ts'
import { isTakenForBare } from '../find-repositories.ts'

/** A folder has a name of its own, one in itself, and one in each folder that it holds; some file systems always say 1. */
const LINKS_WITHOUT_FOLDERS = 2

/**
 * The folders inside git's own that git takes for repositories, if somebody asks it there or a file leads there: those of
 * submodules and work trees, and whatever else was made. Null if it has more folders than `most`.
 */
export function findInnerRepositories(gitFolder: string, most: number): readonly string[] | null {
  const found: string[] = []
  if (kindOrMissing(gitFolder) !== 'folder') return found
  const waiting = [gitFolder]
  for (const folder of waiting) {
    if (folder !== gitFolder && isTakenForBare(folder)) found.push(folder)
    // Most folders are those of objects, which hold none.
    if (!mayHoldFolders(folder)) continue
    for (const { name, isFolder } of readFolderNames(folder) ?? [])
      if (isFolder) waiting.push(join(folder, name))
    if (waiting.length > most) return null
  }
  return found
}

function mayHoldFolders(folder: string): boolean {
  return lstatSync(folder, { throwIfNoEntry: false })?.nlink !== LINKS_WITHOUT_FOLDERS
}
