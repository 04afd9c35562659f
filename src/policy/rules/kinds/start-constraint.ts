import { escalate } from './escalation.ts'
import { hasSucceeded } from '../rule-state.ts'
import type { RuleState } from '../rule-state.ts'
import { ANY_TOOL } from '../rule-kind.ts'
import type { RuleBook, RuleKind } from '../rule-kind.ts'

/** The tool succeeds before any other runs in a pass; several start tools may come in any order among themselves. */
export const startConstraint: RuleKind<'StartConstraint'> = {
  type: 'StartConstraint',
  lifetime: 'pass',
  example: { tool: 'read_status', type: 'StartConstraint', priority: 0 },
  sentence: ({ tool }) => `${tool} must succeed before any other tool is called.`,
  concerns: (rule, tool, book) => rule.tool !== ANY_TOOL && !book.startTools.includes(tool),
  judge(rule, { state, facts, book }) {
    const missing = findMissingStarts(book, state)
    if (!missing.includes(rule.tool)) return null
    const refusals = state.pass.startRefusals
    return escalate({ rule: rule.type, sentence: this.sentence(rule), missing, refusals }, facts)
  },
}

/** The start tools that have not succeeded in this pass. */
export function findMissingStarts(book: Pick<RuleBook, 'startTools'>, state: RuleState): readonly string[] {
  return book.startTools.filter((tool) => !hasSucceeded(state, tool))
}
