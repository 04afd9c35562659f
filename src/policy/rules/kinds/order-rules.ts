import { escalate } from './escalation.ts'
import { hasRun, hasSucceeded } from '../rule-state.ts'
import type { RuleState } from '../rule-state.ts'
import { ANY_TOOL, enumerate, isAbout, subjectOf } from '../rule-kind.ts'
import type { RuleBook, RuleKind } from '../rule-kind.ts'

/** The tool must succeed before any other runs in a pass; several start tools may run in any order among themselves. */
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

/** The tool runs only after all the others have succeeded in the same pass. */
export const requiresPrecedingTools: RuleKind<'RequiresPrecedingTools'> = {
  type: 'RequiresPrecedingTools',
  lifetime: 'pass',
  example: { tool: 'apply_patch', type: 'RequiresPrecedingTools', tools: ['read_file'], priority: 0 },
  sentence: (rule) =>
    `${subjectOf(rule)} may be called only after ${enumerate(rule.tools)} succeeded in the same pass.`,
  // A rule for all tools exempts those it requires, or none could ever start.
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

/** The tool runs only as long as none of the others has run in the same pass. */
export const requiresFollowingTools: RuleKind<'RequiresFollowingTools'> = {
  type: 'RequiresFollowingTools',
  lifetime: 'pass',
  example: { tool: 'write_file', type: 'RequiresFollowingTools', tools: ['run_tests'], priority: 0 },
  sentence: (rule) =>
    `${subjectOf(rule)} may be called only before ${enumerate(rule.tools, 'or')} has run in the same pass.`,
  concerns: (rule, tool) => isAbout(rule, tool) && !rule.tools.includes(tool),
  judge(rule, { state, facts }) {
    // Usually nothing has run at all.
    if (state.pass.ran.size === 0 && state.claims.size === 0) return null
    const ran = [...new Set(rule.tools)].filter((tool) => hasRun(state, tool, facts.execution))
    if (ran.length === 0) return null
    return {
      is: 'violation',
      rule: rule.type,
      sentence: this.sentence(rule),
      reason: `${enumerate(ran)} has already run, and ${facts.tool} must come before it`,
      satisfy: `Wait for the next pass, and call ${facts.tool} before ${enumerate(ran)}.`,
      details: { ran },
    }
  },
}
