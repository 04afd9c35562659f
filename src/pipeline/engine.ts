import type { Settings } from '../config/keys.ts'
import type { Approver, Decision } from '../core/approval.ts'
import type { Actor, Origin } from '../core/call.ts'
import type { Clock } from '../core/clock.ts'
import type { Delegating } from '../core/conversation/delegation.ts'
import type { ToolError, ToolFailure } from '../core/error.ts'
import type { RunIsolated } from '../core/isolation.ts'
import type { ProcessEnd, SpawnRequest } from '../core/powers.ts'
import type { ShellStatus } from '../core/shell/shell-status.ts'
import type { BackgroundEnd, BackgroundReport, BackgroundWish } from '../core/shell/background.ts'
import type { Registry } from '../core/registry.ts'
import type { ResourceUse } from '../core/resource-use.ts'
import type { ToolResult } from '../core/result.ts'
import type { Soon } from '../core/wait.ts'
import type { State } from '../core/lifecycle.ts'
import type { JsonObject } from '../core/json/value.ts'
import type { FileChange, SessionKey } from '../journal/entries/entry.ts'
import type { Effect } from '../core/tool.ts'
import type { Hidden } from '../core/text/secrets/redact.ts'
import type { Layer } from '../core/layer.ts'
import type { SessionLog } from '../journal/log.ts'
import type { FindingCache } from '../policy/judge.ts'
import type { Availability } from '../policy/judge-resources.ts'
import type { StagedContent } from '../workspace/staging/staged-content.ts'
import type { AssumedFiles, GrowingPreview } from '../workspace/staging/assumed-files.ts'
import type { Workspace } from '../workspace/workspace.ts'
import type { Web } from '../core/web/web.ts'
import type { ErrorReport } from './error-report.ts'
import type { Grants } from './memory/grants.ts'
import type { GateRunner } from './memory/gate-runner.ts'
import type { RuleHistory } from './memory/rule-history.ts'
import type { Validation } from './memory/validation.ts'

/** The dependencies of the pipeline. It looks nothing up by itself. */
export interface Engine {
  readonly settings: Settings
  readonly registry: Registry
  readonly workspace: Workspace
  readonly rules: RuleHistory
  readonly grants: Grants
  readonly shell: Shell
  readonly web: SharedWeb
  readonly validation: Validation
  /** The latest findings of the gates, so that calls can share them. */
  readonly findings: FindingCache
  readonly clock: Clock
  /** A new id; the time in epoch milliseconds may be given by whoever has just read it. */
  readonly newId: (at?: number) => string
  /** SHA-256 in hex. */
  readonly digest: (bytes: string | Uint8Array) => string
  readonly runIsolated: RunIsolated
  /** Runs tools without arguments for the runtime itself. */
  readonly runAhead: (tools: readonly string[], of: AheadOf, run: Run) => Promise<readonly ToolResult[]>
  /** Judges what a call has staged; a refusal prevents the commit. */
  readonly checkContent: (
    staged: readonly StagedContent[],
  ) => Promise<{ readonly refusal: ToolError | null; readonly notes: readonly string[] }>
  /** Called after changes are in place; what it returns become warnings. */
  readonly afterLanding: (changes: readonly FileChange[]) => Promise<readonly string[]>
  /** What this process has used so far; null if usage is not recorded. */
  readonly resources: (() => ResourceUse) | null
  readonly pause: Pause
  /** Null if no gates are configured. */
  readonly gateRunner: GateRunner | null
  /** Resources left for a call with this effect, as of a moment ago; null if they are not watched. */
  readonly availability: (effect: Effect) => Availability | null
  /** Values that are secret whatever they look like, such as variables that are hidden from commands. */
  readonly knownSecrets: () => readonly string[]
}

/** The web as all calls share it; what one stores is found by its session alone. */
export interface SharedWeb extends Omit<Web, 'store'> {
  readonly store: (
    content: string | Uint8Array,
    of: { readonly session: SessionKey; readonly execution: string },
  ) => string | null
}

