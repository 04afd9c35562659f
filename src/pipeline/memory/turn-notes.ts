import type { RuleType } from '../../config/rule-types.ts'

/** The note about a turn that tried to end too early. */
export const EXIT_REFUSED = 'exit_refused'

/** The note about the end of a turn. */
export const TURN_COMPLETED = 'turn_completed'

/** A refusal read from a note, or null if the note is malformed. */
export function readExitRefusal(data: unknown): { readonly pass: string; readonly rule: RuleType } | null {
  if (typeof data !== 'object' || data === null || !('pass' in data) || !('rule' in data)) return null
  const { pass, rule } = data
  const isExitRule = rule === 'RequiredBeforeExit' || rule === 'RequiredBeforeExitIf'
  return typeof pass === 'string' && isExitRule ? { pass, rule } : null
}

/** The turn that a note says has ended, or null. */
export function readCompletedTurn(data: unknown): string | null {
  if (typeof data !== 'object' || data === null || !('turn' in data)) return null
  return typeof data.turn === 'string' ? data.turn : null
}
