import type { Capability } from './capability.ts'
import type { ToolError } from './error.ts'
import type { Isolation } from './isolation.ts'
import type { JsonObject } from './json/value.ts'
import type { Edits, ExtraAccess, Files, SessionStore, Spawn } from './powers.ts'

/** A command as a tool is given it: a line for a shell, or the words themselves. */
export type Command =
  | { readonly kind: 'line'; readonly text: string }
  | {
      readonly kind: 'words'
      readonly words: readonly string[]
      /** Whether something beside the words decides what happens, such as variables or what the program reads. */
      readonly isAltered?: boolean
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

/** What a tool asks to be held to. */
export interface ToolLimits {
  /** Which configured timeout applies; `default` if absent. */
  readonly timeout?: 'default' | 'file_operations' | 'shell_commands'
  readonly maxExecutionTimeMs?: number
  readonly maxMemoryBytes?: number
  readonly maxFileBytes?: number
}

/** That a tool is on its way out, and what to use instead. */
export interface Deprecation {
  readonly since: string
  readonly use: string
  readonly removedIn: string
}

/** A rule that a tool brings along for its own calls. Which types there are, and what each takes, stands in docs/rules.md. */
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

/** What every running call knows about itself. Built afresh for each call. */
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
  /** The folder relative paths start from, relative to the root. */
  readonly cwd: string
  readonly isDryRun: boolean
  /** Epoch milliseconds. */
  readonly now: () => number
  /** What the tool keeps for its session. */
  readonly store: SessionStore
  /** Hands a piece of output to whoever watches; never recorded. */
  readonly emit: (stream: 'stdout' | 'stderr', chunk: string) => void
}

/** The powers that come with each effect. */
export interface PowersOf {
  readonly read: CallContext & { readonly files: Files }
  readonly edit: CallContext & {
    readonly files: Files
    readonly edits: Edits
    /** Why what is staged for a file will be refused for its content, or null. All of it is judged again before it is committed. */
    readonly judge: (path: string) => Promise<ToolError | null>
  }
  readonly spawn: CallContext & { readonly files: Files; readonly spawn: Spawn }
  readonly external: CallContext & { readonly files: Files; readonly idempotencyKey: string }
}

/** How a result becomes the text a model is given. Text may be cut by the framework; JSON shrinks itself. */
export interface Presentation<Output> {
  readonly text: (output: Output) => string
  /** False where a cut would corrupt the text; the tool then fits by itself. */
  readonly mayTruncate: boolean | ((output: Output) => boolean)
}

/** What an external tool knows about a call whose end was not seen. */
export type Reconciled<Output> =
  | { readonly is: 'finished'; readonly output: Output }
  | { readonly is: 'never_began' }
  | { readonly is: 'unknown' }

/** A tool as the pipeline sees it: complete, its types erased, its schemas printed. */
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
  readonly deprecated: Deprecation | null
  readonly guide: string | null
  readonly rules: readonly DeclaredRule[]
  /** What to say of the tool before its arguments are known. */
  readonly risk: Risk
  readonly alwaysRequiresApproval: boolean
  /** Null where every argument counts towards the limit of all. */
  readonly bigArguments: Readonly<Record<string, string>> | null
  readonly effectOf: (args: JsonObject) => Effect
  readonly riskOf: (args: JsonObject) => Risk
  readonly requiresApproval: (args: JsonObject) => boolean
  readonly check: (args: JsonObject, settings: SettingsView) => string | null
  readonly claims: (args: JsonObject) => readonly Claim[]
  readonly command: (args: JsonObject) => Command | null
  readonly extraAccess: (args: JsonObject) => ExtraAccess | null
  readonly summary: (args: JsonObject) => string
  readonly present: Presentation<JsonObject>
  /** Not to be called where the tool is isolated. */
  readonly run: (args: JsonObject, powers: PowersOf[Effect]) => unknown
  readonly isolate: Isolation | null
  readonly reconcile: ((idempotencyKey: string) => unknown) | null
  readonly compensate: ((args: JsonObject, output: JsonObject) => unknown) | null
}
