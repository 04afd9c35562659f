import { countRuns } from '../rule-state.ts'
import type { RuleState } from '../rule-state.ts'
import { ANY_TOOL, enumerate } from '../rule-kind.ts'
import type { RuleFacts, RuleKind, RuleOf } from '../rule-kind.ts'

/**
 * Only one tool of each group may be used in a turn. It applies to all members, whichever of them the rule is written
 * for.
 */
export const exclusiveGroups: RuleKind<'ExclusiveGroups'> = {
  type: 'ExclusiveGroups',
  lifetime: 'turn',
  example: { tool: '*', type: 'ExclusiveGroups', groups: [['write_file', 'apply_patch']], priority: 0 },
  sentence(rule) {
    const groups = groupsOf(rule).map((group) => `only one of ${enumerate(group)}`)
    const text = `${groups.join(', ')} may be used in a turn.`
    return text.charAt(0).toUpperCase() + text.slice(1)
  },
  concerns: (rule, tool) => groupsOf(rule).some((group) => group.includes(tool)),
  judge(rule, { state, facts, book }) {
    for (const group of book.exclusiveGroups.get(rule) ?? groupsOf(rule)) {
      const used = group.includes(facts.tool) ? findUsed(group, state, facts) : null
      if (used === null) continue
      return {
        is: 'violation',
        rule: rule.type,
        sentence: this.sentence(rule),
        reason: `${used} has been used in this turn, and ${facts.tool} excludes it`,
        satisfy: `Go on with ${used}, or wait for the user's next message.`,
        details: { group: [...group], used },
      }
    }
    return null
  },
}

/** Another tool of the group that was used in the turn, or null. */
function findUsed(group: readonly string[], state: RuleState, facts: RuleFacts): string | null {
  for (const tool of group)
    if (tool !== facts.tool && countRuns(state, facts.turn, tool, facts.execution) > 0) return tool
  return null
}

/** The groups with their members in order. A group of one other tool also includes the rule's own tool. */
export function groupsOf(rule: RuleOf<'ExclusiveGroups'>): readonly (readonly string[])[] {
  return rule.groups.map((group) => {
    const isAlone = rule.tool !== ANY_TOOL && new Set(group).size === 1
    return [...new Set(isAlone ? [...group, rule.tool] : group)].toSorted()
  })
}
