import type { RuleType } from '../../config/rule-types.ts'

/** What the log calls an end that came too early. */
export const EXIT_REFUSED = 'exit_refused'

/** What the log calls the end of a turn. */
export const TURN_COMPLETED = 'turn_completed'

/** A refusal as the log has it, or null where the note says something else. */
export function readExitRefusal(data: unknown): { readonly pass: string; readonly rule: RuleType } | null {
  if (typeof data !== 'object' || data === null || !('pass' in data) || !('rule' in data)) return null
  const { pass, rule } = data
  const isExitRule = rule === 'RequiredBeforeExit' || rule === 'RequiredBeforeExitIf'
  return typeof pass === 'string' && isExitRule ? { pass, rule } : null
}

/** The turn that a note says is over, or null. */
export function readCompletedTurn(data: unknown): string | null {
  if (typeof data !== 'object' || data === null || !('turn' in data)) return null
  return typeof data.turn === 'string' ? data.turn : null
}
