import type { Capability } from '../../core/capability.ts'
import type {
  Claim,
  Command,
  DeclaredRule,
  Deprecation,
  Effect,
  PowersOf,
  Presentation,
  Reconciled,
  Risk,
  SettingsView,
  ToolLimits,
} from '../../core/tool.ts'
import type { IsolationSpec } from '../../core/isolation.ts'
import type { ExtraAccess } from '../../core/powers.ts'
import type { SchemaSource } from '../../schema/schema.ts'

/** A tool as its author writes it: what it is, and the code behind it, here or in a process of its own. */
export type ToolSpec<Input, Output, E extends Effect> = ToolFacts<Input, Output, E> &
  (
    | {
        readonly run: (args: Input, powers: PowersOf[E]) => Output | Promise<Output>
        readonly isolate?: never
      }
    | { readonly isolate: IsolationSpec; readonly run?: never }
  )

/** What a tool says of itself, apart from its code. */
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
  /** Whether to repeat a call is its point, as with tests: it is then not refused as a duplicate although it has effects. */
  readonly repeatable?: boolean
  readonly deprecated?: Deprecation
  readonly risk?: Risk | ((args: Input) => Risk)
  /** Whether the tool itself insists on being asked about. */
  readonly requiresApproval?: boolean | ((args: Input) => boolean)
  /** Arguments with a size limit of their own, by the setting that holds it; they do not count as arguments. */
  readonly bigArguments?: Readonly<Record<string, string>>
  /** What arguments mean beyond their schema; the message says what is wrong and how to put it right. */
  readonly check?: (args: Input, settings: SettingsView) => string | null
  /** The paths the call will touch. Pure; it may throw a ToolFailure for arguments that make no sense. */
  readonly claims?: (args: Input) => readonly Claim[]
  /** What the call would start, so that it can be judged by its words; null if it starts nothing. */
  readonly command?: (args: Input) => Command | null
  /** What the call wants for its command beyond the sandbox, or null; a person is asked about it whatever else is allowed. */
  readonly extraAccess?: (args: Input) => ExtraAccess | null
  /** How to use it well, for the instructions of a model. */
  readonly guide?: string
  /** Rules that hold for it wherever it is used; configuration can add to them. */
  readonly rules?: readonly DeclaredRule[]
  /** One line for people, without I/O. The framework redacts and shortens it. */
  readonly summary?: (args: Input) => string
  readonly present?: Presentation<Output>
  readonly reconcile?: (idempotencyKey: string) => Reconciled<Output> | Promise<Reconciled<Output>>
  readonly compensate?: (args: Input, output: Output) => void | Promise<void>
}
