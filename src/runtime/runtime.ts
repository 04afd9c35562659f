import type { LoadedSettings } from '../config/load-settings.ts'
import type { PresetName } from '../config/presets.ts'
import type { ApprovalRequest, Approver } from '../core/approval.ts'
import type { Actor, Origin, ToolCall } from '../core/call.ts'
import type { OnBusy } from '../core/busy-session.ts'
import type { Clock } from '../core/clock.ts'
import type { ErrorView } from '../core/error.ts'
import type { ToolDefinition } from '../core/registry.ts'
import type { ToolResult } from '../core/result.ts'
import type { Tool } from '../core/tool.ts'
import type { AuditEvent } from '../journal/folds/audit.ts'
import type { DeclaredCall, StoredEntry } from '../journal/entries/entry.ts'
import type { CallExplanation } from '../journal/folds/explain-call.ts'
import type { ForgetReport } from '../journal/erase/forget.ts'
import type { Statistics } from '../journal/folds/statistics.ts'
import type { HeldBatch, SuppliedOutcome } from '../pipeline/approve/held.ts'
import type { LiveEvent } from '../pipeline/engine.ts'
import type { InterruptedBatch } from '../pipeline/after/inspect.ts'
import type { RecoveryChoice } from '../pipeline/after/recover.ts'
import type { RevertReport } from '../pipeline/after/revert.ts'
import type { Approvals } from './approvals/approvals.ts'
import type { GivenRule, ShownRule } from './configure/load-rules.ts'
import type { GrantsReport, Revocation } from './approvals/grants.ts'
import type { ErrorHandler } from './observe/outside-code.ts'
import type { Policy } from './configure/policy.ts'
import type { TelemetryOptions } from './observe/telemetry.ts'
import type { VerifyReport } from '../journal/chain/verify-store.ts'
import type { SessionBrief, SessionLog } from '../journal/log.ts'
import type { ShownTask } from './sessions/read-tasks.ts'

/** How a runtime is made. Only the root is needed. */
export interface RuntimeOptions {
  readonly root: string
  readonly stateDir?: string
  /** Settings, nested or by dotted name. */
  readonly config?: Readonly<Record<string, unknown>>
  readonly profile?: 'agent' | 'strict' | 'srd'
  /** Policy values under one name; `config` stands above it. */
  readonly preset?: PresetName
  /** Tools beside the built-in ones. */
  readonly tools?: readonly Tool[]
  /** Rules beside those of the configuration and of the tools. */
  readonly rules?: readonly GivenRule[]
  /** Answers questions about calls that need approval, or lets them wait; without it such calls are denied. */
  readonly approve?: Approver | 'later'
  /** Who acts where a run does not say; stands in the audit events. */
  readonly actor?: Actor
  /** Hears of every error, with its context and the stack of what was thrown. None of that reaches a model. */
  readonly onError?: ErrorHandler
  /** Hears that a session is in use by another process, and may end the waiting for it; else it is waited for in silence. */
  readonly onBusy?: OnBusy
  /** Shows calls to OpenTelemetry, as the setting `telemetry.enabled` does. */
  readonly telemetry?: TelemetryOptions
  /** Whether rules of the type Periodic are kept while a session is open; they are if absent. */
  readonly periodic?: boolean
  readonly durability?: 'full' | 'normal' | 'memory'
  readonly clock?: Clock
  /** Settings that are loaded already, as the command line has them. */
  readonly loaded?: LoadedSettings
}

/** What may be said about one run. */
export interface RunOptions {
  readonly session?: string
  readonly actor?: Actor
  readonly signal?: AbortSignal
  /** Keeps calls that have not begun from beginning; they get `skipped`. */
  readonly skip?: AbortSignal
  readonly onEvent?: (event: LiveEvent) => void
  readonly dryRun?: boolean
  readonly origin?: Origin
  /** The user turn these calls belong to; a new one if absent. */
  readonly turn?: string
  /** The processing pass they belong to; the latest one of the turn if absent. */
  readonly pass?: string
  /** Whether something woke the turn up, such as a heartbeat, so that a new pass begins with these calls. */
  readonly isWakeUp?: boolean
  /** How often the model has asked for tools in this turn, from 1. */
  readonly iteration?: number
  /** What the conversation has room for; the setting counts if absent. */
  readonly capacityBytes?: number
}

/** Whether a turn may end. */
export interface TurnEnd {
  readonly mayEnd: boolean
  /** Tools that must succeed first. */
  readonly missing: readonly string[]
  /** 0 where nothing is missing; 1 and 2 ask for more work, and at 3 the turn ends all the same. */
  readonly escalation: number
  /** What to tell the model where something is missing. */
  readonly error: ErrorView | null
  /** What the runtime ran itself. */
  readonly results: readonly ToolResult[]
}

