import type { Decision } from '../../core/approval.ts'
import type { Actor, CallMeta, Origin } from '../../core/call.ts'
import type { ErrorCode } from '../../core/error.ts'
import type { JsonValue } from '../../core/json/value.ts'
import type { Move } from '../../core/lifecycle.ts'
import type { LineRange } from '../../core/powers.ts'
import type { ResourceUse } from '../../core/resource-use.ts'
import type { Effect, Risk } from '../../core/tool.ts'
import type { Digest } from './content.ts'
import type { FileChange } from './file-change.ts'
import type { ForgottenEntry } from './forgotten-entry.ts'
import type { RevertedEntry } from './reverted-entry.ts'
import type {
  SaidEntry,
  DraftedEntry,
  VoidedEntry,
  StreamedEntry,
  HeldEntry,
  CondensedEntry,
  OpenedEntry,
  TitledEntry,
} from './conversation-entry.ts'
import type { DelegatedEntry, ParkedEntry } from './delegated-entry.ts'

export type { LeftFiles, RevertedEntry, RollBackRecord } from './reverted-entry.ts'
export type { Digest } from './content.ts'
export type { FileChange, FileState } from './file-change.ts'

/** A session is a name under a canonical root. */
export interface SessionKey {
  readonly root: string
  readonly name: string
}

/** One call of a batch, as it was received. */
export interface DeclaredCall {
  /** Sortable, and never used again. */
  readonly execution: string
  /** The caller's label. */
  readonly id: string
  readonly name: string
  /** The tool's version; absent if there is no such tool. */
  readonly version?: string
  /** Payload: the arguments as canonical JSON. */
  readonly args: Digest
  readonly meta?: CallMeta
  /** Whether the caller asked to be resumed after this call. */
  readonly heartbeat?: boolean
}

/** A batch was received; written before any of its calls runs. */
export interface BatchEntry {
  readonly kind: 'batch'
  readonly batch: string
  readonly turn: string
  /** The processing pass, from a message or wake-up until idle. Absent for the first pass of a turn in logs of older versions. */
  readonly pass?: string
  /** Set if the runtime ran this batch before a call that required it: that call. */
  readonly ahead?: string
  /** Set if a delegated conversation made these calls: the call that it belongs to. */
  readonly delegate?: string
  readonly origin: Origin
  readonly actor: Actor | null
  /** Set for a dry run. */
  readonly isDryRun?: true
  readonly calls: readonly DeclaredCall[]
}

/** A call whose effects cannot be rolled back is about to start; durable before it does. */
export interface StartedEntry {
  readonly kind: 'started'
  readonly execution: string
  readonly effect: Effect
  readonly idempotencyKey: string | null
  /** What it was authorized for; absent in logs of earlier versions. */
  readonly authorized?: Authorization
  /** Set if nothing it does can reach beyond its layer, so that nothing is left of it if it never ends. */
  readonly layer?: 'overlay' | 'copy'
}

/** The process of a call has ended, and what it changed on its layer waits for an answer before it lands. */
export interface LandingEntry {
  readonly kind: 'landing'
  readonly batch: string
  readonly execution: string
  readonly layer: 'overlay' | 'copy'
  /** When the layer was made, by the clock of its file system; what changed in the workspace since then conflicts. */
  readonly startedMs: number
  readonly changes: readonly FileChange[]
  readonly durationMs: number
  /** Payload: what else the answer of the call is made from, as JSON. */
  readonly rest: Digest
}

/** What a call may use, and on whose word. */
export interface Authorization {
  readonly capabilities: readonly string[]
  /** The grant it relies on, or that a person answered; absent if no approval was needed. */
  readonly consent?: 'answer' | { readonly grant: string; readonly sentence: string }
  /** The sandbox and limits of its process. */
  readonly sandbox?: string
}

/** A part of a file that the model was shown. */
export interface SeenFile {
  /** Absolute canonical path. */
  readonly path: string
  /** Null if the file was too large to hash; such a file cannot be edited. */
  readonly digest: Digest | null
  readonly at: number
  /** Null means the whole file. */
  readonly range: LineRange | null
  /** Single lines that were shown without the file being read, instead of a range. */
  readonly shown?: readonly ShownLine[]
}

/** A line that was shown, with a mark that stands for its text. */
export interface ShownLine extends LineRange {
  readonly text: string
}

/** What one gate checked, and its verdict. */
export interface GateRecord {
  readonly gate: string
  readonly fact: string
  readonly verdict: 'pass' | 'ask' | 'deny' | 'fail'
  /** The id of the grant that made asking unnecessary. */
  readonly grant?: string
  /** What each of the user's own gate programs answered; logs of earlier versions have it only in the fact. */
  readonly answers?: readonly {
    readonly gate: string
    readonly verdict: 'abstain' | 'ask' | 'deny' | 'cancelled'
  }[]
}