/** What tools are run ahead of. */
export interface AheadOf {
  /** The call that needs them, or null. */
  readonly call: string | null
  /** Whether their questions may be answered later. */
  readonly mayWait: boolean
}

/** Yields to the rest of the process: always if `must` is set, otherwise only if the last time was a while ago. */
export type Pause = (must: boolean) => Promise<void> | undefined

/** Runs commands. The sandbox is detected when a command is first needed. */
export interface Shell {
  readonly ready: () => Promise<void>
  readonly status: () => ShellStatus
  /** Where a path leads that a person may grant to a command, or why it cannot be granted. */
  readonly judgePath: (path: string, intent: 'read' | 'write') => GrantablePath
  /** The file that a word of a command would start, looked up as the command would; null if there is none. */
  readonly findProgram: (word: string, request: Omit<SpawnRequest, 'timeoutMs'>) => StartedFile | null
  /** The same for each of several words. */
  readonly findPrograms: (
    words: readonly string[],
    request: Omit<SpawnRequest, 'timeoutMs'>,
  ) => readonly (StartedFile | null)[]
  /** The programs of the project that a process would find in the place of the system's, by name, with their files. */
  readonly findReplaced: (
    request: Pick<SpawnRequest, 'cwd' | 'env'>,
  ) => readonly (readonly [string, string])[]
  /** What the approver should know about the workspace before a command runs, as sentences. */
  readonly remarks: () => readonly string[]
  readonly run: (request: SpawnRequest, hooks: ShellHooks) => Promise<ProcessEnd>
  /** Starts a command that goes on when its call has ended, on a layer of its own, of which nothing lands. */
  readonly startBackground: (request: SpawnRequest, hooks: BackgroundHooks) => Promise<BackgroundReport>
  readonly readBackground: (
    session: SessionKey,
    handle: string,
    wish: BackgroundWish,
    signal: AbortSignal,
  ) => Promise<BackgroundReport>
  /** Makes the layer that the processes of a call share; null if there is none here. */
  readonly openLayer: (execution: string) => Promise<Layer | null>
  readonly discardLayer: (layer: Layer) => Promise<void>
  /** Says that no call uses a layer any more, although what became of its call is not on record. */
  readonly giveUpLayer: (layer: Layer) => void
}

/** A path outside the sandbox that a call asks for: where it leads without links, or why it is refused. */
export type GrantablePath =
  | { readonly ok: true; readonly real: string; readonly kind: 'file' | 'folder' }
  | { readonly ok: false; readonly error: ToolError }

/** A program on disk. */
export interface StartedFile {
  /** Absolute, without links. */
  readonly path: string
  /** Changes with the file; null if it belongs to the workspace, where files change with the work. */
  readonly stamp: string | null
}

/** How a command reports its output, and how it is stopped. */
export interface ShellHooks {
  readonly signal: AbortSignal
  readonly emit: (stream: 'stdout' | 'stderr', chunk: string) => void
  /** Whether output is watched; unwatched output need not be sanitized for display. */
  readonly isWatched: boolean
  /** The call that runs the command. */
  readonly execution: string
  /** Where it writes; null is the workspace itself. */
  readonly layer: Layer | null
  readonly session: SessionKey
  /** The most bytes of output to return. */
  readonly maxOutputBytes: number
  /** Whether a person said that a value which looks like a secret is none. */
  readonly isNoSecret: (value: string) => boolean
  /** Told which secrets were removed from the output. */
  readonly onHidden: (hidden: readonly Hidden[]) => void
  /** The words of a command that no call waits for. */
  readonly inBackground?: string
  /** Told, when it has started, what finds out why nothing of its output may be used; that returns null if it may. */
  readonly onStarted?: (findFault: () => ToolFailure | null) => void
}

/** The same for a command in the background, with its words and what is told of its start and its end. */
export interface BackgroundHooks extends Omit<ShellHooks, 'signal' | 'emit' | 'isWatched' | 'layer'> {
  /** Its words for people, without secrets. */
  readonly words: string
  readonly now: () => number
  readonly onStart: () => void
  readonly onEnd: (end: BackgroundEnd, durationMs: number) => void
}

