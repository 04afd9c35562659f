import { hasRun } from '../rule-state.ts'
import { enumerate, isAbout, subjectOf } from '../rule-kind.ts'
import type { RuleKind } from '../rule-kind.ts'

/** The tool runs only as long as none of the others has run in the same pass. */
export const requiresFollowingTools: RuleKind<'RequiresFollowingTools'> = {
  type: 'RequiresFollowingTools',
  lifetime: 'pass',
  example: { tool: 'write_file', type: 'RequiresFollowingTools', tools: ['run_tests'], priority: 0 },
  sentence: (rule) =>
    `${subjectOf(rule)} may be called only before ${enumerate(rule.tools, 'or')} has run in the same pass.`,
  concerns: (rule, tool) => isAbout(rule, tool) && !rule.tools.includes(tool),
  judge(rule, { state, facts }) {
    // Most often nothing has run at all.
    if (state.pass.ran.size === 0 && state.claims.size === 0) return null
    const ran = [...new Set(rule.tools)].filter((tool) => hasRun(state, tool, facts.execution))
    if (ran.length === 0) return null
    return {
      is: 'violation',
      rule: rule.type,
      sentence: this.sentence(rule),
      reason: `${enumerate(ran)} has run already, and ${facts.tool} comes before it`,
      satisfy: `Wait for the next pass, and call ${facts.tool} before ${enumerate(ran)}.`,
      details: { ran },
    }
  },
}
