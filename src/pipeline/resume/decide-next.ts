import type { Settings } from '../../config/keys.ts'
import type { ToolResult } from '../../core/result.ts'

/** What a loop does after a batch: call the model again, rest, or exit because a tool ended it. */
export type Next = 'go_on' | 'rest' | 'exit'

/** Reads the flags on the results of a batch. Heartbeats decide only if the setting says so; a tool that ends the loop always does. */
export function decideNext(
  results: readonly ToolResult[],
  settings: Pick<Settings, 'tools.continuation'>,
): Next {
  if (results.some(({ continuation }) => continuation?.ends_loop === true)) return 'exit'
  if (settings['tools.continuation'] === 'always') return 'go_on'
  const isWanted = results.some(
    ({ continuation }) =>
      continuation?.requests_continuation === true || continuation?.has_continue_rule === true,
  )
  return isWanted ? 'go_on' : 'rest'
}
