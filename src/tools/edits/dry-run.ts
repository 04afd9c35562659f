import { array, boolean, optional, string } from '../../schema/schema.ts'
import type { CallContext, Effect, PowersOf, Risk } from '../../core/tool.ts'

/** The argument by which a call asks for a dry run of itself. */
export const dryRunArgument = optional(boolean('Only show what would change', { default: false }))

/** What a result says about it. */
export const dryRunMark = boolean('Whether nothing was changed because this was a dry run')

/** The same for tools without the argument: their results carry it on a dry run only. */
export const dryRunOnlyMark = optional(boolean('True if nothing was written because this was a dry run'))

/** The change, where nothing else in a result would show it. */
export const dryRunDiff = optional(string('On a dry run, the change as a unified diff'))

/** What the result of a command has on a dry run, and only then. */
export const commandDryRun = {
  dry_run: optional(boolean('Whether nothing was started because this was a dry run')),
  would_run: optional(array(string('A word'), 'What would have been started')),
}

/** The arguments that decide about a dry run; tools without the argument have none. */
export interface DryRunArgs {
  readonly dry_run?: boolean
}

/** For tools without the argument: only the caller can ask for a dry run of them. */
export const NO_ARGUMENT: DryRunArgs = {}

type EditContext = Pick<PowersOf['edit'], 'edits' | 'isDryRun'>

/** Whether a call only shows what it would do: it asks for that itself, or the caller does for all calls. */
export function isDryCall({ dry_run }: DryRunArgs, { isDryRun }: Pick<CallContext, 'isDryRun'>): boolean {
  return isDryRun || dry_run === true
}

/** A call that asks for a dry run of itself changes nothing, so it has the effect of a read. */
export function effectUnlessDry({ dry_run }: DryRunArgs): Effect {
  return dry_run === true ? 'read' : 'edit'
}

/** The risk of an edit; a call that asks for a dry run of itself has none to speak of. */
export function riskUnlessDry({ dry_run }: DryRunArgs): Risk {
  return dry_run === true ? 'Low' : 'Medium'
}

/** Whether a tool that insists on approval does so for this call. */
export function approvalUnlessDry({ dry_run }: DryRunArgs): boolean {
  return dry_run !== true
}

/** Where the old content of a file is copied to; a dry run copies nothing. */
export function backupUnlessDry(args: DryRunArgs, context: EditContext, path: string): string | null {
  return isDryCall(args, context) ? null : context.edits.backupPath(path)
}

/** The fields of a result that shows its change on a dry run only. */
export function reportDryRun(
  args: DryRunArgs,
  context: EditContext,
): { readonly dry_run: boolean; readonly diff?: string } {
  return isDryCall(args, context) ? { dry_run: true, diff: context.edits.diff() } : { dry_run: false }
}

/** The result of a command on a dry run. */
export function wouldRun(argv: readonly string[]) {
  return { dry_run: true, would_run: argv } as const
}
