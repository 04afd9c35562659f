import { statSync } from 'node:fs'
import { readFolderNames } from '../fs/folders.ts'
import { kindOrMissing, readRegular } from '../confine/inspect-path.ts'
import type { PathKind } from '../confine/inspect-path.ts'

/** What there is at absolute paths, for those who only look. Whatever cannot be read counts as missing. */
export interface PathView {
  /** Without following a link at the end. */
  readonly kindOf: (path: string) => PathKind
  readonly namesIn: (folder: string) => readonly string[]
  /** The text of a regular file up to a size, behind any links; empty if there is none. */
  readonly textOf: (path: string, maxBytes: number) => string
  /** Behind any links; null if there is nothing. */
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
  namesIn: (folder) => (readFolderNames(folder) ?? []).map(({ name }) => name),
  textOf: (path, maxBytes) => readRegular(path, maxBytes)?.toString('utf8') ?? '',
  statOf(path) {
    try {
      const found = statSync(path, { throwIfNoEntry: false })
      if (found === undefined) return null
      const { size, mtimeMs, ctimeMs } = found
      return { isFile: found.isFile(), size, mtimeMs, ctimeMs }
    } catch {
      return null
    }
  },
  leavesOutGit: () => false,
}
