import type { Holder } from '../host/db/session-lock.ts'
import type { Content } from './entries/content.ts'
import type { Digest, Entry, FileChange, SeenFile, SessionKey, StoredEntry } from './entries/entry.ts'
import type { ForgottenEntry, ForgottenSpan } from './entries/forgotten-entry.ts'
import type { GrantStore } from './grants/grant-store.ts'
import type { JournalError } from './journal-error.ts'
import type { LastUse, SessionCounts } from './overview/session-overview.ts'

/** How safe an append must be: `recorded` survives the death of the process, `durable` also a power cut. */
export type Reliance = 'recorded' | 'durable'

/** What is written together, in one transaction. */
export interface Append {
  readonly entries: readonly Entry[]
  /** Contents that the entries refer to by digest; each is stored only once. */
  readonly payloads?: Iterable<readonly [Digest, Content]>
  /** Files that were shown, for the ledger. */
  readonly seen?: readonly SeenFile[]
  /** Paths to remove from the ledger. */
  readonly unseen?: readonly string[]
  readonly reliance: Reliance
  /**
   * Called inside the transaction, when no other process can write, with the changes that other sessions have
   * committed but not landed yet. If it throws, nothing is recorded and the caller gets what it threw.
   */
  readonly confirm?: (otherChanges: readonly FileChange[]) => void
}

/** What the ledger knows of a file: its newest whole-file digest, and the lines shown with it. */
export interface LedgerRow {
  readonly path: string
  readonly digest: Digest | null
  readonly at: number
  /** Null means the whole file. */
  readonly ranges:
    | readonly { readonly start_line: number; readonly end_line: number; readonly text?: string }[]
    | null
}

/** A committed call whose files may not all have landed yet. */
export interface Unlanded {
  readonly session: SessionKey
  readonly execution: string
  readonly changes: readonly FileChange[]
  /** Epoch milliseconds. */
  readonly committedAt: number
  /** Whether the machine has rebooted since; if so, whatever was not synced may be lost. */
  readonly isOfEarlierBoot: boolean
  /** False if the clock was wrong then, or has been set back since: times of files say nothing about what came later. */
  readonly isTimeCertain: boolean
}

/** A committed call whose files have landed but may not have reached the disk. */
export interface Unsynced extends Unlanded {
  /** Epoch milliseconds. */
  readonly landedAt: number
}

/** A batch with calls that have no result yet. */
export interface OpenBatch {
  readonly session: SessionKey
  readonly batch: string
  /** The sequence number of the batch entry; every other entry about the batch comes after it. */
  readonly seq: number
}

/** A call and its session. */
export interface FoundCall {
  readonly session: SessionKey
  readonly execution: string
}

/** A summary of a session. */
export interface SessionBrief {
  readonly name: string
  /** When it was last written to, in epoch milliseconds. */
  readonly lastAt: number
  readonly entries: number
}

/** Which summaries are wanted: at most so many, or that of one session. */
export interface RecentFilter {
  readonly most?: number
  readonly name?: string
}

/** Payloads to erase, and the calls they belong to. */
export interface Erasure {
  /** The session that records it; this process has to own it. */
  readonly session: SessionKey
  readonly why: string
  readonly executions: readonly string[]
  /** Null if single calls were selected. */
  readonly span: ForgottenSpan | null
  readonly payloads: readonly Digest[]
  /** How far each session (by its chain id) was read when the payloads were chosen; payloads of newer entries stay. */
  readonly readUpTo: ReadonlyMap<string, number>
  /** If set, payloads that an entry has mentioned since this time stay, and `readUpTo` does not matter. */
  readonly unusedSince?: number
}

/** The first place where a log does not match its anchor. */
export interface Breach {
  readonly seq: number
  readonly why: string
  /** Set if entries were added to the end of a session whose process had been killed. */
  readonly isAdded?: true
}

/** Reads a session without owning it. */
export interface LogReader {
  readonly key: SessionKey
  /** Oldest first; entries before `fromSeq` are never read. */
  readonly entries: (fromSeq?: number) => Iterable<StoredEntry>
  /** Newest first, of one kind if it is given; reads only as far as the caller iterates. */
  readonly newestFirst: (kind?: Entry['kind']) => Iterable<StoredEntry>
  /**
   * The entries of calls that edit, whether or not they changed anything, and of undo and redo; newest first. An undo or redo
   * that another program added is left out.
   */
  readonly edits: () => Iterable<StoredEntry>
  readonly payload: (digest: Digest) => Uint8Array | null
  readonly ledger: (path: string) => LedgerRow | null
  readonly openBatches: () => readonly OpenBatch[]
  /** The entries about a batch and its calls, oldest first; `seq` is the batch's own entry. Others may be included. */
  readonly aboutBatch: (seq: number) => readonly StoredEntry[]
  /** The entries about one call, oldest first. */
  readonly about: (execution: string) => readonly StoredEntry[]
  /** Seals a text as a part of this session; a program without the key of the state folder cannot. */
  readonly sealOf: (text: string) => string
}

