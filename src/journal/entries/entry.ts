import type { Decision } from '../../core/approval.ts'
import type { Actor, CallMeta, Origin } from '../../core/call.ts'
import type { ErrorCode } from '../../core/error.ts'
import type { JsonValue } from '../../core/json/value.ts'
import type { Move } from '../../core/lifecycle.ts'
import type { LineRange } from '../../core/powers.ts'
import type { ResourceUse } from '../../core/resource-use.ts'
import type { Effect, Risk } from '../../core/tool.ts'
import type { Digest } from './content.ts'
import type {
  SaidEntry,
  DraftedEntry,
  VoidedEntry,
  StreamedEntry,
  HeldEntry,
  CondensedEntry,
} from './conversation-entry.ts'

export type { Digest } from './content.ts'

/** A session is a name under a canonical root. */
export interface SessionKey {
  readonly root: string
  readonly name: string
}

/** One call of a batch, as it was received. */
export interface DeclaredCall {
  /** Sortable and unique for ever. */
  readonly execution: string
  /** The caller's label. */
  readonly id: string
  readonly name: string
  /** The version of the tool; absent where there is none of that name. */
  readonly version?: string
  /** The arguments, as canonical JSON, lie in the payload with this digest. */
  readonly args: Digest
  readonly meta?: CallMeta
  /** Whether the caller asked to be woken up again afterwards. */
  readonly heartbeat?: boolean
}

/** A batch was received; written before anything of it runs. */
export interface BatchEntry {
  readonly kind: 'batch'
  readonly batch: string
  readonly turn: string
  /** The processing pass: from a message or a wake-up until rest. Absent where it is the first one of its turn, written by an older version. */
  readonly pass?: string
  /** Set where the runtime itself ran this before a call that needed it: that call. */
  readonly ahead?: string
  readonly origin: Origin
  readonly actor: Actor | null
  /** Set where the batch was only to show what would happen. */
  readonly isDryRun?: true
  readonly calls: readonly DeclaredCall[]
}

/** A call whose effects the workspace cannot take back is about to start; durable before it does. */
export interface StartedEntry {
  readonly kind: 'started'
  readonly execution: string
  readonly effect: Effect
  readonly idempotencyKey: string | null
}

/** One side of a file change. */
export interface FileState {
  readonly digest: Digest
  readonly mode: number
  readonly uid: number
  readonly gid: number
  /** Its extended attributes, in the payload with this digest; absent where it has none, or they could not be read. */
  readonly attributes?: Digest
}

/** What a committed call did to one file: null is 'no such file'. */
export interface FileChange {
  /** Absolute path of the root the file lies in. */
  readonly root: string
  /** Canonical, relative to that root, forward slashes. */
  readonly path: string
  readonly before: FileState | null
  readonly after: FileState | null
  /** Folders that had to be made for it, outermost first. */
  readonly folders: readonly string[]
}

/** Something the model was shown of a file. */
export interface SeenFile {
  /** Absolute canonical path. */
  readonly path: string
  /** Null where the file was too large to be hashed; such a file cannot be edited. */
  readonly digest: Digest | null
  readonly at: number
  /** Null means all of it. */
  readonly range: LineRange | null
}

/** What one gate looked at, and what it said. */
export interface GateRecord {
  readonly gate: string
  readonly fact: string
  readonly verdict: 'pass' | 'ask' | 'deny' | 'fail'
  /** The id of the grant that kept it from asking. */
  readonly grant?: string
  /** What each program of the user's own said, where such were asked; logs of earlier versions have it in the fact only. */
  readonly answers?: readonly {
    readonly gate: string
    readonly verdict: 'abstain' | 'ask' | 'deny' | 'cancelled'
  }[]
}

/** A grant as a call refers to it. */
export interface GrantRecord {
  readonly id: string
  readonly sentence: string
}

/** An attempt of a call that failed and was followed by another. */
export interface Attempt {
  /** From 1. */
  readonly number: number
  /** When it had failed, in epoch milliseconds. */
  readonly at: number
  readonly code: ErrorCode
  readonly class: string
  readonly durationMs: number
}

