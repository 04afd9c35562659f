import type { EntryKind, EntryStat, WalkEntry, WalkStep } from '../../core/powers.ts'

/**
 * A folder that is held open. Everything below it is reached by going down from it, so nothing that other processes
 * rename or link meanwhile leads out.
 *
 * Paths are relative, with forward slashes and '' for the root itself, and name what is really there: `resolve`
 * makes them, and every other operation refuses one that passes through a link. A name that is not UTF-8 keeps its
 * odd bytes as lone surrogates (see exact-name.ts).
 */
export interface Root {
  /** Canonical and absolute. */
  readonly path: string
  /** Whether swapping folders and links while we work can never lead out. */
  readonly isRaceFree: boolean
  /** Follows every link by hand; takes a relative path, or an absolute one. */
  readonly resolve: (path: string, linkBudget?: number) => Resolved
  /** Metadata of the name itself, or null where nothing is. */
  readonly stat: (rel: string) => FileStat | null
  /** Opens a regular file for reading; anything else is refused at once. */
  readonly openFile: (rel: string) => OpenFile
  /** What a folder holds, in code point order of the readable names. */
  readonly list: (rel: string) => readonly FolderEntry[]
  /** Visits everything below a folder, depth first, links never followed. */
  readonly walk: (rel: string, visit: (entry: RootWalkEntry) => WalkStep) => void
  /** The same, led by the caller, who also closes it. */
  readonly startWalk: (rel: string, order: WalkOrder) => RootWalk
  /** Runs `use` with a path, for other programs, to the open folder itself; it holds good only that long. */
  readonly lendFolder: <T>(rel: string, use: (path: string) => T) => T
  /** Whether names can be made and removed in a folder. */
  readonly isWritable: (rel: string) => boolean
  /** Makes a file that was not there. */
  readonly createExclusive: (rel: string, mode: number) => NewFile
  /** Replaces what `to` names, if anything; neither last part is followed if it is a link. */
  readonly rename: (from: string, to: string) => void
  /** The same for what is known to be a file, and quicker where there are many. */
  readonly placeFile: (from: string, to: string) => void
  readonly unlink: (rel: string) => void
  readonly mkdir: (rel: string, mode: number) => void
  readonly rmdir: (rel: string) => void
  /** Makes the entries of a folder durable. */
  readonly syncDir: (rel: string) => void
  readonly close: () => void
}

/** Where a path leads. */
export type Resolved =
  | {
      readonly isInside: true
      /** Without any link. */
      readonly rel: string
      readonly kind: EntryKind | 'missing'
      /** How many of the last parts of `rel` do not exist. */
      readonly missing: number
      readonly links: number
    }
  | {
      readonly isInside: false
      /** Absolute, as far as it was followed. */
      readonly target: string
      readonly links: number
    }

/** Metadata of one name; `modifiedMs` is whole milliseconds. */
export interface FileStat extends EntryStat {
  /** When its content, name or attributes last changed, as finely as the system says it. */
  readonly changedMs: number
  readonly mode: number
  readonly uid: number
  readonly gid: number
  readonly ino: number
  readonly dev: number
  readonly nlink: number
}

/** One name in a folder. */
export interface FolderEntry {
  /** Readable: bytes that are not UTF-8 show as replacement characters. */
  readonly name: string
  /** The name to reach it by. */
  readonly exactName: string
  readonly kind: EntryKind
}

/** What a visitor is shown; `stat` answers only while the entry's folder is being visited. */
export interface RootWalkEntry extends WalkEntry {
  /** Relative to where the walk began, to reach it by. */
  readonly exactPath: string
}

/** In which order the names of a folder come: as they are, or so that the whole paths are in order. */
export type WalkOrder = 'name' | 'path'

/** A walk whose next step is the caller's. */
export interface RootWalk {
  /** The next entry, depth first; null after the last. */
  readonly next: () => RootWalkEntry | null
  /** Goes into the folder that `next` gave last; one that cannot be read comes back as `unknown` with its fault. */
  readonly enter: () => RootWalkEntry | null
  /** Whether the folder that the walk is in holds a name. */
  readonly holds: (exactName: string) => boolean
  readonly close: () => void
}

/** A regular file, open for reading. */
export interface OpenFile {
  readonly stat: FileStat
  /** A path to the open file itself, for other programs, as long as it is open. */
  readonly systemPath: string
  /** How many bytes were read; 0 at the end. */
  readonly read: (buffer: Uint8Array, offset: number, length: number, position: number) => number
  /** All of it; a file over the limit is refused before anything is read. */
  readonly readAll: (maxBytes: number) => Uint8Array
  /** Makes its content reach the disk, while others get on with their work. */
  readonly sync: () => Promise<void>
  readonly close: () => void
}

/** A file that this process has just made. */
export interface NewFile {
  readonly write: (bytes: Uint8Array) => void
  readonly sync: () => void
  readonly setMode: (mode: number) => void
  readonly setOwner: (uid: number, gid: number) => void
  readonly stat: () => FileStat
  readonly close: () => void
}
