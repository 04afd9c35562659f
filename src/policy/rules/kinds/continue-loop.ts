import type { RuleKind } from '../rule-kind.ts'
import { subjectOf } from '../rule-kind.ts'
import { unjudged } from './unjudged.ts'

/** After the tool the model goes on, without a call that asks for it. */
export const continueLoop: RuleKind<'ContinueLoop'> = {
  ...unjudged<'ContinueLoop'>(),
  type: 'ContinueLoop',
  example: { tool: 'search', type: 'ContinueLoop', priority: 0 },
  sentence: (rule) => `${subjectOf(rule)} lets the work go on afterwards without asking for it.`,
}