/** A call has its one result. */
export interface SettledEntry {
  readonly kind: 'settled'
  readonly batch: string
  readonly turn: string
  readonly execution: string
  readonly name: string
  /** Null where no such tool exists. */
  readonly version: string | null
  readonly effect: Effect | null
  readonly moves: readonly Move[]
  readonly error: { readonly code: ErrorCode; readonly class: string } | null
  /** The whole answer, as JSON, lies in the payload with this digest. */
  readonly result: Digest
  /** The tool's own output, hashed for the audit trail. */
  readonly output: Digest | null
  readonly capabilities: readonly string[]
  readonly changes: readonly FileChange[]
  readonly gates: readonly GateRecord[]
  readonly durationMs: number
  /** The grant that the call ran under; a person's answer where absent, if an answer was needed. */
  readonly grant?: GrantRecord
  /** What the tool keeps for the session from now on, by key. */
  readonly stored?: Readonly<Record<string, Digest>>
  /** Attempts that failed before the one that counts; absent where the first one counts. */
  readonly attempts?: readonly Attempt[]
  /** What the process used meanwhile. Absent where the call did not run, ran beside others, or nobody measured. */
  readonly usage?: ResourceUse
}

/** One question that a person has to answer before a call runs. */
export interface AskedQuestion {
  readonly approval: string
  readonly execution: string
  readonly summary: string
  readonly risk: Risk
  /** What was shown: tool, version, arguments and preview. An answer counts for exactly this. */
  readonly binding: Digest
  /** The preview, as text, lies in the payload with this digest; null where there was none. */
  readonly diff: Digest | null
  /** What else there was to know. */
  readonly note?: string
  /** Set if not the run of the call but its result was asked about. */
  readonly about?: 'run' | 'result'
  /** Why it is asked and what may be allowed beyond this once, as JSON, lies in the payload with this digest. */
  readonly offer?: Digest
}

/** Questions about calls of a batch: before anything of it ran, or while it runs. */
export interface AskedEntry {
  readonly kind: 'asked'
  readonly batch: string
  readonly questions: readonly AskedQuestion[]
  /** What the gates said about every call of the batch that waits, asked about or not. */
  readonly judged?: readonly { readonly execution: string; readonly gates: readonly GateRecord[] }[]
  /** Epoch milliseconds; an answer after this counts as a denial. */
  readonly expiresAt: number
  /** Set if the batch was running: only its own process can take the answers. */
  readonly whileRunning?: boolean
}

/** Somebody answered one question. */
export interface AnsweredEntry extends Decision {
  readonly kind: 'answered'
  readonly batch: string
  readonly approval: string
}

/** The last answer is in, and the batch goes on; written once, before anything of it runs. */
export interface ContinuedEntry {
  readonly kind: 'continued'
  readonly batch: string
  /** The processing pass it goes on in. An answer that came while somebody waited for it goes on in the same; a later one wakes the batch up. */
  readonly pass?: string
}

/** Committed changes were taken back (`undo`) or brought back (`redo`). */
export interface RevertedEntry {
  readonly kind: 'undo' | 'redo'
  readonly execution: string
  readonly calls: readonly string[]
  readonly changes: readonly FileChange[]
  readonly actor: Actor | null
}

/** An interrupted batch was dealt with; how each unfinished call was judged, and by what evidence. */
export interface RecoveredEntry {
  readonly kind: 'recovered'
  readonly batch: string
  readonly choice: 'resume' | 'discard'
  readonly calls: readonly {
    readonly execution: string
    readonly status: 'never_started' | 'finished' | 'in_doubt'
    readonly evidence: string
  }[]
}

/** Payloads were erased; the chain keeps their digests. */
export interface ForgottenEntry {
  readonly kind: 'forgotten'
  readonly why: string
  readonly payloads: number
  readonly bytes: number
  readonly executions: readonly string[]
  /** How many further calls are meant but not listed. */
  readonly unlisted?: number
  /** Where not single calls were meant but all entries up to a place, or those of them from before a moment. */
  readonly span?: ForgottenSpan
}

/** Entries of a session that were forgotten together. */
export interface ForgottenSpan {
  readonly upTo: number
  /** Epoch milliseconds; null is no bound. */
  readonly before: number | null
}

/** Anything else worth keeping in order, such as a warning about a deprecated tool. */
export interface NoteEntry {
  readonly kind: 'note'
  readonly about: string
  readonly execution: string | null
  readonly data: JsonValue
}

/** Everything that can be written to a session's log. */
export type Entry =
  | BatchEntry
  | StartedEntry
  | SettledEntry
  | AskedEntry
  | AnsweredEntry
  | ContinuedEntry
  | RevertedEntry
  | RecoveredEntry
  | ForgottenEntry
  | SaidEntry
  | DraftedEntry
  | VoidedEntry
  | StreamedEntry
  | HeldEntry
  | CondensedEntry
  | NoteEntry

/** An entry with its place in the chain. */
export interface StoredEntry {
  readonly session: SessionKey
  /** From 1, without gaps. */
  readonly seq: number
  /** Epoch milliseconds. */
  readonly at: number
  readonly hash: Digest
  readonly entry: Entry
}
