import { array, boolean, optional, string } from '../../schema/schema.ts'
import type { Spawn, SpawnRequest } from '../../core/powers.ts'
import type { CallContext, Effect, PowersOf, Risk } from '../../core/tool.ts'

/** The argument that requests a dry run of the call. */
export const dryRunArgument = optional(boolean('Only show what would change', { default: false }))

/** The field of a result that marks a dry run. */
export const dryRunMark = boolean('Whether nothing was changed because this was a dry run')

/** The same for tools without the argument: their results have it only on a dry run. */
export const dryRunOnlyMark = optional(boolean('True if nothing was written because this was a dry run'))

/** The change, for results that show it in no other field. */
export const dryRunDiff = optional(string('On a dry run, the change as a unified diff'))

/** The fields that the result of a command has only on a dry run. */
export const commandDryRun = {
  dry_run: optional(boolean('Whether nothing was started because this was a dry run')),
  would_run: optional(array(string('A word'), 'What would have been started')),
}

/** The arguments that decide about a dry run; tools without the argument have none. */
export interface DryRunArgs {
  readonly dry_run?: boolean
}

/** For tools without the argument: only the caller can request a dry run of them. */
export const NO_ARGUMENT: DryRunArgs = {}

type EditContext = Pick<PowersOf['edit'], 'edits' | 'isDryRun'>

/**
 * Whether a call only shows what it would do: because of its argument, or because the caller wants that for all
 * calls.
 */
export function isDryCall({ dry_run }: DryRunArgs, { isDryRun }: Pick<CallContext, 'isDryRun'>): boolean {
  return isDryRun || dry_run === true
}

/** A call that requests a dry run changes nothing, so it has the effect of a read. */
export function effectUnlessDry({ dry_run }: DryRunArgs): Effect {
  return dry_run === true ? 'read' : 'edit'
}

/** The risk of an edit; a call that requests a dry run has almost none. */
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

/** The fields of a result that shows its change only on a dry run. */
export function reportDryRun(
  args: DryRunArgs,
  context: EditContext,
): { readonly dry_run: boolean; readonly diff?: string } {
  return isDryCall(args, context) ? { dry_run: true, diff: context.edits.diff() } : { dry_run: false }
}

/** The result of a command on a dry run; an approval of the call covers what it announces here. */
export function wouldRun(request: SpawnRequest, spawn: Pick<Spawn, 'announce'>) {
  spawn.announce(request)
  return dryRunOf(request.argv)
}

/** The fields of a result that was a dry run. */
export function dryRunOf(argv: readonly string[]) {
  return { dry_run: true, would_run: argv } as const
}
