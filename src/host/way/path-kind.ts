import { lstatSync } from 'node:fs'
import { systemName } from '../root/exact-name.ts'

/** The kind of a path, without following a link at its end. */
export type PathKind = 'file' | 'folder' | 'link' | 'other' | 'missing'

/** What tells the kinds apart. */
interface Kinds {
  readonly isFile: () => boolean
  readonly isDirectory: () => boolean
  readonly isSymbolicLink: () => boolean
}

/** The kind of what was looked at. */
export function kindIn(stats: Kinds): Exclude<PathKind, 'missing'> {
  if (stats.isFile()) return 'file'
  if (stats.isDirectory()) return 'folder'
  return stats.isSymbolicLink() ? 'link' : 'other'
}

/** Reads the kind of an exact path. */
export function kindOf(path: string): PathKind {
  const found = lstatSync(systemName(path), { throwIfNoEntry: false })
  return found === undefined ? 'missing' : kindIn(found)
}

/** The same, but a path that cannot be read counts as missing, because it cannot be mounted either. */
export function kindOrMissing(path: string): PathKind {
  try {
    return kindOf(path)
  } catch {
    return 'missing'
  }
}
