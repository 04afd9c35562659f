import type { Holder } from '../host/db/session-lock.ts'
import type { LoadedSettings } from '../config/load-settings.ts'
import type { PresetName } from '../config/presets.ts'
import type { ApprovalRequest, Approver } from '../core/approval.ts'
import type { Actor, Origin, ToolCall } from '../core/call.ts'
import type { OnBusy } from '../core/busy-session.ts'
import type { Clock } from '../core/clock.ts'
import type { BackgroundRow } from '../core/shell/background.ts'
import type { Delegating } from '../core/conversation/delegation.ts'
import type { ErrorView } from '../core/error.ts'
import type { LookupHost } from '../host/web/resolve-host.ts'
import type { OpenBuffers } from '../workspace/buffers/open-buffers.ts'
import type { ToolDefinition } from '../core/registry.ts'
import type { ToolResult } from '../core/result.ts'
import type { Tool } from '../core/tool.ts'
import type { AuditEvent } from '../journal/folds/audit.ts'
import type { DeclaredCall, FileChange, StoredEntry } from '../journal/entries/entry.ts'
import type { CallExplanation } from '../journal/folds/explain-call.ts'
import type { ForgetReport } from '../journal/erase/forget.ts'
import type { Statistics } from '../journal/folds/statistics.ts'
import type { HeldBatch, SuppliedOutcome } from '../pipeline/approve/held.ts'
import type { LiveEvent } from '../pipeline/engine.ts'
import type { InterruptedBatch } from '../pipeline/after/inspect.ts'
import type { RecoveryChoice } from '../pipeline/after/recover.ts'
import type { RevertReport } from '../pipeline/after/revert.ts'
import type { Approvals, WaitingForResult } from './approvals/approvals.ts'
import type { GivenRule, ShownRule } from './configure/load-rules.ts'
import type { GrantsReport, Revocation } from './approvals/grants.ts'
import type { ErrorHandler } from './observe/outside-code.ts'
import type { Policy } from './configure/policy.ts'
import type { TelemetryOptions } from './observe/telemetry.ts'
import type { VerifyReport } from '../journal/chain/verify-report.ts'
import type { SessionBrief, SessionLog, SessionReader } from '../journal/log.ts'
import type { LastUse } from '../journal/overview/session-overview.ts'
import type { ProjectFacts } from './notes/describe-project.ts'
import type { NearNotes, PlacedCall, ToldFolders } from './notes/near-notes.ts'
import type { StartNotes } from './notes/read-notes.ts'
import type { Roles } from './roles/role.ts'
import type { ServerControls } from './servers/open-servers.ts'
import type { ModelAddress } from '../journal/entries/model-note.ts'
import type { SessionChoices } from './sessions/choices/session-choices.ts'
import type { Skills } from './skills/skill.ts'
import type { ReadSessions } from './sessions/read-sessions.ts'
import type { ShownTask } from './sessions/read-tasks.ts'

/** Options of a runtime. Only the root is required. */
export interface RuntimeOptions {
  readonly root: string
  /** The folder that the user works in, the root if absent or elsewhere: notes for agents are read from the root to there. */
  readonly startFolder?: string
  /** The folder of the user's own notes and skills, as the command line has it; none if absent. */
  readonly userFolder?: string
  readonly stateDir?: string
  /** Settings, nested or by dotted name. */
  readonly config?: Readonly<Record<string, unknown>>
  readonly profile?: 'agent' | 'strict' | 'srd'
  /** A named set of policy values; `config` overrides it. */
  readonly preset?: PresetName
  /** Tools in addition to the built-in ones. */
  readonly tools?: readonly Tool[]
  /** Rules in addition to those of the configuration and of the tools. */
  readonly rules?: readonly GivenRule[]
  /** Answers questions about calls that need approval, or lets them wait; if absent, such calls are denied. */
  readonly approve?: Approver | 'later'
  /** The actor of runs that do not name one; appears in the audit events. */
  readonly actor?: Actor
  /** Called with every error, its context and the stack of the thrown value. None of that reaches a model. */
  readonly onError?: ErrorHandler
  /** Called when another process is using the session, and may stop waiting for it; if absent, the runtime waits silently. */
  readonly onBusy?: OnBusy
  /** Reports calls to OpenTelemetry, as the setting `telemetry.enabled` does. */
  readonly telemetry?: TelemetryOptions
  /** Whether Periodic rules are enforced while a session is open; true if absent. */
  readonly periodic?: boolean
  readonly durability?: 'full' | 'normal' | 'memory'
  readonly clock?: Clock
  /** Finds the IP addresses of hosts to fetch from; the system does if absent. What it answers is checked all the same. */
  readonly lookupHost?: LookupHost
  /** The files that are open in an editor, which calls then read and change there if they have unsaved text. */
  readonly buffers?: OpenBuffers
  /** Settings that are already loaded, as on the command line. */
  readonly loaded?: LoadedSettings
}

