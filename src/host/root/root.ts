import type { EntryFault, EntryKind, EntryStat, WalkEntry, WalkStep } from '../../core/powers.ts'

/**
 * A folder that is held open. Everything below it is reached by going down from it, so no rename or link that another
 * process makes in the meantime can lead out.
 *
 * Paths are relative, with forward slashes and '' for the root itself, and contain no links: `resolve` makes them, and
 * every other operation refuses a path that passes through a link. In a name that is not UTF-8, the other bytes are lone
 * surrogates (see exact-name.ts).
 */
export interface Root {
  /** Canonical and absolute. */
  readonly path: string
  /** Whether swapping folders and links during an operation can never lead out. */
  readonly isRaceFree: boolean
  /** Follows every link itself; takes a relative or an absolute path. */
  readonly resolve: (path: string, linkBudget?: number) => Resolved
  /** Metadata of the name itself, or null if it does not exist. */
  readonly stat: (rel: string) => FileStat | null
  /** Opens a regular file for reading; anything else is refused at once. */
  readonly openFile: (rel: string) => OpenFile
  /** The entries of a folder, in code point order of the readable names. */
  readonly list: (rel: string) => readonly FolderEntry[]
  /** Visits everything below a folder, depth first, without following links. */
  readonly walk: (rel: string, visit: (entry: RootWalkEntry) => WalkStep) => void
  /** The same, but the caller asks for each entry, and closes the walk. */
  readonly startWalk: (rel: string, order: WalkOrder) => RootWalk
  /** Runs `use` with a path to the open folder itself, for other programs; the path is valid only during `use`. */
  readonly lendFolder: <T>(rel: string, use: (path: string) => T) => T
  /** Whether names can be created and removed in a folder. */
  readonly isWritable: (rel: string) => boolean
  /**
   * Why a name cannot be replaced or removed, as far as the system says beforehand; null if nothing speaks against it,
   * which is no promise: network and user-space file systems may refuse only when it happens. `mounted` are the names
   * that something is mounted on, as `findMounted` returned them just now; without them the system is asked about this one.
   */
  readonly findObstacle: (rel: string, mounted?: ReadonlySet<string>) => string | null
  /** The names below the root that something is mounted on, for many calls of `findObstacle`. */
  readonly findMounted: () => ReadonlySet<string>
  /** Creates a file that does not exist yet. */
  readonly createExclusive: (rel: string, mode: number) => NewFile
  /** Replaces what `to` names, if anything; a link in either last part is not followed. */
  readonly rename: (from: string, to: string) => void
  /** The same for a known file; quicker for many files. */
  readonly placeFile: (from: string, to: string) => void
  /**
   * Gives a known file a name that must be free, or exchanges it with the file that has the name, in one step of the
   * system. Nothing has happened unless it is done; not every system and file system can.
   */
  readonly placeExactly: (from: string, to: string, how: 'new' | 'exchange') => PlaceEnd
  readonly unlink: (rel: string) => void
  readonly mkdir: (rel: string, mode: number) => void
  readonly rmdir: (rel: string) => void
  /** Makes the entries of a folder durable. */
  readonly syncDir: (rel: string) => void
  readonly close: () => void
}

/** How it ended; `taken` if the name was to be free. */
export type PlaceEnd = 'done' | 'taken' | 'not possible'

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
      /** Absolute, as far as it was resolved. */
      readonly target: string
      readonly links: number
    }

/** Metadata of one name; `modifiedMs` is whole milliseconds. */
export interface FileStat extends EntryStat {
  /** When its content, name or attributes last changed, as precisely as the system reports it. */
  readonly changedMs: number
  readonly mode: number
  readonly uid: number
  readonly gid: number
  readonly ino: number
  readonly dev: number
  readonly nlink: number
  /** Whether it is the kind of device by which an overlay marks a removed name. */
  readonly isWhiteout: boolean
}

/** One name in a folder. */
export interface FolderEntry {
  /** Readable: bytes that are not UTF-8 show as replacement characters. */
  readonly name: string
  /** The name to open it by. */
  readonly exactName: string
  readonly kind: EntryKind
}

/** An entry of a walk; `stat` works only while the entry's folder is being visited. */
export interface RootWalkEntry extends WalkEntry {
  /** The path to open it by, relative to the start of the walk. */
  readonly exactPath: string
  readonly stat: () => FileStat | EntryFault
}

/** The order of the names in a folder: by name, or such that the whole paths are sorted. */
export type WalkOrder = 'name' | 'path'

/** A walk that the caller controls step by step. */
export interface RootWalk {
  /** The next entry, depth first; null after the last. */
  readonly next: () => RootWalkEntry | null
  /** Enters the folder that `next` returned last; if it cannot be read, returns it as `unknown` with its fault. */
  readonly enter: () => RootWalkEntry | null
  /** Whether the current folder of the walk contains a name. */
  readonly holds: (exactName: string) => boolean
  readonly close: () => void
}

/** A regular file, open for reading. */
export interface OpenFile {
  readonly stat: FileStat
  /** A path to the open file itself, for other programs; valid as long as it is open. */
  readonly systemPath: string
  /** Returns how many bytes were read; 0 at the end. */
  readonly read: (buffer: Uint8Array, offset: number, length: number, position: number) => number
  /** Reads all of it; a file over the limit is refused before anything is read. */
  readonly readAll: (maxBytes: number) => Uint8Array
  /** Flushes its content to disk without blocking this thread. */
  readonly sync: () => Promise<void>
  readonly close: () => void
}

/** A file that this process has just created. */
export interface NewFile {
  readonly write: (bytes: Uint8Array) => void
  readonly sync: () => void
  readonly setMode: (mode: number) => void
  readonly setOwner: (uid: number, gid: number) => void
  readonly stat: () => FileStat
  readonly close: () => void
}
