import type { Approver } from '../../core/approval.ts'
import type { ParsedLine } from './arguments.ts'
import { askOnTerminal, hasTerminal } from './approval-prompt.ts'

/** Who answers questions for a command line: --yes says once to everything, a person at the terminal is asked, else they wait. */
export function approverFor(line: ParsedLine): Approver {
  if (line.has('--yes')) return (requests) => requests.map(() => 'once' as const)
  if (line.has('--no-input') || !hasTerminal()) return () => 'later'
  return askOnTerminal
}