/** The same with its messages by themselves. */
export interface SessionReader extends LogReader {
  /** Whether the log does not contradict its anchor and, if a place is given, every entry from there on matches its hash. */
  readonly verifies: (fromSeq?: number) => boolean
  /** Messages, oldest first; reads only as far as the caller iterates. */
  readonly said: () => Iterable<StoredEntry>
}

/** The log of one session, owned by this process while it is open. */
export interface SessionLog {
  readonly key: SessionKey
  /** Writes in a transaction of its own, and is done when it returns. */
  readonly append: (what: Append) => readonly StoredEntry[]
  /**
   * Writes in one transaction with other sessions of this process that append at the same time. It is done when the
   * promise resolves, or on return if there is no promise.
   */
  readonly appendTogether: (what: Append) => Promise<void> | undefined
  readonly entries: (fromSeq?: number) => Iterable<StoredEntry>
  /** The sequence number of the newest entry; 0 if there is none. */
  readonly latestSeq: () => number
  readonly about: LogReader['about']
  readonly aboutBatch: LogReader['aboutBatch']
  readonly newestFirst: LogReader['newestFirst']
  readonly edits: LogReader['edits']
  /** The executions that start with this prefix, up to a handful. */
  readonly findCalls: (prefix: string) => readonly string[]
  readonly payload: (digest: Digest) => Uint8Array | null
  readonly ledger: (path: string) => LedgerRow | null
  readonly openBatches: () => readonly OpenBatch[]
  /**
   * The place of the newest batch, not counting those of delegated conversations, if a call of it has no result: as the
   * entries themselves say it, so that the tables cannot hide it.
   */
  readonly newestOpen: () => number | null
  /** Marks commits as landed, or as given up; until then, commits with file changes count as unlanded. */
  readonly landed: (executions: string | readonly string[], how?: 'in place' | 'given up') => void
  /** Marks landed commits as synced; under full durability they count as unsynced until then. */
  readonly synced: (executions: readonly string[]) => void
  readonly unlanded: () => readonly Unlanded[]
  readonly sealOf: LogReader['sealOf']
  /** What was wrong with the log when it was opened, this time or any time before. */
  readonly breach: Breach | null
  /** Whether Tongs recorded the entry at a place, of those that need a seal, and it is as it was then. */
  readonly vouchesFor: (seq: number) => boolean
  /** Whether every entry from a place on matches its hash. */
  readonly holdsFrom: (seq: number) => boolean
  readonly close: () => void
}

/** The oldest entry of a session that the limits have not erased; its time is null if there is none. */
export interface SweepPlace {
  readonly seq: number
  /** Epoch milliseconds. */
  readonly at: number | null
}

/** Which payloads have not been used for how long, so that limits need not read the whole log. */
export interface PayloadUses {
  /** Takes up some of the entries written since the last time; true once there are no more. */
  readonly update: () => boolean
  /** Sessions with entries from before this time that were not swept, and where these begin. */
  readonly expiring: (before: number) => readonly { readonly session: SessionKey; readonly seq: number }[]
  /** Called when a session was swept up to a place. */
  readonly swept: (session: SessionKey, next: SweepPlace) => void
  /** The time before which payloads of at least so many bytes were last used. */
  readonly cutoffFor: (bytes: number) => number
}

