import type { Capability } from '../../core/capability.ts'
import type {
  Claim,
  Command,
  DeclaredRule,
  Deprecation,
  Effect,
  MovePath,
  PowersOf,
  Presentation,
  Reconciled,
  Risk,
  SettingsView,
  Slips,
  ToolLimits,
  UsualCalls,
} from '../../core/tool.ts'
import type { IsolationSpec } from '../../core/isolation.ts'
import type { ExtraAccess } from '../../core/powers.ts'
import type { WebAddress } from '../../core/web/web-address.ts'
import type { SchemaSource } from '../../schema/schema.ts'

/** A tool as its author writes it: what it is, and its code, here or in its own process. */
export type ToolSpec<Input, Output, E extends Effect> = ToolFacts<Input, Output, E> &
  (
    | {
        readonly run: (args: Input, powers: PowersOf[E]) => Output | Promise<Output>
        readonly isolate?: never
      }
    | { readonly isolate: IsolationSpec; readonly run?: never }
  )

/** A tool's description, apart from its code. */
export interface ToolFacts<Input, Output, E extends Effect> {
  readonly name: string
  readonly version: string
  readonly title?: string
  readonly description: string
  readonly effect: E
  /** May lower the effect for these arguments, never raise it. */
  readonly effectOf?: (args: Input) => Effect
  readonly input: SchemaSource<Input>
  readonly output: SchemaSource<Output>
  readonly capabilities?: readonly Capability[]
  readonly limits?: ToolLimits
  readonly deterministic?: boolean
  readonly idempotent?: boolean
  /**
   * Whether repeating a call is the point, as with tests: it is then not rejected as a duplicate although it has
   * effects.
   */
  readonly repeatable?: boolean
  /**
   * Whether neighbouring calls of one batch can be committed together. Only for a tool that edits and looks at files
   * through `edits` alone; should it use `files` after all, it runs once more.
   */
  readonly groupable?: boolean
  /** Whether a conversation with a model carries its calls out; only for a tool that reads. */
  readonly converses?: boolean
  readonly deprecated?: Deprecation
  /** How bad it would be to be wrong about the call; the second argument is whether a command would be sandboxed. */
  readonly risk?: Risk | ((args: Input, isSandboxed: boolean) => Risk)
  /** Whether the tool itself insists on approval. */
  readonly requiresApproval?: boolean | ((args: Input) => boolean)
  /** Arguments with their own size limit, by the setting that holds it; they do not count toward the general limit. */
  readonly bigArguments?: Readonly<Record<string, string>>
  /** Checks beyond the schema; the message says what is wrong and how to fix it. */
  readonly check?: (args: Input, settings: SettingsView) => string | null
  /** The paths the call will touch. Pure; it may throw a ToolFailure for invalid arguments. */
  readonly claims?: (args: Input) => readonly Claim[]
  /**
   * The same arguments with every relative path moved, for a call that names a working folder. A tool with claims but
   * without this refuses such calls.
   */
  readonly rebase?: (args: Input, move: MovePath) => Input
  /** What the call would start, so that it can be judged by its words; null if it starts nothing. */
  readonly command?: (args: Input) => Command | null
  /**
   * The access beyond the sandbox that the call wants for its command, or null; the approver is always asked about
   * it.
   */
  readonly extraAccess?: (args: Input) => ExtraAccess | null
  /** Where on the web the call goes: its origin is judged, asked about and granted. */
  readonly webAddress?: (args: Input) => WebAddress | null
  /**
   * The calls that a grant for the whole tool covers; all if absent. Calls with another working folder are never
   * among them.
   */
  readonly usual?: UsualCalls<Input>
  /** Arguments that models are not told about, because they seldom need them; they work all the same. */
  readonly rare?: readonly string[]
  /** What models call its arguments and itself by mistake; put right only in their own calls. */
  readonly slips?: Slips
  /** How to use it well, for a model's instructions. */
  readonly guide?: string
  /** Rules that always apply to it; configuration can add more. */
  readonly rules?: readonly DeclaredRule[]
  /** One line for people, without I/O. The framework redacts and shortens it. */
  readonly summary?: (args: Input, settings: SettingsView) => string
  readonly present?: Presentation<Output>
  /**
   * Whether a result is the success that rules ask for, as with tests that ran but failed; every result is if absent.
   */
  readonly satisfies?: (output: Output) => boolean
  /** Whether a result tells that what was started failed, so that the same call may be tried again. */
  readonly hasFailed?: (output: Output) => boolean
  /** Asked after a crash how the call with this key ended. */
  readonly reconcile?: (idempotencyKey: string) => Reconciled<Output> | Promise<Reconciled<Output>>
  /**
   * Takes back what a call did outside the files, when a person undoes it; it throws if it cannot, and may be asked
   * again then. The result is the recorded one, whose secrets may be hidden.
   */
  readonly compensate?: (args: Input, output: Output) => void | Promise<void>
}
