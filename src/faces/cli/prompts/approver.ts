import { agreeOnce } from '../../../core/approval.ts'
import type { ApprovalRequest, Approver, Asking } from '../../../core/approval.ts'
import { askOnTerminal } from './approval-prompt.ts'
import type { ParsedLine } from '../arguments.ts'
import { hasTerminal } from './prompt-terminal.ts'

const person: Approver = Object.assign(
  (requests: readonly ApprovalRequest[], asking: Asking) => askOnTerminal(requests, asking),
  { isAttended: true },
)

/** Who answers questions for a command line: --yes says once to everything, a person at the terminal is asked, else they wait. */
export function approverFor(line: ParsedLine): Approver {
  if (line.has('--yes')) return agreeOnce
  return line.has('--no-input') || !hasTerminal() ? () => 'later' : person
}
