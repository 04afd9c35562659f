/** What kind of thing a name in a folder is. */
export type EntryKind = 'file' | 'dir' | 'symlink' | 'other'

/** Metadata of one entry, never of what a link points to. */
export interface EntryStat {
  readonly kind: EntryKind
  readonly size: number
  readonly modifiedMs: number
}

/** Lines of a file, counted from 1, both ends included. */
export interface LineRange {
  readonly start_line: number
  readonly end_line: number
}

/** A regular file that is open through the sandbox. It closes by itself when the call ends. */
export interface OpenedFile {
  /** Relative to the root, with forward slashes. */
  readonly path: string
  readonly size: number
  readonly modifiedMs: number
  /** Reads up to `length` bytes at `position`; fewer only at the end. */
  readonly readAt: (position: number, length: number) => Uint8Array
  /** Reads all of it; refuses a file over `maxBytes`. */
  readonly readAll: (maxBytes: number) => Uint8Array
  /** Notes in the ledger that these lines, or all of them, were shown. */
  readonly saw: (range: LineRange | null) => void
}

/** One thing met on a walk. */
export interface WalkEntry {
  /** Names that are no UTF-8 carry replacement characters here. */
  readonly name: string
  /** Relative to where the walk began. */
  readonly path: string
  readonly depth: number
  readonly kind: EntryKind | 'unknown'
  /** Why the entry could not be looked at or entered, or null. */
  readonly fault: EntryFault | null
  /** Looks up metadata now; a fault instead where that fails. */
  readonly stat: () => EntryStat | EntryFault
}

/** Why an entry could not be read. */
export interface EntryFault {
  readonly fault: 'metadata_unavailable' | 'permission_denied' | 'read_dir_failed' | 'io_error' | 'unknown'
  readonly message: string
}

/** What a visitor wants next. */
export type WalkStep = 'enter' | 'pass' | 'stop'

/** Reading inside the sandbox. */
export interface Files {
  readonly open: (path: string) => OpenedFile
  readonly stat: (path: string) => EntryStat | null
  /** Visits everything below a folder, depth first, names in code point order; links are never followed. */
  readonly walk: (path: string, visit: (entry: WalkEntry) => WalkStep) => void
}

/** What stands at a path that a tool wants to change, staged changes included. */
export interface EditTarget {
  /** Relative to the root, with forward slashes. */
  readonly path: string
  /** The same for every spelling of one file. */
  readonly key: string
  readonly kind: EntryKind | 'missing'
  readonly size: number
}

/** Which part of a file a change was meant for, so that a refusal can show it as it is now. */
export interface IntendedPlace {
  readonly lines?: LineRange
  /** Text the change looked for. */
  readonly find?: readonly string[]
  /** Whether the tool matches text itself, so that lines shown in a refusal count as read. */
  readonly matchesText: boolean
}

/** Staged changes inside the sandbox; nothing is on disk until the call commits. */
export interface Edits {
  readonly look: (path: string) => EditTarget
  /** The bytes as this call sees them; only a regular file within the editing limit has any. */
  readonly read: (path: string) => Uint8Array
  /** Refuses a file that was not read in this session, or has changed since. */
  readonly requireFresh: (path: string, place: IntendedPlace) => void
  readonly write: (path: string, bytes: Uint8Array, options?: { readonly keepBackup?: boolean }) => void
  readonly remove: (path: string) => void
  /** Where the old content of a file will be kept, or null where nothing is to be kept. */
  readonly backupPath: (path: string) => string | null
  /** All staged changes as a unified diff. */
  readonly diff: () => string
}

/** How a process ended. */
export interface ProcessEnd {
  readonly exitCode: number | null
  readonly signal: string | null
  readonly stdout: string
  readonly stderr: string
}

/** Starting processes. */
export interface Spawn {
  readonly run: (argv: readonly string[], options?: { readonly stdin?: string }) => Promise<ProcessEnd>
}
