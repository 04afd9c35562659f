import type { RuleKind } from '../rule-kind.ts'
import { subjectOf } from '../rule-kind.ts'
import { unjudged } from './unjudged.ts'

/** The tool's calls may be repeated. */
export const neverDedupe: RuleKind<'NeverDedupe'> = {
  ...unjudged<'NeverDedupe'>(),
  type: 'NeverDedupe',
  example: { tool: 'send_ping', type: 'NeverDedupe', priority: 0 },
  sentence: (rule) => `${subjectOf(rule)} may be called again with the same arguments at any time.`,
}