/** Options of one run. */
export interface RunOptions {
  readonly session?: string
  readonly actor?: Actor
  readonly signal?: AbortSignal
  /** Prevents calls that have not started from starting; they end as `skipped`. */
  readonly skip?: AbortSignal
  readonly onEvent?: (event: LiveEvent) => void
  readonly dryRun?: boolean
  readonly origin?: Origin
  /** Whether a model is given the results, as it is those of its own calls. */
  readonly isForModel?: boolean
  /** The user turn these calls belong to; a new one if absent. */
  readonly turn?: string
  /** The processing pass they belong to; the latest one of the turn if absent. */
  readonly pass?: string
  /** Whether the turn was woken up, for example by a heartbeat, so that a new pass begins with these calls. */
  readonly isWakeUp?: boolean
  /** How often the model has requested tools in this turn, from 1. */
  readonly iteration?: number
  /** Room left in the context window; the setting applies if absent. */
  readonly capacityBytes?: number
  /** The call whose delegated conversation makes these calls. */
  readonly delegate?: string
  /** The tools that a model's calls may use; all if absent. */
  readonly only?: ReadonlySet<string>
  /** Holds the conversations that calls need; such calls are refused if it is absent. */
  readonly delegating?: Delegating
}

/** Whether a turn may end. */
export interface TurnEnd {
  readonly mayEnd: boolean
  /** Tools that should have succeeded: those that must before the end, and those that other calls were refused for. */
  readonly missing: readonly string[]
  /** 0 if nothing is missing; 1 and 2 ask for more work, and at 3 the turn ends anyway. */
  readonly escalation: number
  /** What to tell the model if something is missing. */
  readonly error: ErrorView | null
  /** Results of tools that the runtime ran itself. */
  readonly results: readonly ToolResult[]
}

/** What to undo: the newest call by default. */
export interface UndoOptions {
  /** By default the session of this root with the newest change to take back. */
  readonly session?: string
  readonly actor?: Actor
  /** Lists the files and changes none. */
  readonly dryRun?: boolean
  readonly last?: number
  readonly turn?: boolean
  readonly calls?: readonly string[]
  /** Takes the calls' lines out of files that changed since, and keeps the others. */
  readonly merge?: boolean
  /** Files to leave as they are, relative to the root; their changes can be undone later. */
  readonly except?: readonly string[]
  /** What a person agreed to: the report of a dry run. If it would be another one now, nothing is changed. */
  readonly shown?: RevertReport
  /** Has the report show what changes in every text file, not only in those that are merged. */
  readonly wholeDiff?: boolean
  /** Told now and then how many of many files are in place. */
  readonly onProgress?: (done: number, total: number) => void
}

