import type { RuleKind } from '../rule-kind.ts'
import { subjectOf } from '../rule-kind.ts'
import { unjudged } from './unjudged.ts'

/** Once the tool has succeeded the loop ends. */
export const exitLoop: RuleKind<'ExitLoop'> = {
  ...unjudged<'ExitLoop'>(),
  lifetime: 'pass',
  type: 'ExitLoop',
  example: { tool: 'finish', type: 'ExitLoop', priority: 0 },
  sentence: (rule) => `${subjectOf(rule)} ends the work once it has succeeded.`,
}
