import { boolean, optional } from '../core/schema.ts'
import type { Effect } from '../core/tool.ts'

/** The argument by which a call asks to be shown only what it would do. */
export const dryRunWish = optional(boolean('Only show what would change', { default: false }))

/** What a result says about it. */
export const dryRunMark = boolean('Whether nothing was changed because this was a dry run')

interface DryRunArgs {
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