/** What a conversation is stored with, and what it needs to know about its session. */
export interface ConversationSource {
  readonly log: SessionLog
  readonly digest: (bytes: Uint8Array) => string
  readonly newId: () => string
  /** Monotonic milliseconds. */
  readonly elapsed: () => number
  /** The content of a file before or after a change of the session that is not in the journal; null if it is gone, or larger. */
  readonly contentOf: (change: FileChange, side: 'before' | 'after', maxBytes: number) => Uint8Array | null
  /** Records that the session is in use, and its preset; nothing if the newest such record says the same. */
  readonly noteOpened: (by: 'run' | 'app' | 'editor', preset: string | null) => void
  /** The last model of the session; null if there was none. */
  readonly lastModel: () => ModelAddress | null
  /** Records the model of the session; nothing if it is on record. */
  readonly noteModel: (address: ModelAddress) => void
  /** Stores what a call returned, so that `read_file` finds it as `tongs:output/ID`; false if outputs are not stored. */
  readonly storeOutput: (execution: string, text: string) => boolean
  /** The machine and the workspace as they are now, in words for a model. */
  readonly environment: () => Promise<string>
  /** What the workspace shows of itself, for someone who writes notes about it. */
  readonly project: () => Promise<ProjectFacts>
  /** The notes for agents that a conversation begins with. */
  readonly notes: () => StartNotes
  /** Those of further folders that calls were about; null if there are none that the model does not know. */
  readonly nearNotes: (calls: readonly PlacedCall[], told: ToldFolders) => NearNotes | null
  /** The batch with this id, if it waits for delegated conversations and these wait for nothing any more. */
  readonly isReadyToGoOn: (batch: string) => boolean
  /** The batch whose calls wait for a person to supply their results, or null. */
  readonly held: () => HeldBatch | null
  /** Records the outcome that a person supplies for such a call. */
  readonly supply: (call: DeclaredCall, outcome: SuppliedOutcome) => ToolResult
}

