import type { FileStat } from '../root/root.ts'

/** A name in an open folder. */
export interface NativeName {
  readonly folder: number
  readonly name: string
}

/** Stands for the folder of a name that is an absolute path. */
export const NO_FOLDER = -1

/** To a free name only, or such that each gets the name of the other. */
export type RenameHow = 'new' | 'exchange'

/**
 * System calls that Node does not offer. None of them is needed: where one is missing or refuses, the caller does what it
 * does without native code, which also words the error. Names that are given as text must be whole: no NUL
 * character, and no byte that is not UTF-8.
 */
export interface Native {
  /** Opens an absolute path of which no part is a link; null if that fails for any reason. */
  readonly openPlain: (path: string, flags: number) => number | null
  /** Opens a path below an open folder of which no part is a link; null if that fails for any reason. */
  readonly openBelow: (folder: number, path: string, flags: number) => number | null
  /** Metadata of a name in an open folder, without following a link; null if that fails for another reason. */
  readonly statAt: (folder: number, name: string) => FileStat | 'missing' | null
  /** Whether something is mounted on a name in an open folder; null if that cannot be told. */
  readonly isMounted: (folder: number, name: string) => boolean | null
  /** Whether a name in an open folder is immutable or append-only; null if that cannot be told. */
  readonly isFixed: (folder: number, name: string) => boolean | null
  /**
   * Renames without losing anything: to a name that must be free, or by exchanging two names. Returns 0 or the number of
   * the error.
   */
  readonly rename: (from: NativeName, to: NativeName, how: RenameHow) => number
  /** Removes an empty folder by its absolute path; returns 0 or the number of the error. */
  readonly removeFolder: (path: string) => number
  /** Whether a file has extended attributes, by its absolute path; null if that cannot be told. */
  readonly hasAttributes: (path: string) => boolean | null
  /** The names of the extended attributes of a file by the bytes of its path, also if it cannot be read; null if that cannot be told. */
  readonly attributeNames: (path: Uint8Array) => readonly Uint8Array[] | null
  /** The extended attributes of a file by the bytes of its path; null if they cannot be read. */
  readonly readAttributes: (
    path: Uint8Array,
    lastLink: 'followed' | 'itself',
  ) => ReadonlyMap<string, Uint8Array> | null
}
