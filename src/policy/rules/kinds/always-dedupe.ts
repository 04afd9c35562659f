import type { RuleKind } from '../rule-kind.ts'
import { subjectOf } from '../rule-kind.ts'
import { unjudged } from './unjudged.ts'

/** The tool's successful calls are not repeated, even if they only read. */
export const alwaysDedupe: RuleKind<'AlwaysDedupe'> = {
  ...unjudged<'AlwaysDedupe'>(),
  lifetime: 'lasting',
  type: 'AlwaysDedupe',
  example: { tool: 'fetch_page', type: 'AlwaysDedupe', priority: 0 },
  sentence: (rule) =>
    `${subjectOf(rule)} is not called again with the same arguments soon after it succeeded, unless the workspace has changed.`,
}