/** The library: one pipeline for every caller. */
export interface Runtime extends Pick<ReadSessions, 'counts' | 'readTogether'>, SessionChoices {
  readonly root: string
  readonly configuration: LoadedSettings
  readonly definitions: () => readonly ToolDefinition[]
  /** The rules in force, in the order they are judged, each with its sentence and source. */
  readonly rules: () => readonly ShownRule[]
  /** The commands of this process that run in the background, and those that have ended there. */
  readonly background: () => readonly BackgroundRow[]
  /** Stops one of them, or all of a session; settles when none of its processes is left. */
  readonly stopBackground: (what: { readonly session: string; readonly handle?: string }) => Promise<void>
  /** The skills that are there now, and what cannot be used as one. */
  readonly skills: () => Skills
  /** The roles of delegated conversations, as their files are now. */
  readonly roles: () => Roles
  /** The configured MCP servers: how they stand, what they offer, trusting that, and what becomes of them meanwhile. */
  readonly servers: ServerControls
  /** The definitions that are advertised to a model. */
  readonly advertised: () => readonly ToolDefinition[]
  /** The definitions of tools that `search_tools` found, in this order; a model is told about them after the others. */
  readonly found: (names: readonly string[]) => readonly ToolDefinition[]
  /** The definitions for a client that has a model of its own: all of them, unless `tools.advertise` names some. */
  readonly offered: () => readonly ToolDefinition[]
  /** Finishes commits that an interrupted process left half in place; every other function does so by itself. */
  readonly ready: () => Promise<void>
  /**
   * Starts the small process that launches commands, if commands are enabled. Long-lived programs should call it early:
   * starting a process from a large one blocks the event loop.
   */
  readonly warm: () => Promise<void>
  readonly run: (calls: readonly ToolCall[], options?: RunOptions) => Promise<readonly ToolResult[]>
  /** Goes on with a batch that waited for a delegated conversation, in the conversation that is given. */
  readonly goOn: (batch: string, options: RunOptions) => Promise<readonly ToolResult[]>
  /** Judges whether a turn may end by what must come before it; the third time the runtime runs what is missing itself. */
  readonly finishTurn: (options: RunOptions & { readonly turn: string }) => Promise<TurnEnd>
  /** Judges calls without running them. */
  readonly policy: Policy
  /** Who is asked about calls that need approval: the approver it was opened with, a person later, or nobody. */
  readonly asking: 'approver' | 'later' | 'nobody'
  /** Approval requests that wait for an answer. */
  readonly pending: (options?: { readonly session?: string }) => Promise<readonly ApprovalRequest[]>
  /** Calls that wait for a person to supply their result. */
  readonly held: (options?: { readonly session?: string }) => Promise<readonly WaitingForResult[]>
  /** Answers approval requests; the last answer of a batch runs it. */
  readonly decide: Approvals['decide']
  /**
   * Waits for the batches of a session that go on after their answers, and continues those whose questions expired; the
   * calls that these asked about are denied.
   */
  readonly expire: (session: string) => Promise<void>
  readonly undo: (options?: UndoOptions) => Promise<RevertReport>
  readonly redo: (
    options?: Pick<UndoOptions, 'session' | 'actor' | 'dryRun' | 'shown' | 'wholeDiff' | 'onProgress'>,
  ) => Promise<RevertReport>
  /** Lists interrupted batches; with a choice, also closes them. */
  readonly recover: (options?: {
    readonly session?: string
    readonly choice?: RecoveryChoice
  }) => Promise<readonly InterruptedBatch[]>
  /** The entries of one session, or of all sessions of this root, oldest first; only the newest if `last` says how many. */
  readonly log: (options?: { readonly session?: string; readonly last?: number }) => Iterable<StoredEntry>
  /** Which gate decided about a call, and on what; one answer per call that the prefix matches. */
  readonly why: (prefix: string) => readonly CallExplanation[]
  /** What a call of a session has come to: its result, or the notice that it waits; null if there is no such call. */
  readonly rowOf: (session: string, execution: string) => ToolResult | null
  /** The grants of this root, and the records that are ignored. */
  readonly grants: () => Promise<GrantsReport>
  /** Revokes a grant by its id or a unique prefix of it. */
  readonly revoke: (
    id: string,
    options?: { readonly session?: string; readonly actor?: Actor },
  ) => Promise<Revocation>
  /** Erases recorded contents of a session, a call or everything older than a number of days; the log still verifies. */
  readonly forget: (
    what: { readonly session: string } | { readonly call: string } | { readonly olderThanDays: number },
  ) => Promise<ForgetReport>
  /** The sessions of this root, most recently written first. */
  readonly sessions: () => readonly SessionBrief[]
  /** The sessions that `run` or the app used, the last used first. */
  readonly lastUses: (most?: number) => readonly LastUse[]
  /** The sessions whose newest message waited for something that came since: answers, results or a recovery. */
  readonly pausedTurns: () => readonly string[]
  /** Whether a live process owns a session. */
  readonly isInUse: (session: string) => Promise<boolean>
  /** The other live process that owns a session; null if none does. */
  readonly ownerOf: (session: string) => Promise<Holder | null>
  /** Reads a session without owning it. */
  readonly peek: (session: string) => SessionReader
  /** Begins a session under a new name that sorts by time after its prefix, and owns it until the runtime closes. */
  readonly begin: (prefix?: string) => Promise<string>
  /** Owns a session from now on; throws at once if another live process owns it. */
  readonly claim: (session: string) => Promise<void>
  /** Ends owning a session, so that another runtime can. Nothing may be running in it. */
  readonly release: (session: string) => Promise<void>
  /** If nothing is on record for this root: roots that have a history and are gone; one of them may be this one, renamed. */
  readonly goneRoots: () => readonly string[]
  /** The one of these that this root was before it was renamed or moved; null if none is known to be it. */
  readonly formerRoot: () => string | null
  /** The work items of one session, or of all sessions of this root. */
  readonly tasks: (options?: { readonly session?: string }) => Promise<readonly ShownTask[]>
  /** Counts, rates, durations and resource use, of one session or all of this root. */
  readonly stats: (options?: { readonly session?: string }) => Statistics
  /** The audit trail, oldest first in each session: one event for every transition of every call. */
  readonly audit: (options?: { readonly session?: string }) => Iterable<AuditEvent>
  /** Checks the chain of one session of this root, or everything in the state folder. */
  readonly verify: (options?: {
    readonly session?: string
    /** A head or the hash of an entry from earlier, which has to be in the log. */
    readonly since?: string
  }) => Promise<VerifyReport>
  /** Opens a session for a conversation. */
  readonly converse: (session: string) => Promise<ConversationSource>
  readonly close: () => Promise<void>
}
