import { hasSucceeded } from '../rule-state.ts'
import { enumerate, isAbout, subjectOf } from '../rule-kind.ts'
import type { RuleKind } from '../rule-kind.ts'

/** The tool runs only after all the others have succeeded in the same pass. */
export const requiresPrecedingTools: RuleKind<'RequiresPrecedingTools'> = {
  type: 'RequiresPrecedingTools',
  lifetime: 'pass',
  example: { tool: 'apply_patch', type: 'RequiresPrecedingTools', tools: ['read_file'], priority: 0 },
  sentence: (rule) =>
    `${subjectOf(rule)} may be called only after ${enumerate(rule.tools)} succeeded in the same pass.`,
  // Under a rule for all tools those that come first are free, or none could ever begin.
  concerns: (rule, tool) => isAbout(rule, tool) && (rule.tool === tool || !rule.tools.includes(tool)),
  judge(rule, { state, facts }) {
    if (rule.tools.every((tool) => hasSucceeded(state, tool))) return null
    const missing = [...new Set(rule.tools)].filter((tool) => !hasSucceeded(state, tool))
    return {
      is: 'violation',
      rule: rule.type,
      sentence: this.sentence(rule),
      reason: `${enumerate(missing)} must succeed first`,
      satisfy: `Call ${enumerate(missing)}, then ${facts.tool} again.`,
      details: { missing },
    }
  },
}
