import type { ScriptBehind } from './command/script-behind.ts'
import type { JsonValue } from './json/value.ts'
import type { ExpandRequest, OutlinedNode, OutlineRequest } from './text-requests.ts'

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

/** One entry found on a walk. */
export interface WalkEntry {
  /** Names that are not UTF-8 contain replacement characters here. */
  readonly name: string
  /** Relative to where the walk began. */
  readonly path: string
  readonly depth: number
  readonly kind: EntryKind | 'unknown'
  /** Why the entry could not be read or entered, or null. */
  readonly fault: EntryFault | null
  /** Reads the metadata now; gives a fault if that fails. */
  readonly stat: () => EntryStat | EntryFault
}

/** Why an entry could not be read. */
export interface EntryFault {
  readonly fault: 'metadata_unavailable' | 'permission_denied' | 'read_dir_failed' | 'io_error' | 'unknown'
  readonly message: string
}

/** What a visitor wants next. */
export type WalkStep = 'enter' | 'pass' | 'stop'

/** A walk that the caller drives. Entries come in code point order of their whole paths. */
export interface Walk {
  /** The next entry, depth first; null after the last. */
  readonly next: () => WalkEntry | null
  /** Goes into the folder that `next` gave last; one that cannot be read comes back as `unknown` with its fault. */
  readonly enter: () => WalkEntry | null
  /** Whether the current folder of the walk contains a name. */
  readonly holds: (name: string) => boolean
  readonly close: () => void
}

/** Where a path leads once every link is followed. */
export interface FollowedPath extends EntryStat {
  /** Relative to the root if it is inside, without links; '.' is the root. */
  readonly path: string
  /** Absolute, and the same for every path that leads there. */
  readonly place: string
}

/** What to search for, and where. */
export interface SearchRequest {
  readonly query: string
  readonly isRegex: boolean
  readonly isCaseSensitive: boolean
  /** Files and folders to begin at, relative to the root; '' is the root. */
  readonly starts: readonly string[]
  /** Globs, only for speed: what to leave out and, unless null, the only file names to search. */
  readonly without: readonly string[]
  readonly only: readonly string[] | null
  readonly withHidden: boolean
  /** Whether files that are not text are searched to their end too; otherwise only as far as it takes to tell. */
  readonly withBinary?: boolean
  /** Files in the searched folders that the search program reads by itself, and how large they may be. */
  readonly ignoreFiles: { readonly names: readonly string[]; readonly maxBytes: number }
  readonly maxFileBytes: number
  readonly maxLinesPerFile: number
  /** Whether to use the built-in search instead of the search program. */
  readonly isBuiltIn: boolean
  readonly signal: AbortSignal
  /** Visits every file that may be searched, for when there is no search program; `visit` says whether to go on. */
  readonly eachFile: (visit: (path: string) => Promise<boolean>) => Promise<void>
}

/** Receives what a search finds. */
export interface SearchVisitor {
  /** Whether to search a file, by its path. */
  readonly includes: (path: string) => boolean
  /** Takes all of a file that has matches, and where it lies if that was found out; false if it is not to be shown. */
  readonly open: (path: string, bytes: Uint8Array, place?: string) => boolean
  /** Takes a match in that file: its line, from 1, and its offsets in the bytes. */
  readonly match: (line: number, from: number, to: number) => 'more' | 'next_file' | 'stop'
  /** Called every second that the search takes. */
  readonly tick: () => void
}

/** A line of a file, without its ending. */
export interface NumberedLine {
  readonly line: number
  readonly text: string
}

/** The beginning of a file; `refused` is what exists but is outside, denied or not a regular file. */
export type PeekedStart =
  | { readonly is: 'read'; readonly bytes: Uint8Array; readonly isWhole: boolean }
  | { readonly is: 'missing' | 'refused' }

/** Reading inside the sandbox. */
export interface Files {
  readonly open: (path: string) => OpenedFile
  readonly stat: (path: string) => EntryStat | null
  /** Visits everything below a folder, depth first, names in code point order; links are never followed. `pass` is told what is left out: denied entries, and if it is given also those whose names are not UTF-8. */
  readonly walk: (path: string, visit: (entry: WalkEntry) => WalkStep, pass?: (path: string) => void) => void
  /** Begins a walk below a folder; it ends with the call at the latest. Denied files are left out unless only their names are wanted. */
  readonly startWalk: (path: string, options?: { readonly showsDenied?: boolean }) => Walk
  /** Where a path leads, or null if that is nowhere inside, or denied. */
  readonly follow: (path: string) => FollowedPath | null
  /** All of a small regular file, or null if there is none that may be read. */
  readonly peek: (path: string, maxBytes: number) => Uint8Array | null
  /** The beginning of a regular file, with the reason if there is none. */
  readonly peekStart: (path: string, maxBytes: number) => PeekedStart
  /** Finds text in files. Everything that the visitor is shown was read inside the sandbox. */
  readonly search: (request: SearchRequest, visitor: SearchVisitor) => Promise<void>
  /** Notes in the ledger that single lines of a file were shown, with their text. */
  readonly sawLines: (path: string, lines: readonly NumberedLine[]) => void
  /** What a replacement becomes at matches of a pattern; a pattern that takes too long is stopped. */
  readonly expand: (request: ExpandRequest) => Promise<readonly string[]>
  /** Finds the definitions in a text that was read; null if it cannot be parsed. */
  readonly outline: (request: OutlineRequest) => Promise<readonly OutlinedNode[] | null>
}

