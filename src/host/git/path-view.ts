import { lstatSync } from 'node:fs'
import { readFolderNames } from '../fs/folders.ts'
import { readPlainFile } from '../fs/plain-file.ts'
import { kindOrMissing } from '../confine/inspect-path.ts'
import type { PathKind } from '../confine/inspect-path.ts'

/**
 * What there is at absolute paths, for those who only look. Whatever cannot be read counts as missing. A link at the end
 * of a path is never followed: a command can make one that leads to what it cannot see, and what is found is shown.
 */
export interface PathView {
  readonly kindOf: (path: string) => PathKind
  /** Nothing if it is not a folder. */
  readonly namesIn: (folder: string) => readonly string[]
  /** The text of a regular file up to a size; empty if it is anything else. */
  readonly textOf: (path: string, maxBytes: number) => string
  /** Null if there is nothing. */
  readonly statOf: (path: string) => PathStat | null
  /** Whether what decides over git is left out there when the rest lands. */
  readonly leavesOutGit: (path: string) => boolean
}

/** A part of what the system says about a path. */
export interface PathStat {
  readonly isFile: boolean
  readonly size: number
  readonly mtimeMs: number
  readonly ctimeMs: number
}

/** The file system as it is. */
export const LIVE: PathView = {
  kindOf: kindOrMissing,
  namesIn: (folder) =>
    kindOrMissing(folder) === 'folder' ? (readFolderNames(folder) ?? []).map(({ name }) => name) : [],
  textOf: (path, maxBytes) => {
    const found = readPlainFile(path, 'project', maxBytes)
    return found.is === 'read' ? found.bytes.toString('utf8') : ''
  },
  statOf(path) {
    try {
      const found = lstatSync(path, { throwIfNoEntry: false })
      if (found === undefined) return null
      const { size, mtimeMs, ctimeMs } = found
      return { isFile: found.isFile(), size, mtimeMs, ctimeMs }
    } catch {
      return null
    }
  },
  leavesOutGit: () => false,
}
