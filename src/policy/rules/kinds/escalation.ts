import { LAST_ESCALATION } from '../../../config/fixed-values.ts'
import type { RuleType } from '../../../config/rule-types.ts'
import { enumerate } from '../rule-kind.ts'
import type { RuleFacts, RunFirst, Violation } from '../rule-kind.ts'

/** An unmet requirement, and how often a call has already been refused because of it. */
interface Unmet {
  readonly rule: RuleType
  readonly sentence: string
  readonly missing: readonly string[]
  readonly refusals: number
}

type Means = Pick<RuleFacts, 'bareTools' | 'mayRunFirst'>

/**
 * Refuses twice; the third time the runtime runs what is missing. If it cannot, because a missing tool needs
 * arguments or has failed, the call stays refused.
 */
export function escalate(
  { rule, sentence, missing, refusals }: Unmet,
  { bareTools, mayRunFirst }: Means,
): Violation | RunFirst {
  const reason = `${enumerate(missing)} must succeed first`
  const mustBeGiven = missing.filter((tool) => !bareTools.has(tool))
  if (refusals >= LAST_ESCALATION - 1 && mayRunFirst && mustBeGiven.length === 0) {
    return { is: 'run_first', rule, sentence, reason, tools: missing }
  }
  const escalation = Math.min(refusals + 1, LAST_ESCALATION)
  const again = escalation === 1 ? '' : ' now; nothing else will be let through before'
  return {
    is: 'violation',
    rule,
    sentence,
    reason,
    satisfy: `Call ${enumerate(missing)}${again}.`,
    details: { missing: [...missing], ...(escalation === 1 ? {} : { escalation }) },
  }
}