/** A call's reference to a grant. */
export interface GrantRecord {
  readonly id: string
  readonly sentence: string
}

/** A failed attempt of a call that was tried again. */
export interface Attempt {
  /** From 1. */
  readonly number: number
  /** When it failed, in epoch milliseconds. */
  readonly at: number
  readonly code: ErrorCode
  readonly class: string
  readonly durationMs: number
}

/** A call has its result, the only one it gets. */
export interface SettledEntry {
  readonly kind: 'settled'
  readonly batch: string
  readonly turn: string
  readonly execution: string
  readonly name: string
  /** Null if there is no such tool. */
  readonly version: string | null
  readonly effect: Effect | null
  readonly moves: readonly Move[]
  readonly error: { readonly code: ErrorCode; readonly class: string } | null
  /** Payload: the result as JSON, without what this entry says. */
  readonly result: Digest
  /** The digest of the tool's own output, for the audit trail. */
  readonly output: Digest | null
  readonly capabilities: readonly string[]
  readonly changes: readonly FileChange[]
  /** What tells the roots of its changes from other folders; absent in logs of earlier versions. */
  readonly roots?: readonly string[]
  readonly gates: readonly GateRecord[]
  readonly durationMs: number
  /** The grant that the call ran under; if absent, any approval it needed was given by a person. */
  readonly grant?: GrantRecord
  /** Payloads: values that the tool stored for the session, by key. */
  readonly stored?: Readonly<Record<string, Digest>>
  /** Payloads: pictures and documents that the model is shown with the result. */
  readonly attached?: readonly Digest[]
  /** Set if nothing of its layer could land for a reason that is not its own, so that the layer is kept. */
  readonly keptLayer?: true
  /** Failed attempts before the last one; absent if the first attempt was the last. */
  readonly attempts?: readonly Attempt[]
  /** Resources the process used meanwhile. Absent if the call did not run, ran in parallel with others, or was not measured. */
  readonly usage?: ResourceUse
}

/** One question that a person has to answer before a call runs. */
export interface AskedQuestion {
  readonly approval: string
  readonly execution: string
  /** Earlier versions wrote it here; it quotes the arguments, so it belongs to what can be erased. */
  readonly summary?: string
  readonly risk: Risk
  /** Digest of what was shown: tool, version, arguments and preview. An answer is valid for exactly this. */
  readonly binding: Digest
  /** Payload: the preview as text; null if there was none. */
  readonly diff: Digest | null
  /** Earlier versions wrote it here. */
  readonly note?: string
  /** Set if the question is about the call's result instead of its run. */
  readonly about?: 'run' | 'result'
  /** Payload: the other words of the question, why approval is needed, and which grants are offered, as JSON. */
  readonly offer?: Digest
}

/** A batch has questions: before any of its calls runs, or while it runs. */
export interface AskedEntry {
  readonly kind: 'asked'
  readonly batch: string
  readonly questions: readonly AskedQuestion[]
  /** The findings about every waiting call of the batch, whether or not it needs approval. */
  readonly judged?: readonly { readonly execution: string; readonly gates: readonly GateRecord[] }[]
  /** Epoch milliseconds; an answer after this counts as a denial. */
  readonly expiresAt: number
  /** Set if the batch was running: only its own process can take the answers. */
  readonly whileRunning?: boolean
  /**
   * Made with the key of the state folder over all that is asked. Without it, which another program could have written,
   * nothing of it can be approved; earlier versions made none.
   */
  readonly seal?: string
}

/** One question was answered. */
export interface AnsweredEntry extends Decision {
  readonly kind: 'answered'
  readonly batch: string
  readonly approval: string
  /** Made with the key of the state folder. A yes without it, which another program could have added, does not count later. */
  readonly seal?: string
}

/** All answers are in and the batch continues; written once, before any of its calls runs. */
export interface ContinuedEntry {
  readonly kind: 'continued'
  readonly batch: string
  /** The processing pass it continues in: the one in which it was asked about. Earlier versions began a new one. */
  readonly pass?: string
}

/** An interrupted batch was recovered: how each unfinished call was judged, and on what evidence. */
export interface RecoveredEntry {
  readonly kind: 'recovered'
  readonly batch: string
  readonly choice: 'resume' | 'discard'
  readonly calls: readonly {
    readonly execution: string
    readonly status: 'never_started' | 'finished' | 'in_doubt' | 'discarded'
    readonly evidence: string
  }[]
}

/** Anything else worth recording, such as a warning about a deprecated tool. */
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
  | LandingEntry
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
  | DelegatedEntry
  | ParkedEntry
  | CondensedEntry
  | OpenedEntry
  | TitledEntry
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
