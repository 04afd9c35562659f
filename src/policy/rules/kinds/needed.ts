import type { RuleKind } from '../rule-kind.ts'
import { enumerate, subjectOf } from '../rule-kind.ts'
import { unjudged } from './unjudged.ts'

/** Says that tools belong together, and refuses nothing. */
export const needed: RuleKind<'Needed'> = {
  ...unjudged<'Needed'>(),
  type: 'Needed',
  example: { tool: 'apply_patch', type: 'Needed', tools: ['read_file'], priority: 0 },
  sentence(rule) {
    if (rule.tools.length === 0) return `${subjectOf(rule)} is needed for this work.`
    return `${subjectOf(rule)} needs ${enumerate(rule.tools)} beside it to be of use.`
  },
}
