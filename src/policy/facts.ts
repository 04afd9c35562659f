import type { Origin } from '../core/call.ts'
import type { Capability } from '../core/capability.ts'
import type { Claim, Command, Effect, Risk } from '../core/tool.ts'
import type { ToolError } from '../core/error.ts'
import type { Grant } from '../core/grant.ts'
import type { ExtraAccess } from '../core/powers.ts'
import type { ShellStatus } from '../core/shell/shell-status.ts'
import type { WebAddress } from '../core/web/web-address.ts'
import type { GateAnswer } from './external/gate-answer.ts'
import type { Availability } from './judge-resources.ts'
import type { DedupeVerdict } from './rules/dedupe.ts'
import type { RuleDecision } from './rules/judge-rules.ts'

/** A path the call claims, and the sandbox's answer. */
export interface ClaimFact {
  readonly claim: Claim
  /** Where it resolves to, for display; null if it does not resolve. */
  readonly resolved: string | null
  /** The same as an absolute path. */
  readonly absolute: string | null
  /** Whether a folder is there, so that the call may reach names that it does not claim. */
  readonly isFolder: boolean
  readonly error: ToolError | null
}

/** Facts about the tool that was called. */
export interface ToolFact {
  readonly name: string
  readonly version: string
  readonly effect: Effect
  readonly risk: Risk
  readonly requiresApproval: boolean
  /** The capabilities it declares. */
  readonly capabilities: readonly Capability[]
  /** Whether a process it starts is confined to the workspace and has no network. */
  readonly isSandboxed: boolean
  /** What it would start; null if it starts nothing. */
  readonly command: Command | null
  /** Access beyond the sandbox for its command; earlier approvals do not cover it. */
  readonly extraAccess: ExtraAccess | null
  /** Where on the web it goes; null if it goes nowhere, or does not say so. */
  readonly webAddress: WebAddress | null
}

/** A path that a call asks for, and why it cannot be granted. */
export interface ExtraPathFact {
  readonly path: string
  /** Where it leads, with every link followed; null if it cannot be granted. */
  readonly real: string | null
  /** What is there; a folder stands for everything in it. */
  readonly kind?: 'file' | 'folder'
  readonly error: ToolError | null
}

/** What the rules say about the call. */
export interface RuleFact {
  readonly dedupe: DedupeVerdict
  readonly decision: RuleDecision
}

/** Facts about a call from itself, its tool and the workspace. */
export interface LastingFacts {
  readonly origin: Origin
  readonly isDryRun: boolean
  readonly name: string
  readonly available: readonly string[]
  readonly nearestName: string | null
  /** What to do about a tool that does not exist. */
  readonly lookupAdvice: readonly string[]
  /** Whether a delegated conversation was not given this tool. */
  readonly isWithheld?: boolean
  /** Whether its tool needs a conversation with a model and there is none. */
  readonly lacksConversation?: boolean
  /** Its position in the batch, from 1. */
  readonly position: number
  /** Whether it was parsed from a fenced block. */
  readonly isFenced?: boolean
  /** How often the model has called tools in this turn, from 1. */
  readonly iteration: number
  /** The id that the call came with. */
  readonly id: string
  /** How many calls of the batch have this id. */
  readonly sameId: number
  /** What is wrong with the envelope: the id, the name, or arguments that are not an object. */
  readonly envelope: readonly string[]
  /** The size of the arguments as JSON, without those that have their own limit; 0 if they cannot be read. */
  readonly argsBytes: number
  /** Arguments with their own limit. */
  readonly separateArguments: readonly MeasuredArgument[]
  /** Those that exceed their limit. */
  readonly oversized: readonly MeasuredArgument[]
  readonly tool: ToolFact | null
  /** What is wrong with the arguments. */
  readonly argumentProblems: readonly string[]
  /** An error that the tool itself found in the arguments, such as a patch that does not parse. */
  readonly argumentError: ToolError | null
  readonly claims: readonly ClaimFact[]
}

/** An argument with its own limit, and the key of that limit. */
export interface MeasuredArgument {
  readonly argument: string
  readonly bytes: number
  readonly key: string
  readonly limit: number
}

/** Facts that another call, another process or time may change. */
export interface PassingFacts {
  /** The sandbox for commands; null if the call starts none. */
  readonly shell: ShellStatus | null
  /** The paths outside the sandbox that the call asks for. */
  readonly extraPaths: readonly ExtraPathFact[]
  /** The narrowest standing grant that covers the call. */
  readonly grant: Grant | null
  /** How many grants for this tool are ignored because another program changed their records. */
  readonly ignoredGrants: number
  /** Why a grant for the whole tool does not cover the call although it could: what would start has changed. */
  readonly changedStart: string | null
  /** Null if no rule applies to calls of this tool. */
  readonly rules: RuleFact | null
  /** What the configured gates answered, in order, up to the first objection; null if they have not been asked. */
  readonly gates: readonly GateAnswer[] | null
  /** The resources available on the machine; null if the call needs none. */
  readonly resources: Availability | null
}

/** Everything the gates may read. A missing fact does not compile, so no gate passes for lack of one. */
export interface CallFacts extends LastingFacts, PassingFacts {}