/** What exists at a path that a tool wants to change, staged changes included. */
export interface EditTarget {
  /** Relative to the root, with forward slashes. */
  readonly path: string
  /** The same for every spelling of one file. */
  readonly key: string
  readonly kind: EntryKind | 'missing'
  readonly size: number
}

/** The part of a file that a change was meant for, so a refusal can show it as it is now. */
export interface IntendedPlace {
  readonly lines?: LineRange
  /** Text the change looked for. */
  readonly find?: readonly string[]
  /** Lines that must have been shown, not just some part of the file. */
  readonly mustHaveSeen?: LineRange
  /** Lines that need not have been read if a search showed them as they are now. */
  readonly orShown?: readonly LineRange[]
  /** What the caller can do instead of reading them. */
  readonly instead?: string
  /** Whether the tool matches text itself, so that lines shown in a refusal count as read. */
  readonly matchesText: boolean
}

/** How a file is written. */
export interface WriteOptions {
  readonly keepBackup?: boolean
  /** A file whose mode and owner a new one takes over. */
  readonly like?: string
}

/** Staged changes inside the sandbox; nothing is on disk until the call commits. */
export interface Edits {
  readonly stat: (path: string) => EditTarget
  /** The bytes as this call sees them; only a regular file within the editing limit has any. */
  readonly read: (path: string) => Uint8Array
  /** Refuses a file that was not read in this session, or has changed since. */
  readonly requireFresh: (path: string, place: IntendedPlace) => void
  readonly write: (path: string, bytes: Uint8Array, options?: WriteOptions) => void
  readonly remove: (path: string) => void
  /** Drops what this call has staged for a file. */
  readonly drop: (path: string) => void
  /** Removes a folder when the call commits, if it is empty by then. */
  readonly removeFolder: (path: string) => void
  /** Makes a folder when the call commits, with the mode, owner and attributes that another one has. */
  readonly makeFolder: (path: string, like: string) => void
  /** Where the old content of a file will be copied to, or null if it is not. */
  readonly backupPath: (path: string) => string | null
  /** All staged changes as a unified diff. */
  readonly diff: () => string
}

/** Small values a tool stores for its session, such as a list of tasks; a change counts once the call has succeeded. */
export interface SessionStore {
  readonly read: (key: string) => JsonValue | null
  readonly write: (key: string, value: JsonValue) => void
}

/** A command to be run in the workspace. */
export interface SpawnRequest {
  /** The program and its arguments; no shell reads them. */
  readonly argv: readonly string[]
  /** The words that stay the same for every call that a grant for the tool covers; all of them if absent. */
  readonly stem?: readonly string[]
  /** What the words stand for, where a file of the project says so, such as a script that they name. */
  readonly behind?: ScriptBehind
  /** Relative to the root; the root itself if absent. */
  readonly cwd?: string
  readonly env?: Readonly<Record<string, string>>
  /** A folder of programs that come before those of PATH, relative to where it runs. */
  readonly programs?: string
  /** Closed if absent. */
  readonly stdin?: string
  readonly timeoutMs: number
  /** How much of each stream is kept; as much as a result may show if absent. */
  readonly keepBytes?: number
  /** A stream longer than this can be read in full afterwards; `keepBytes` if absent. */
  readonly spillFromBytes?: number
  /** A machine-readable stream that is not shown to watchers. */
  readonly unwatched?: 'stdout' | 'stderr'
  /** Access beyond the sandbox that a person has approved. */
  readonly extraAccess?: ExtraAccess | null
}

/** What a call asks for its command beyond what the sandbox gives every command; paths are absolute, or from `~/` on. */
export interface ExtraAccess {
  readonly network: boolean
  readonly read: readonly string[]
  readonly write: readonly string[]
}

/** The access that a sandboxed command seems to have lacked, and whether a new call may ask for it. */
export interface MissingAccess {
  readonly says: string
  /** The arguments to add to the same call; null if it cannot be granted. */
  readonly grant: {
    readonly network?: true
    readonly read?: readonly string[]
    readonly write?: readonly string[]
  } | null
}

/** How a process ended. */
export interface ProcessEnd {
  readonly exitCode: number | null
  readonly signal: string | null
  /** Bounded: a line in the middle says how much was left out. */
  readonly stdout: string
  readonly stderr: string
  /** What to show instead of a stream that is not text. */
  readonly binary: { readonly stdout?: string; readonly stderr?: string }
  readonly durationMs: number
  readonly isTimedOut: boolean
  readonly isCancelled: boolean
  /** Whether the program was not found, so that nothing was started. */
  readonly isAbsent: boolean
  /** What confined it, in words. */
  readonly sandbox: string
  /** What actually enforces each limit. */
  readonly limits: Readonly<Record<string, 'cgroup' | 'rlimit' | 'none'>>
  readonly wanted: MissingAccess | null
  /** What it left behind that makes git act later, as sentences. */
  readonly leftForGit: readonly string[]
  /** Whether what it changed is on a layer, which is dropped if its call fails. */
  readonly isOnLayer: boolean
  /** Where all of its output can be read, and what is missing there; null if everything was shown. */
  readonly rest: { readonly path: string | null; readonly note: string | null } | null
}

/** Starting processes. */
export interface Spawn {
  readonly run: (request: SpawnRequest) => Promise<ProcessEnd>
  /** Whether `run` works in a dry run too: on a layer that is thrown away. */
  readonly mayRunDry: boolean
  /** Says in a dry run what would be started, so that an approval covers exactly that; starts nothing. */
  readonly announce: (request: SpawnRequest) => void
}
