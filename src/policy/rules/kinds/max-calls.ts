import { countRuns } from '../rule-state.ts'
import { ANY_TOOL, isAbout, subjectOf } from '../rule-kind.ts'
import type { RuleKind } from '../rule-kind.ts'

/** A tool runs at most so often in a turn. Retries of one call are one call. */
export const maxCalls: RuleKind<'MaxCalls'> = {
  type: 'MaxCalls',
  lifetime: 'turn',
  example: { tool: 'run_tests', type: 'MaxCalls', max: 3, priority: 0 },
  sentence(rule) {
    if (rule.max === 0) return `${subjectOf(rule)} may not be called at all.`
    const each = rule.tool === ANY_TOOL ? ', each counted by itself' : ''
    return `${subjectOf(rule)} may be called at most ${times(rule.max)} in a turn${each}.`
  },
  concerns: isAbout,
  judge(rule, { state, facts }) {
    const calls = countRuns(state, facts.turn, facts.tool, facts.execution)
    if (calls < rule.max) return null
    return {
      is: 'violation',
      rule: rule.type,
      sentence: this.sentence(rule),
      reason: `${facts.tool} has been called ${times(calls)} in this turn, and ${times(rule.max)} is the most`,
      satisfy: rule.max === 0 ? 'Do without it.' : 'Do without it, or wait for the next message of the user.',
      details: { max: rule.max, calls },
    }
  },
}

function times(count: number): string {
  return count === 1 ? 'once' : `${count} times`
}
