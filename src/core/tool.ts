import type { Recognized } from './attachment/attachment.ts'
import type { Capability } from './capability.ts'
import type { Converse } from './conversation/delegation.ts'
import type { ToolError } from './error.ts'
import type { Isolation } from './isolation.ts'
import type { JsonObject } from './json/value.ts'
import type { BackgroundPowers } from './shell/background.ts'
import type { Web } from './web/web.ts'
import type { WebAddress } from './web/web-address.ts'
import type { Edits, ExtraAccess, Files, SessionStore, Spawn } from './powers.ts'

/** A command of a call: a line for a shell, or the words themselves. */
export type Command =
  | { readonly kind: 'line'; readonly text: string }
  | {
      readonly kind: 'words'
      readonly words: readonly string[]
      /** Whether something else than the words decides what happens, such as variables or input. */
      readonly isAltered?: boolean
      /** What the command reads, if the call says it: a shell without a script runs it. */
      readonly input?: string
      /** The names of the variables that the call sets for it. */
      readonly variables?: readonly string[]
    }

/** The most a tool may do; it decides which powers the tool is handed. */
export type Effect = 'read' | 'edit' | 'spawn' | 'external'

/** How bad it would be to be wrong about a call. */
export type Risk = 'Low' | 'Medium' | 'High'

/** A path a call is going to touch, known from its arguments alone. */
export interface Claim {
  readonly path: string
  readonly intent: 'read' | 'write' | 'list'
}

/** What a path that starts in the working folder of a call is called from the root; absolute paths stay as they are. */
export type MovePath = (path: string) => string

/** The calls of a tool that a grant for the whole tool covers, if not all of them. */
export interface UsualCalls<Args> {
  /** Which calls these are, as the end of a sentence. */
  readonly says: string
  readonly includes: (args: Args) => boolean
  /** Whether the grant also ends if such a call would start something else, apart from what `stem` leaves out. */
  readonly bindsStart?: boolean
}

/** Slips that models make with a tool, and what they mean. */
export interface Slips {
  /** Names that other agents use for its arguments. */
  readonly names?: Readonly<Record<string, string>>
  /** The argument with the words of a command, which models write as one line. */
  readonly command?: string
  /** Names that other agents use for the tool itself; a call of one is told this name. */
  readonly tool?: readonly string[]
}

/** The limits that a tool asks for. */
export interface ToolLimits {
  /** Which configured timeout applies; `default` if absent. */
  readonly timeout?: 'default' | 'file_operations' | 'shell_commands' | 'conversation'
  readonly maxExecutionTimeMs?: number
  readonly maxMemoryBytes?: number
  readonly maxFileBytes?: number
}

/** When a tool was deprecated, and what to use instead. */
export interface Deprecation {
  readonly since: string
  readonly use: string
  readonly removedIn: string
}

/** A rule that a tool declares for its own calls. docs/rules.md lists the types and their parameters. */
export interface DeclaredRule {
  readonly type: string
  readonly priority?: number
  readonly tools?: readonly string[]
  readonly max?: number
  readonly seconds?: number
  readonly groups?: readonly (readonly string[])[]
  readonly operations?: readonly string[]
  readonly scope?: string
}

/** Settings as tools see them; `config/` knows their types. */
export type SettingsView = Readonly<Record<string, unknown>>

/** What every running call knows about itself. Created anew for each call. */
export interface CallContext {
  readonly callId: string
  readonly executionId: string
  readonly signal: AbortSignal
  readonly settings: SettingsView
  readonly timeoutMs: number
  /** The most bytes the answer may have; tools that shrink themselves shrink to this. */
  readonly maxOutputBytes: number
  /** What the conversation has room for, or null outside of one. */
  readonly capacityBytes: number | null
  /** The working folder of the call, relative to the root. Paths that powers are handed start at the root. */
  readonly cwd: string
  readonly isDryRun: boolean
  /** Epoch milliseconds. */
  readonly now: () => number
  /** What the tool stores for its session. */
  readonly store: SessionStore
  /** Stores a picture or document that the model is shown with the result; null if the result goes to no model. */
  readonly attach: ((bytes: Uint8Array, about: Recognized & { readonly path: string }) => void) | null
  /** Sends a piece of output to watchers; it is never recorded. */
  readonly emit: (stream: 'stdout' | 'stderr', chunk: string) => void
}

