import type { HeldPlace } from '../host/confine/held/held-place.ts'
import type { ChangedFile } from './reading/judge-backup.ts'
import type { GitBelow, WorkspaceView } from '../host/confine/confinement.ts'
import type { Attributes } from '../host/fs/pax.ts'
import type { DiffHunks } from '../core/approval.ts'
import type { ToolError } from '../core/error.ts'
import type { JsonValue } from '../core/json/value.ts'
import type { Layer } from '../core/layer.ts'
import type { OpenBuffers } from './buffers/open-buffers.ts'
import type { Edits, EntryKind, Files, SessionStore } from '../core/powers.ts'
import type { Claim } from '../core/tool.ts'
import type { Spot } from '../host/root/move-name.ts'
import type { Digest, FileChange, SeenFile, SessionKey } from '../journal/entries/entry.ts'
import type { LedgerRow, Unsynced } from '../journal/log.ts'
import type { HeldMarks } from './landing/contents/held-marks.ts'
import type { LostChange } from './landing/checks/find-lost.ts'
import type { ChangesWithAttributes } from './landing/with-attributes.ts'
import type { FileStatus } from './landing/change-status.ts'
import type { LayerChanges } from './landing/checks/find-conflicts.ts'
import type { Landing } from './landing/landing-outcome.ts'
import type { Obstacle } from './landing/checks/obstacles.ts'
import type { CurrentFile } from './landing/read-current.ts'
import type { LayerRead } from './layers/layer-read.ts'
import type { LayerChoice, LayerPartTaken } from './staging/take-layer-hunks.ts'
import type { FindLimits } from './sandbox/find-denied.ts'
import type { FilePlace } from './landing/place-of.ts'
import type { OwnPath } from './sandbox/own-paths.ts'
import type { AssumedFiles, PreviewState } from './staging/assumed-files.ts'
import type { Prepared } from './staging/prepare.ts'
import type { StagedContent } from './staging/staged-content.ts'
import type { LeftPart } from './staging/take-hunks.ts'

/** Where a claimed path leads, or why it is refused. */
export type ClaimAnswer =
  | {
      readonly ok: true
      readonly display: string
      readonly absolute: string
      readonly kind: EntryKind | 'missing'
    }
  | { readonly ok: false; readonly error: ToolError }

/** How a transaction begins. */
export interface TransactionOptions {
  readonly execution: string
  readonly session: SessionKey
  /** The ledger of files seen in this session. */
  readonly ledger: (path: string) => LedgerRow | null
  /** Reads what the session has stored under a key. */
  readonly readStored?: (key: string) => JsonValue | null
  /** The files that a call of the session changed, so that its backups are judged by their paths. */
  readonly changedBy?: (execution: string) => readonly ChangedFile[]
  /** Told what the call reads of files, also if it shows only a part. */
  readonly onRead?: (bytes: Uint8Array) => void
  /** What to assume in addition to what is on disk; only for previews. */
  readonly preview?: PreviewState
  /** What earlier calls have staged that are committed together with this one; not for previews. */
  readonly earlier?: AssumedFiles
}

/** Everything one call does to the workspace, until it is committed or dropped. */
export interface Transaction {
  readonly files: Files
  readonly edits: Edits
  readonly store: SessionStore
  /** What was written to the store, by key. */
  readonly stored: () => ReadonlyMap<string, JsonValue>
  /** What was shown of files, also by a call that was refused. */
  readonly seen: readonly SeenFile[]
  /** What would change, to be shown and then discarded. */
  readonly preview: () => {
    readonly diff: string
    /** Null if it can only be taken as a whole. */
    readonly hunks: DiffHunks | null
    readonly contents: ReadonlyMap<string, Uint8Array | null>
  }
  /** The staged contents, for checks before they are committed. */
  readonly stagedContents: () => readonly StagedContent[]
  /** Keeps only some hunks of what is staged, counted from 1 in the order of the diff; returns what is left out. */
  readonly takeHunks: (chosen: readonly number[]) => readonly LeftPart[]
  /** Whether the call may have seen the workspace without what earlier calls have staged. */
  readonly hasLookedPast: () => boolean
  /** Stages what the commands of the call changed on their layer. */
  readonly stageLayer: (staged: StagedLayer) => void
  /** Prepares the staged changes for the commit; null if nothing changes. */
  readonly prepare: () => Prepared | null
  /** Whether something staged is to land through the editor, because its file has unsaved text there. */
  readonly landsInEditor: () => boolean
  /** Closes every open file; the transaction cannot be used afterwards. */
  readonly close: () => void
}

