import { isRunning } from '../rule-state.ts'
import type { RuleState } from '../rule-state.ts'
import { ANY_TOOL, isAbout, subjectOf } from '../rule-kind.ts'
import type { RuleFacts, RuleKind } from '../rule-kind.ts'

/** Between two runs of a tool lies at least so much time. A run that timed out does not count. */
export const cooldown: RuleKind<'Cooldown'> = {
  type: 'Cooldown',
  lifetime: 'lasting',
  example: { tool: 'fetch_page', type: 'Cooldown', seconds: 60, priority: 0 },
  sentence(rule) {
    const each = rule.tool === ANY_TOOL ? ' of its own' : ''
    return `${subjectOf(rule)} has to rest ${rule.seconds} s between two calls${each}.`
  },
  concerns: isAbout,
  judge(rule, { state, facts, now }) {
    const leftMs = findRest(state, facts, rule.seconds * 1000, now)
    if (leftMs <= 0) return null
    const left = `${Math.ceil(leftMs / 1000)} s`
    return {
      is: 'violation',
      rule: rule.type,
      sentence: this.sentence(rule),
      reason: `cooldown: ${left} left`,
      satisfy: `Call ${facts.tool} again in ${left}.`,
      details: { seconds: rule.seconds, left_ms: leftMs },
    }
  },
}

/** A last run that lies in the future, because the clock was set back, counts as having just ended. */
function findRest(state: RuleState, facts: RuleFacts, restMs: number, now: number): number {
  if (isRunning(state, facts.tool, facts.execution)) return restMs
  const lastRunAt = state.lasting.lastRunAt.get(facts.tool)
  return lastRunAt === undefined ? 0 : Math.min(lastRunAt, now) + restMs - now
}
