import type { Settings } from '../config/keys.ts'
import type { Approver, Decision } from '../core/approval.ts'
import type { Actor, Origin } from '../core/call.ts'
import type { Clock } from '../core/clock.ts'
import type { ToolError } from '../core/error.ts'
import type { RunIsolated } from '../core/isolation.ts'
import type { ProcessEnd, ShellStatus, SpawnRequest } from '../core/powers.ts'
import type { Registry } from '../core/registry.ts'
import type { ResourceUse } from '../core/resource-use.ts'
import type { ToolResult } from '../core/result.ts'
import type { State } from '../core/lifecycle.ts'
import type { JsonObject } from '../core/json/value.ts'
import type { FileChange, SessionKey } from '../journal/entries/entry.ts'
import type { Effect } from '../core/tool.ts'
import type { SessionLog } from '../journal/log.ts'
import type { FindingCache } from '../policy/judge.ts'
import type { Availability } from '../policy/judge-resources.ts'
import type { GrowingPreview, StagedContent, Workspace } from '../workspace/workspace.ts'
import type { ErrorReport } from './error-report.ts'
import type { Grants } from './memory/grants.ts'
import type { GateRunner } from './memory/gate-runner.ts'
import type { RuleHistory } from './memory/rule-history.ts'
import type { Validation } from './memory/validation.ts'

/** What the pipeline is handed. It finds nothing by itself. */
export interface Engine {
  readonly settings: Settings
  readonly registry: Registry
  readonly workspace: Workspace
  readonly rules: RuleHistory
  readonly grants: Grants
  readonly shell: Shell
  readonly validation: Validation
  /** What the gates said last, so that calls can share it. */
  readonly findings: FindingCache
  readonly clock: Clock
  readonly newId: () => string
  /** SHA-256 in hex. */
  readonly digest: (bytes: string | Uint8Array) => string
  readonly runIsolated: RunIsolated
  /** Runs tools with no arguments on the runtime's own account; `call` is the one that needs them, or null. */
  readonly runAhead: (
    tools: readonly string[],
    call: string | null,
    run: Run,
  ) => Promise<readonly ToolResult[]>
  /** Judges what a call has staged; a refusal keeps it from being committed. */
  readonly checkContent: (
    staged: readonly StagedContent[],
  ) => Promise<{ readonly refusal: ToolError | null; readonly notes: readonly string[] }>
  /** Told of every change that is in place; what it gives is a warning. */
  readonly afterLanding: (changes: readonly FileChange[]) => Promise<readonly string[]>
  /** What this process has used so far; null where nobody wants to know. */
  readonly resources: (() => ResourceUse) | null
  readonly pause: Pause
  /** Null where no gates are configured. */
  readonly gateRunner: GateRunner | null
  /** What is left of the machine for a call with this effect, as of a moment ago; null where nobody looks. */
  readonly availability: (effect: Effect) => Availability | null
  /** Values that are secret whatever they look like, such as those of variables that no command sees. */
  readonly knownSecrets: () => readonly string[]
}

/** Lets the rest of the process have its turn: always if it must, else when its last one is a while ago. */
export type Pause = (must: boolean) => Promise<void> | undefined

/** Runs commands. What confines them is found out when one is first wanted. */
export interface Shell {
  readonly ready: () => Promise<void>
  readonly status: () => ShellStatus
  /** Why a path cannot be granted to a command, or null where a person may grant it. */
  readonly judgePath: (path: string, intent: 'read' | 'write') => ToolError | null
  readonly run: (request: SpawnRequest, hooks: ShellHooks) => Promise<ProcessEnd>
}

/** Who listens to a command, and who may stop it. */
export interface ShellHooks {
  readonly signal: AbortSignal
  readonly emit: (stream: 'stdout' | 'stderr', chunk: string) => void
  /** Whether anybody listens; what nobody sees need not be made fit to be seen. */
  readonly isWatched: boolean
  /** Whose command it is. */
  readonly execution: string
  readonly session: SessionKey
  /** What the answer may weigh. */
  readonly maxOutputBytes: number
}

/** One run of a batch: what the pipeline is handed, and what is known of this run. */
export interface Run {
  readonly engine: Engine
  readonly log: SessionLog
  readonly origin: Origin
  readonly actor: Actor | null
  readonly isDryRun: boolean
  /** What the calls of a dry run would have read and left behind so far; the later ones build on it. Else null. */
  readonly previewed: GrowingPreview | null
  readonly signal: AbortSignal
  /** Whether anybody holds the other end of the signal. */
  readonly mayBeCancelled: boolean
  /** Aborted when calls that have not begun are not to begin any more; the one at work ends as it ends. */
  readonly skip: AbortSignal
  /** Neither of these two may throw. */
  readonly onEvent: (event: LiveEvent) => void
  /** False where nobody is told of output. */
  readonly isWatched: boolean
  readonly onError: (report: ErrorReport) => void
  /** Who answers questions; null means nobody, and then nothing that needs an answer is done. */
  readonly approve: Approver | null
  /** Whether the results go to a model; a person's own calls do not. */
  readonly isForModel: boolean
  readonly inbox: AnswerInbox
  readonly turn: string
  /** From a message or a wake-up until rest; ordering rules count in it. */
  readonly pass: string
  /** Whether nothing of the turn can be on record yet. */
  readonly isFreshTurn: boolean
  /** The call that needs these to have run before it; null where they were asked for. */
  readonly ahead: string | null
  /** How often the model has asked for tools in this turn, from 1. */
  readonly iteration: number
  /** What the conversation has room for; 0 is no limit. */
  readonly capacityBytes: number
}

/** Answers that other processes have left for this one, because it owns the session. */
export interface AnswerInbox {
  /** The answer to a question, if one lies there. */
  readonly take: (approval: string) => Decision | null
  /** Takes an answer away once it is written down. */
  readonly drop: (approval: string) => void
}

/** What a watcher is told while a batch runs. */
export type LiveEvent =
  | {
      /** A call is taken up; every other event about it follows. */
      readonly event: 'call'
      readonly execution: string
      readonly id: string
      readonly name: string
      /** Empty where they are no JSON. */
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
  | { readonly event: 'result'; readonly result: ToolResult; readonly usage?: ResourceUse }