/** What a layer holds for the commit, and what there is to say about it. */
export interface StagedLayer extends LayerChanges {
  /** Contents that are not on the layer. */
  readonly payloads?: ReadonlyMap<Digest, Uint8Array>
  readonly notes: readonly string[]
}

/** What else landing may be told. */
export interface LandingHow {
  /** The other calls whose changes these are too, joined into one for each file; all of them land together. */
  readonly others?: readonly string[]
  /** Set if the machine was restarted since the commit; see `InspectOptions`. */
  readonly tornUntilMs?: number | null
  /**
   * The calls that are taken back: what they left beside their files has to go too, and a folder that vanished meanwhile
   * must not keep what was put away from coming back.
   */
  readonly takesBack?: readonly string[]
  /** Called after each file with how many are in place. */
  readonly onProgress?: ((done: number, total: number) => void) | undefined
}

/** The folders that tools may work in. */
export interface Workspace {
  /** The files that are open in an editor; null unless one has the session. */
  readonly buffers: OpenBuffers | null
  /** Whether swapping folders and links during an operation can never lead out. */
  readonly isRaceFree: boolean
  readonly locate: (claim: Claim) => ClaimAnswer
  /** The folders themselves, absolute and without links. */
  readonly roots: readonly string[]
  /** What in them belongs to Tongs itself. */
  readonly own: readonly OwnPath[]
  /** Everything in them that is denied, as absolute paths; the content of a denied folder is not listed. */
  readonly findDenied: () => readonly string[]
  /** How commands on a layer see the roots: by the open folders, without what is denied. */
  readonly view: WorkspaceView
  /** The same for a path outside them. */
  readonly findDeniedIn: (absolute: string, limits?: FindLimits) => readonly string[]
  /** The same for a place outside them that was granted to a command, through a handle. */
  readonly findDeniedInPlace: (place: HeldPlace) => readonly string[]
  /** What there is of git at and below a folder in the roots or outside them; null if there are too many folders. */
  readonly findGitIn: (absolute: string) => GitBelow | null
  /** The named pipes below a path outside them. */
  readonly findPipesIn: (absolute: string) => readonly string[]
  /** The same in a place that was granted to a command, through a handle. */
  readonly findPipesInPlace: (place: HeldPlace) => readonly string[]
  /** The pattern that forbids granting a path outside them, or null. */
  readonly denyOutside: (absolute: string) => string | null
  readonly begin: (options: TransactionOptions) => Transaction
  /** Reads and judges what commands changed on a layer. */
  readonly readLayer: (layer: Layer, signal: AbortSignal) => Promise<LayerRead>
  /** Takes the chosen hunks of what a layer changes. */
  readonly takeLayerHunks: (choice: LayerChoice) => LayerPartTaken
  /**
   * The first of these changes whose content is not, or no longer, on its layer as the change says, or has other marks than
   * were noted; null if all are.
   */
  readonly findAltered: (
    changes: readonly FileChange[],
    compared?: 'content' | 'mode too',
    noted?: HeldMarks,
  ) => Promise<FileChange | null>
  /**
   * Notes what lands with the contents on a layer besides their modes, to be compared later; what is at the places of `bare`
   * was seen to have nothing of that.
   */
  readonly markHeld: (changes: readonly FileChange[], bare?: ReadonlySet<string>) => Promise<HeldMarks>
  /** Discards cached locations of paths; called when a batch begins and when something may have changed. */
  readonly clearPathCache: () => void
  /**
   * The files of those changes that are not in their `before` state, or are about to change. Where a file may be in its
   * `after` state already, that is fine too. Other work goes on in between.
   */
  readonly findDrift: (
    changes: readonly FileChange[],
    mayBeAfter?: (change: FileChange) => boolean,
  ) => Promise<readonly FilePlace[]>
  /** The same at once. */
  readonly findDriftNow: (
    changes: readonly FileChange[],
    mayBeAfter?: (change: FileChange) => boolean,
  ) => readonly FilePlace[]
  /** Whether a call of this process is about to change a file. */
  readonly isReserved: (root: string, path: string) => boolean
  /** Whether a file is as before its change, as after it, or neither; `all` are the changes that it belongs to. */
  readonly statusOf: (change: FileChange, all?: readonly FileChange[]) => FileStatus
  /** What tells a root from a folder that takes its place; null if the system does not say, or it is not there. */
  readonly identityOf: (root: string) => string | null
  /** Whether a call of this process is prepared, so that it may be about to land. */
  readonly isPending: (execution: string) => boolean
  /** The objects of git among the files that these changes remove, as far as git may need them by now, given since when. */
  readonly findNeededObjects: (changes: readonly FileChange[], sinceMs: number) => readonly FileChange[]
  /** The first of these changes that could not be put in place, as far as the system says beforehand. */
  readonly findObstacle: (changes: readonly FileChange[]) => Promise<Obstacle | null>
  /** The paths among them that somebody else changed since the layer was made; `confirm` refuses those. */
  readonly findConflicts: (layer: LayerChanges) => readonly string[]
  /** Where a content lies that is neither in the workspace nor in the journal; null if it is gone. */
  readonly findHeld: (root: string, held: string) => Spot | null
  /** The content of a side of a change that a command made on a layer; null if it is gone, or larger. */
  readonly readSide: (change: FileChange, side: 'before' | 'after', maxBytes: number) => Uint8Array | null
  /** The attributes of a file as it is now, or of one that was set aside; null if it is gone, or they cannot be read. */
  readonly readAttributes: (change: FileChange, side: 'before' | 'after' | 'now') => Attributes | null
  /** A regular file as it is now; null if there is none, or a larger one. */
  readonly readCurrent: (root: string, path: string, maxBytes: number) => CurrentFile | null
  /** The first change whose new content is gone. */
  readonly findMissing: (
    changes: readonly FileChange[],
    isInJournal: (digest: Digest) => boolean,
  ) => Promise<FileChange | null>
  /** Flushes contents that are about to be committed to disk. */
  readonly syncHeld: (changes: readonly FileChange[]) => Promise<void>
  /** Writes the backups of a prepared call that its result names. */
  readonly writeBackups: (execution: string) => void
  /**
   * Confirms a prepared call at the moment of its commit, given the changes that other sessions have committed but not
   * landed yet; throws if a file changed since the call read it.
   */
  readonly confirm: (execution: string, otherSessions: readonly FileChange[]) => void
  /** Takes confirmations back: the commit did not happen, and the calls may be confirmed again. */
  readonly retract: (executions: readonly string[]) => void
  /** Discards a prepared call and its backups. */
  readonly drop: (execution: string) => void
  /** Puts committed changes in place; may be repeated. */
  readonly land: (
    execution: string,
    changes: readonly FileChange[],
    contentOf: (digest: Digest) => Uint8Array | null,
    how?: LandingHow,
  ) => Landing
  /** The same, but lets other work go on in between; meanwhile no other call of this process can change these files. */
  readonly landGently: (
    execution: string,
    changes: readonly FileChange[],
    contentOf: (digest: Digest) => Uint8Array | null,
    how?: LandingHow,
  ) => Promise<Landing>
  /** Whether this process is putting the changes of a call in place at the moment. */
  readonly isLanding: (execution: string) => boolean
  /** The same changes, with the modes and extended attributes that the files have now, given what the journal holds. */
  readonly withAttributes: (
    changes: readonly FileChange[],
    contentOf: (digest: Digest) => Uint8Array | null,
  ) => Promise<ChangesWithAttributes>
  /** Flushes landed changes to disk. */
  readonly sync: (changes: readonly FileChange[]) => Promise<void>
  /** Finds landed changes that a power cut undid; commits are given oldest first. */
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
