import type { ToolError } from '../core/error.ts'
import type { JsonValue } from '../core/json/value.ts'
import type { Edits, EntryKind, Files, SessionStore } from '../core/powers.ts'
import type { Claim } from '../core/tool.ts'
import type { Digest, FileChange, SeenFile, SessionKey } from '../journal/entries/entry.ts'
import type { LedgerRow, Unsynced } from '../journal/log.ts'
import type { LostChange } from './landing/find-lost.ts'
import type { ChangesWithAttributes } from './landing/attribute-cache.ts'
import type { Landing } from './landing/land.ts'
import type { Prepared } from './staging/prepare.ts'

/** What planning assumes: the earlier calls of a batch succeed. Later previews see their changes, and their reads count. */
export interface PreviewState {
  /** Contents that earlier calls would leave behind, by absolute path; null is 'no such file'. */
  readonly contents: ReadonlyMap<string, Uint8Array | null>
  /** Absolute paths that earlier calls would have read. */
  readonly reads: ReadonlySet<string>
}

/** A forecast that grows with every call that is rehearsed. */
export interface GrowingPreview extends PreviewState {
  readonly contents: Map<string, Uint8Array | null>
  readonly reads: Set<string>
}

/** Nothing is assumed: what is on disk counts. */
export const NO_PREVIEW: PreviewState = { contents: new Map(), reads: new Set() }

/** Where a claimed path leads, or why it leads nowhere. */
export type ClaimAnswer =
  | {
      readonly ok: true
      readonly display: string
      readonly absolute: string
      readonly kind: EntryKind | 'missing'
    }
  | { readonly ok: false; readonly error: ToolError }

/** What a transaction is begun with. */
export interface TransactionOptions {
  readonly execution: string
  readonly session: SessionKey
  /** The ledger of files seen in this session. */
  readonly ledger: (path: string) => LedgerRow | null
  /** What the session keeps under a key. */
  readonly readStored?: (key: string) => JsonValue | null
  /** What to assume beyond what is on disk; only previews assume anything. */
  readonly preview?: PreviewState
}

/** The bytes of a file before and after a call; null is 'no such file'. */
export interface StagedContent {
  readonly path: string
  readonly absolute: string
  /** Whether an earlier call of the batch is only assumed to leave it like that. */
  readonly isAssumed: boolean
  readonly before: Uint8Array | null
  readonly after: Uint8Array | null
}

/** Everything one call does to the workspace, until it is committed or dropped. */
export interface Transaction {
  readonly files: Files
  readonly edits: Edits
  readonly store: SessionStore
  /** What was put into the store, by key. */
  readonly stored: () => ReadonlyMap<string, JsonValue>
  /** What was shown of files, also in a refusal. */
  readonly seen: readonly SeenFile[]
  /** What would change, to be shown and then dropped. */
  readonly preview: () => { readonly diff: string; readonly contents: ReadonlyMap<string, Uint8Array | null> }
  /** What is staged, for those who judge contents before they are committed. */
  readonly stagedContents: () => readonly StagedContent[]
  /** Makes the staged changes ready to commit; null where nothing changes. */
  readonly prepare: () => Prepared | null
  /** Lets go of every open file; after it nothing of the transaction works any more. */
  readonly close: () => void
}

/** The folders the tools may work in. */
export interface Workspace {
  /** Whether swapping folders and links meanwhile can never lead out. */
  readonly isRaceFree: boolean
  readonly locate: (claim: Claim) => ClaimAnswer
  /** The folders themselves, absolute and without links. */
  readonly roots: readonly string[]
  /** Everything in them that is denied, as absolute paths; what lies below a denied folder is not named again. */
  readonly findDenied: () => readonly string[]
  /** The same for a path outside of them that was granted to a command. */
  readonly findDeniedIn: (absolute: string) => readonly string[]
  /** The pattern that keeps a path outside of them from being granted, or null. */
  readonly denyOutside: (absolute: string) => string | null
  readonly begin: (options: TransactionOptions) => Transaction
  /** Forgets where paths led a moment ago; said when a batch begins and when something may have changed. */
  readonly clearPathCache: () => void
  /** The paths that are not as `before` says, or are about to change, of changes that want to begin there. */
  readonly findDrift: (changes: readonly FileChange[]) => readonly string[]
  /** Writes the backups of a prepared call, which its result names. */
  readonly writeBackups: (execution: string) => void
  /**
   * Says yes to the commit of a prepared call at the very moment of it, told what other sessions have committed and not
   * put in place yet; throws where a file is not as the call found it.
   */
  readonly confirm: (execution: string, otherSessions: readonly FileChange[]) => void
  /** Gives a prepared call up; nothing of it stays. */
  readonly drop: (execution: string) => void
  /** Puts committed changes in place; it may be repeated. */
  readonly land: (
    execution: string,
    changes: readonly FileChange[],
    contentOf: (digest: Digest) => Uint8Array | null,
    tornUntilMs?: number | null,
  ) => Landing
  /** The same changes, with the extended attributes that the files have now. */
  readonly withAttributes: (changes: readonly FileChange[]) => ChangesWithAttributes
  /** Makes what changes left in their places reach the disk. */
  readonly sync: (changes: readonly FileChange[]) => Promise<void>
  /** What a power cut took of commits that were in place, given oldest first. */
  readonly findLost: (
    commits: readonly Unsynced[],
    contentOf: (digest: Digest) => Uint8Array | null,
  ) => readonly LostChange[]
  /** Puts lost changes in place again. */
  readonly restoreLost: (
    execution: string,
    lost: readonly LostChange[],
    contentOf: (digest: Digest) => Uint8Array | null,
  ) => Landing
  readonly close: () => void
}