/** What to take back: the newest call by default. */
export interface UndoOptions {
  readonly session?: string
  readonly actor?: Actor
  /** Works out the list of files and touches none. */
  readonly dryRun?: boolean
  readonly last?: number
  readonly turn?: boolean
  readonly calls?: readonly string[]
}

/** What a conversation is kept with, and what it is told of the session's surroundings. */
export interface ConversationSource {
  readonly log: SessionLog
  readonly digest: (bytes: Uint8Array) => string
  readonly newId: () => string
  /** Milliseconds that only go forward. */
  readonly elapsed: () => number
  /** Notes that lie in the workspace for agents, or null. */
  readonly notes: () => string | null
  /** The batch whose calls wait for a person to supply their results, or null. */
  readonly held: () => HeldBatch | null
  /** Writes down what a person says such a call came to. */
  readonly supply: (call: DeclaredCall, outcome: SuppliedOutcome) => ToolResult
}

/** The library: one pipeline, whoever calls. */
export interface Runtime {
  readonly root: string
  readonly configuration: LoadedSettings
  readonly definitions: () => readonly ToolDefinition[]
  /** The rules in force, in the order they are judged, each with its sentence and where it is written. */
  readonly rules: () => readonly ShownRule[]
  /** Those of them that a model is told about. */
  readonly advertised: () => readonly ToolDefinition[]
  /** Finishes what an interrupted process left half in place; every other function does so by itself. */
  readonly ready: () => Promise<void>
  /**
   * Starts the small process that starts commands, if commands are on. A program that lives long does so early: from a
   * large process, starting another one holds the event loop up.
   */
  readonly warm: () => Promise<void>
  readonly run: (calls: readonly ToolCall[], options?: RunOptions) => Promise<readonly ToolResult[]>
  /** Judges the end of a turn by what must come before it; the third time the runtime runs what is missing itself. */
  readonly finishTurn: (options: RunOptions & { readonly turn: string }) => Promise<TurnEnd>
  /** Judges calls without running them. */
  readonly policy: Policy
  /** Questions that wait for an answer. */
  readonly pending: (options?: { readonly session?: string }) => Promise<readonly ApprovalRequest[]>
  /** Answers waiting questions; the last answer of a batch runs it. */
  readonly decide: Approvals['decide']
  /** Goes on with what waited for answers that did not come in time; what was asked about is denied. */
  readonly expire: (session: string) => Promise<void>
  readonly undo: (options?: UndoOptions) => Promise<RevertReport>
  readonly redo: (options?: Pick<UndoOptions, 'session' | 'actor' | 'dryRun'>) => Promise<RevertReport>
  /** What interrupted batches left; with a choice, what was done with it. */
  readonly recover: (options?: {
    readonly session?: string
    readonly choice?: RecoveryChoice
  }) => Promise<readonly InterruptedBatch[]>
  /** What happened, oldest first, in one session or all of this root. */
  readonly log: (options?: { readonly session?: string }) => Iterable<StoredEntry>
  /** Which gate decided about a call, and on what; one answer per call that the prefix fits. */
  readonly why: (prefix: string) => readonly CallExplanation[]
  /** The answers that are remembered for this root, and the records that are ignored. */
  readonly grants: () => Promise<GrantsReport>
  /** Ends a grant, by its id or a unique beginning of it. */
  readonly revoke: (
    id: string,
    options?: { readonly session?: string; readonly actor?: Actor },
  ) => Promise<Revocation>
  /** Erases recorded contents of a session, a call or everything older than some days; the log still verifies. */
  readonly forget: (
    what: { readonly session: string } | { readonly call: string } | { readonly olderThanDays: number },
  ) => Promise<ForgetReport>
  /** The sessions of this root, the one that was written to last first. */
  readonly sessions: () => readonly SessionBrief[]
  /** The work items of one session, or of all sessions of this root. */
  readonly tasks: (options?: { readonly session?: string }) => Promise<readonly ShownTask[]>
  /** Counts, rates, durations and resource use, of one session or all of this root. */
  readonly stats: (options?: { readonly session?: string }) => Statistics
  /** The audit trail, oldest first in each session: one event for every transition of every call. */
  readonly audit: (options?: { readonly session?: string }) => Iterable<AuditEvent>
  /** Checks the chain of one session of this root, or everything in the state folder. */
  readonly verify: (options?: { readonly session?: string }) => Promise<VerifyReport>
  /** The log of a session for a conversation to be kept in. */
  readonly converse: (session: string) => Promise<ConversationSource>
  readonly close: () => Promise<void>
}