/** One run of a batch: the engine, and what is specific to this run. */
export interface Run {
  readonly engine: Engine
  readonly log: SessionLog
  readonly origin: Origin
  readonly actor: Actor | null
  readonly isDryRun: boolean
  /** What the calls of a dry run have read and would have written so far, for later calls to build on; null otherwise. */
  readonly previewed: GrowingPreview | null
  readonly signal: AbortSignal
  /** Whether the caller passed a signal. */
  readonly mayBeCancelled: boolean
  /** Aborted when no further call may start; a running call is not affected. */
  readonly skip: AbortSignal
  /** Must not throw, like `onError`. */
  readonly onEvent: (event: LiveEvent) => void
  /** Whether output events are watched. */
  readonly isWatched: boolean
  readonly onError: (report: ErrorReport) => void
  /** Answers questions; if null, calls that need approval are denied. */
  readonly approve: Approver | null
  /** Whether the results go to a model; those of a person's own calls do not. */
  readonly isForModel: boolean
  readonly inbox: AnswerInbox
  readonly turn: string
  /** Lasts from a message or a wake-up until the loop rests; ordering rules count within it. */
  readonly pass: string
  /** Whether the turn is new, so that nothing of it can be on record. */
  readonly isFreshTurn: boolean
  /** The call that needs these to run before it; null if they were requested. */
  readonly ahead: string | null
  /** Whether its questions may be answered later, in another process. */
  readonly mayWait: boolean
  /** How often the model has requested tools in this turn, from 1. */
  readonly iteration: number
  /** Room left in the context window; 0 means no limit. */
  readonly capacityBytes: number
  /** The call whose delegated conversation makes these calls; null if the conversation of the session does. */
  readonly delegate: string | null
  /** The tools that a model's calls may use; null if all. */
  readonly only: ReadonlySet<string> | null
  /** Holds the conversations that calls need; null outside of a conversation. */
  readonly delegating: Delegating | null
  /** Whether the batch waited for something that came, maybe in another process. */
  readonly isContinued: boolean
  /** Edits of this batch that are staged and not committed yet; absent outside of a batch. */
  readonly held?: HeldEdits
}

/** Edits that wait to be committed together. What reads, runs or asks has to commit them first. */
export interface HeldEdits {
  readonly isEmpty: boolean
  /** The files that they leave. */
  readonly files: AssumedFiles
  /** The ledger with what they have seen and written. */
  readonly ledger: SessionLog['ledger']
  /** Commits them. */
  readonly flush: () => Soon<void>
}

/** Where answers reach a question that this process asks, other than from its approver. */
export interface AnswerInbox {
  /** Receives the answers given in this process to the questions of a batch, until the returned function is called. */
  readonly listen: (batch: string, hear: HearAnswer) => () => void
  /** Takes the answer to a question that another process left, or null if there is none. */
  readonly take: (approval: string) => Decision | null
  /** Leaves an answer that was taken and could not be recorded to the next process that asks. */
  readonly putBack: (approval: string) => void
  /** Removes an answer that was taken, once it is recorded. */
  readonly drop: (approval: string) => void
}

/** Records the answer to a question that is being asked. */
export type HearAnswer = (approval: string, decision: Decision) => boolean

/** What is emitted while a batch runs. */
export type LiveEvent =
  | {
      /** The first event about a call. */
      readonly event: 'call'
      readonly execution: string
      readonly id: string
      readonly name: string
      /** Empty if they are not valid JSON. */
      readonly args: JsonObject
    }
  | {
      readonly event: 'state'
      readonly execution: string
      readonly id: string
      readonly name: string
      readonly state: State
    }
  | {
      readonly event: 'output'
      readonly execution: string
      readonly id: string
      readonly stream: 'stdout' | 'stderr'
      readonly chunk: string
    }
  | {
      /** Many changes of a call are being put in place. */
      readonly event: 'landing'
      readonly execution: string
      readonly id: string
      /** How many files are in place, and how many there are. */
      readonly done: number
      readonly total: number
    }
  | { readonly event: 'result'; readonly result: ToolResult; readonly usage?: ResourceUse }
