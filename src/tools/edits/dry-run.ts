import { boolean, optional, string } from '../../schema/schema.ts'
import type { Effect } from '../../core/tool.ts'

/** The argument by which a call asks to be shown only what it would do. */
export const dryRunWish = optional(boolean('Only show what would change', { default: false }))

/** What a result says about it. */
export const dryRunMark = boolean('Whether nothing was changed because this was a dry run')

/** The change, where nothing else in a result would show it. */
export const dryRunDiff = optional(string('On a dry run, the change as a unified diff'))

/** The arguments, as far as they say whether to change anything. */
export interface DryRunArgs {
  readonly dry_run?: boolean
}

/** What only shows changes nothing. */
export function effectUnlessDry({ dry_run }: DryRunArgs): Effect {
  return dry_run === true ? 'read' : 'edit'
}

/** Whether the call, or whoever made it, wants to be shown only what would happen. */
export function showsOnly({ dry_run }: DryRunArgs, isDryRun: boolean): boolean {
  return isDryRun || dry_run === true
}