/** What a tool with each effect is given. */
export interface PowersOf {
  readonly read: CallContext & {
    readonly files: Files
    /** Holds a conversation for the call; refused unless the tool says that it converses. */
    readonly converse?: Converse
  }
  readonly edit: CallContext & {
    readonly files: Files
    readonly edits: Edits
    /** Why the staged content of a file will be refused, or null. Everything is judged again before the commit. */
    readonly judge: (path: string) => Promise<ToolError | null>
  }
  readonly spawn: CallContext & {
    readonly files: Files
    readonly spawn: Spawn
    readonly background: BackgroundPowers
  }
  readonly external: CallContext & {
    readonly files: Files
    readonly idempotencyKey: string
    readonly web: Web
  }
}

/** How models read results: as short text, or as the JSON of the result. */
export type OutputStyle = 'text' | 'json'

/** How a result becomes the text for a model. The framework may cut text; JSON results shrink themselves. */
export interface Presentation<Output> {
  readonly text: (output: Output) => string
  /** Whether models are given this text in every style. */
  readonly isFixed?: boolean
  /** False if the tool fits its result into the limit itself: as JSON, or as this text if that is fixed. */
  readonly mayTruncate: boolean | ((output: Output) => boolean)
  /** Where all of a text that was cut can be read, or null. */
  readonly whole?: (output: Output) => string | null
}

/** What an external tool knows about a call that was interrupted. */
export type Reconciled<Output> =
  | { readonly is: 'finished'; readonly output: Output }
  | { readonly is: 'never_began' }
  | { readonly is: 'unknown' }

/** What sets a tool of an MCP server or an editor apart: others run it, and its name may come to stand for something else. */
export interface ForeignFacts {
  /** What confines its program, for people; null if it is not a program of this machine. */
  readonly confinement: string | null
  /** Whether it is gone with the program that gave it, so that it is allowed for a time at most, and never for longer than it is there. */
  readonly isPassing?: boolean
}

/** A tool as the pipeline sees it: complete, with its types erased and its schemas as JSON. */
export interface Tool {
  readonly name: string
  readonly version: string
  readonly title: string
  readonly description: string
  readonly effect: Effect
  readonly inputSchema: JsonObject
  readonly outputSchema: JsonObject
  readonly capabilities: readonly Capability[]
  readonly limits: ToolLimits
  readonly deterministic: boolean
  readonly idempotent: boolean
  readonly repeatable: boolean
  /** Whether neighbouring calls can be committed together: its code looks at files only through `edits`. */
  readonly groupable: boolean
  /** Whether a conversation with a model carries its calls out. */
  readonly converses: boolean
  readonly deprecated: Deprecation | null
  readonly guide: string | null
  /** Arguments that models are not told about. */
  readonly rare: readonly string[]
  readonly slips: Slips
  readonly rules: readonly DeclaredRule[]
  /** The risk of the tool before its arguments are known. */
  readonly risk: Risk
  readonly alwaysRequiresApproval: boolean
  /** Null if every argument counts towards the common limit. */
  readonly bigArguments: Readonly<Record<string, string>> | null
  readonly effectOf: (args: JsonObject) => Effect
  /** What it could do wrong here; a command that is sandboxed can do less. */
  readonly riskOf: (args: JsonObject, isSandboxed?: boolean) => Risk
  readonly requiresApproval: (args: JsonObject) => boolean
  readonly check: (args: JsonObject, settings: SettingsView) => string | null
  readonly claims: (args: JsonObject) => readonly Claim[]
  /** The arguments with their relative paths moved; null if the tool does not say which they are. */
  readonly rebase: ((args: JsonObject, move: MovePath) => JsonObject) | null
  readonly command: (args: JsonObject) => Command | null
  readonly extraAccess: (args: JsonObject) => ExtraAccess | null
  /** Where on the web it goes; null if it goes nowhere, or does not say so. */
  readonly webAddress: (args: JsonObject) => WebAddress | null
  /** Null if a grant for the tool covers every call of it. */
  readonly usual: UsualCalls<JsonObject> | null
  readonly summary: (args: JsonObject, settings?: SettingsView) => string
  readonly present: Presentation<JsonObject>
  /** Whether a result is the success that rules ask for; null if every result is. */
  readonly satisfies: ((output: JsonObject) => boolean) | null
  /** Whether a result tells of a failure; null if none does. */
  readonly hasFailed: ((output: JsonObject) => boolean) | null
  /** Must not be called if the tool is isolated. */
  readonly run: (args: JsonObject, powers: PowersOf[Effect]) => unknown
  readonly isolate: Isolation | null
  readonly reconcile: ((idempotencyKey: string) => unknown) | null
  readonly compensate: ((args: JsonObject, output: JsonObject) => unknown) | null
  /** Null for tools that are part of this program. Grants for others hold for their version only. */
  readonly foreign: ForeignFacts | null
}
