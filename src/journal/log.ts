import type { Content } from './entries/content.ts'
import type {
  Digest,
  Entry,
  FileChange,
  ForgottenEntry,
  ForgottenSpan,
  SeenFile,
  SessionKey,
  StoredEntry,
} from './entries/entry.ts'
import type { GrantStore } from './grants/grant-store.ts'

/** How much a caller relies on an append: `recorded` survives the death of the process, `durable` a power cut. */
export type Reliance = 'recorded' | 'durable'

/** Everything that becomes true together, in one transaction. */
export interface Append {
  readonly entries: readonly Entry[]
  /** Contents that the entries name by digest; a known one is not stored twice. */
  readonly payloads?: Iterable<readonly [Digest, Content]>
  /** Files shown, for the ledger. */
  readonly seen?: readonly SeenFile[]
  /** Paths that the ledger shall forget. */
  readonly unseen?: readonly string[]
  readonly reliance: Reliance
  /**
   * Asked once nobody else can write any more, and told what other sessions have committed and not put in place yet.
   * What it throws is thrown, and nothing is recorded.
   */
  readonly confirm?: (otherChanges: readonly FileChange[]) => void
}

/** What the ledger knows of a file: its newest whole-file digest, and the lines shown with it. */
export interface LedgerRow {
  readonly path: string
  readonly digest: Digest | null
  readonly at: number
  /** Null means all of it. */
  readonly ranges: readonly { readonly start_line: number; readonly end_line: number }[] | null
}

/** A committed call whose files may not all be in place yet. */
export interface Unlanded {
  readonly session: SessionKey
  readonly execution: string
  readonly changes: readonly FileChange[]
  /** Epoch milliseconds. */
  readonly committedAt: number
  /** Whether the machine has been started anew since: then what was not synced may be lost. */
  readonly isOfEarlierBoot: boolean
}

/** A committed call whose files are in place, and may not have reached the disk. */
export interface Unsynced extends Unlanded {
  /** Epoch milliseconds. */
  readonly landedAt: number
}

/** A batch that has calls without a result. */
export interface OpenBatch {
  readonly session: SessionKey
  readonly batch: string
  /** The number of the entry that declared it: everything about the batch has this number or a later one. */
  readonly seq: number
}

/** A call, by the session it was made in. */
export interface FoundCall {
  readonly session: SessionKey
  readonly execution: string
}

/** A session at a glance. */
export interface SessionBrief {
  readonly name: string
  /** When something was last written to it, in epoch milliseconds. */
  readonly lastAt: number
  readonly entries: number
}

/** Payloads to be erased, and the calls they belonged to. */
export interface Erasure {
  readonly why: string
  readonly executions: readonly string[]
  /** Null where single calls are meant. */
  readonly span: ForgottenSpan | null
  readonly payloads: readonly Digest[]
  /** How far each session (by its id in the chain) had been read when the choice was made; what newer entries name stays. */
  readonly readUpTo: ReadonlyMap<string, number>
}

/** Where a log and what vouches for it disagree. */
export interface Breach {
  readonly seq: number
  readonly why: string
}

/** What can be read of a session without owning it. */
export interface LogReader {
  readonly key: SessionKey
  /** Oldest first; entries before `fromSeq` are not read at all. */
  readonly entries: (fromSeq?: number) => Iterable<StoredEntry>
  readonly payload: (digest: Digest) => Uint8Array | null
  readonly openBatches: () => readonly OpenBatch[]
}

/** One session's log, owned by this process while it is open. */
export interface SessionLog {
  readonly key: SessionKey
  /** Done when it returns, in a transaction of its own. */
  readonly append: (what: Append) => readonly StoredEntry[]
  /**
   * The same in one transaction with what other sessions of this process append meanwhile: done when it resolves, or at
   * once where it gives nothing to wait for.
   */
  readonly appendTogether: (what: Append) => Promise<void> | undefined
  readonly entries: (fromSeq?: number) => Iterable<StoredEntry>
  /** The number of the newest entry; 0 where there is none. */
  readonly latestSeq: () => number
  /** The entries about one call, oldest first. */
  readonly about: (execution: string) => readonly StoredEntry[]
  /** Newest first; stops being read when the caller stops iterating. */
  readonly newestFirst: (kind?: Entry['kind']) => Iterable<StoredEntry>
  readonly payload: (digest: Digest) => Uint8Array | null
  readonly ledger: (path: string) => LedgerRow | null
  readonly openBatches: () => readonly OpenBatch[]
  /** Commits with changes stay unlanded until this is said; then they are in place, or nobody will put them there. */
  readonly landed: (execution: string, how?: 'in place' | 'given up') => void
  /** Under full durability, commits in place stay unsynced until this is said: what they changed has reached the disk. */
  readonly synced: (executions: readonly string[]) => void
  readonly unlanded: () => readonly Unlanded[]
  /** Erases payloads and says so in the log, in one transaction. */
  readonly erase: (what: Erasure) => ForgottenEntry
  /** What was found wrong with the log when it was opened, now or ever before. */
  readonly breach: Breach | null
  readonly close: () => void
}

/** A store of many sessions: SQLite on disk, or memory. */
export interface LogStore {
  /** Opens a session for writing; waits for another live owner, then fails naming it. */
  readonly open: (key: SessionKey, waitMs?: number) => Promise<SessionLog>
  /** Reads without owning. */
  readonly sessions: (root?: string) => readonly SessionKey[]
  /** The sessions of a root, the one that was written to last first. */
  readonly recent: (root: string) => readonly SessionBrief[]
  /** The entries of a session, oldest first; those before `fromSeq` are not read at all. */
  readonly read: (key: SessionKey, fromSeq?: number) => Iterable<StoredEntry>
  readonly payload: (digest: Digest) => Uint8Array | null
  /** Unlanded commits of every session under a root, for whoever comes next. */
  readonly unlanded: (root: string) => readonly Unlanded[]
  /** Commits of every session under a root that a power cut could still undo, oldest first. */
  readonly unsynced: (root: string) => readonly Unsynced[]
  /** Batches with calls that have no result, of every session under a root or of all. */
  readonly openBatches: (root?: string) => readonly OpenBatch[]
  /** Calls whose execution id begins like this, a handful at most. */
  readonly findCalls: (prefix: string, root?: string) => readonly FoundCall[]
  /** The entries about one call, oldest first. */
  readonly about: (call: FoundCall) => readonly StoredEntry[]
  /** The log of a session that this store has open. */
  readonly owned: (key: SessionKey) => SessionLog | null
  /** Bytes of a payload, null where it is not stored. */
  readonly payloadBytes: (digest: Digest) => number | null
  /** Bytes in use, without what erasing has freed. */
  readonly bytesInUse: () => number
  /** Clears erased bytes out of the files of the store; false if other processes kept it from finishing. */
  readonly scrub: () => boolean
  readonly grants: GrantStore
  /** A small value that is kept with the store. */
  readonly readValue: (name: string) => string | null
  readonly writeValue: (name: string, value: string) => void
  readonly close: () => void
}