/** A store of many sessions: SQLite on disk, or memory. */
export interface LogStore {
  /** Why nothing can be written, although it can be read; null if it can. */
  readonly refusal: JournalError | null
  /** Opens a session for writing. Waits while another process owns it, then fails and names that process. */
  readonly open: (key: SessionKey, waitMs?: number) => Promise<SessionLog>
  /** The same, except that a session that cannot be written can be read and fails on the first write. */
  readonly openToRead: (key: SessionKey, waitMs?: number) => Promise<SessionLog>
  /** The sessions that have entries, of a root or of all roots. */
  readonly sessions: (root?: string) => readonly SessionKey[]
  /** Whether a root has sessions; however many there are, one is looked at. */
  readonly hasSessions: (root: string) => boolean
  /** The sessions of a root, most recently written first. */
  readonly recent: (root: string, filter?: RecentFilter) => readonly SessionBrief[]
  /** The entries of a session, oldest first; entries before `fromSeq` are never read. */
  readonly read: (key: SessionKey, fromSeq?: number) => Iterable<StoredEntry>
  /** As a session reads them, without owning it. */
  readonly newestFirst: (key: SessionKey, kind?: Entry['kind']) => Iterable<StoredEntry>
  /** The messages of a session, oldest first. */
  readonly said: (key: SessionKey) => Iterable<StoredEntry>
  readonly edits: (key: SessionKey) => Iterable<StoredEntry>
  /** The sessions of a root that `run` or the app used, the last used first. */
  readonly lastUses: (root: string, most?: number) => readonly LastUse[]
  /** The sessions of a root whose newest message waited for something that came since. */
  readonly paused: (root: string) => readonly string[]
  /** The sessions of a root with calls that edit, the last edited first. */
  readonly lastEdits: (root: string) => readonly LastUse[]
  /**
   * A number that is larger for what was written later, over all sessions and whatever the clock said; only for entries
   * with changes, since others may have waited in a segment. Null if there is no such entry.
   */
  readonly orderOf: (key: SessionKey, seq: number) => number | null
  /** What the sessions of a root hold, the last written first. */
  readonly counts: (root: string, filter?: RecentFilter) => readonly SessionCounts[]
  /** Runs reads that need not know what other processes write meanwhile; that is looked up once for all of them. */
  readonly readTogether: <T>(read: () => T) => T
  /** Whether this process or another live one owns a session. */
  readonly isInUse: (key: SessionKey) => Promise<boolean>
  /** The other live process that owns a session; null if none does. */
  readonly ownerOf: (key: SessionKey) => Promise<Holder | null>
  readonly payload: (digest: Digest) => Uint8Array | null
  /** What the ledger of a session knows of a path, without owning the session. */
  readonly ledger: (key: SessionKey, path: string) => LedgerRow | null
  /** Unlanded commits of all sessions, of a root or of all roots. */
  readonly unlanded: (root?: string) => readonly Unlanded[]
  /** Commits of all sessions of a root that a power cut could still undo, oldest first. */
  readonly unsynced: (root: string) => readonly Unsynced[]
  /** Batches with calls that have no result yet, of a root or of all roots. */
  readonly openBatches: (root?: string) => readonly OpenBatch[]
  /** The names of the sessions of a root that an earlier process may have left unfinished. */
  readonly unfinished: (root: string) => readonly string[]
  readonly aboutBatch: (key: SessionKey, seq: number) => readonly StoredEntry[]
  readonly sealOf: (key: SessionKey, text: string) => string
  readonly vouchesFor: (key: SessionKey, seq: number) => boolean
  /** Whether a session does not contradict its anchor and, if a place is given, its entries from there on match their hashes. */
  readonly verifies: (key: SessionKey, fromSeq?: number) => boolean
  /** Calls whose execution id starts with this prefix, up to a handful. */
  readonly findCalls: (prefix: string, root?: string) => readonly FoundCall[]
  /** The entries about one call, oldest first. */
  readonly about: (call: FoundCall) => readonly StoredEntry[]
  /** The log of a session if this store has it open. */
  readonly owned: (key: SessionKey) => SessionLog | null
  /** The size of a payload in bytes; null if it is not stored. */
  readonly payloadBytes: (digest: Digest) => number | null
  /** Bytes in use, not counting what erasing freed. */
  readonly bytesInUse: () => number
  readonly uses: PayloadUses
  /** Erases payloads and records that in the logs of their sessions, all in one transaction; one erasure per session. */
  readonly erase: (erasures: readonly Erasure[]) => Promise<readonly ForgottenEntry[]>
  /** Removes erased bytes from the store's files; false if other processes prevented it. */
  readonly scrub: () => boolean
  /** Gives space that erasing freed back to the disk, if there is room for doing so. */
  readonly compact: () => void
  readonly grants: GrantStore
  /** A small named value stored beside the log. */
  readonly readValue: (name: string) => string | null
  readonly writeValue: (name: string, value: string) => void
  /** Writes several, or none of them. */
  readonly writeValues: (values: ReadonlyMap<string, string>) => void
  readonly close: () => void
}
