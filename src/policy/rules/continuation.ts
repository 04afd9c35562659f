import type { Continuation } from '../../core/result.ts'
import { escalate } from './kinds/escalation.ts'
import { findMissingExits } from './kinds/exit-rules.ts'
import type { RuleBook, RuleFacts, RunFirst, Violation } from './rule-kind.ts'
import type { RuleState } from './rule-state.ts'
import { describeRule } from './rule-table.ts'

/** Whether a loop may end now. */
export type ExitDecision = { readonly is: 'free' } | Violation | RunFirst

/** The flags on the result of a call. */
export function continuationOf(
  book: Pick<RuleBook, 'goesOn' | 'endsLoop'>,
  tool: string,
  wantsHeartbeat: boolean,
  isOk: boolean,
): Continuation {
  const hasRule = book.goesOn(tool)
  return {
    requests_continuation: wantsHeartbeat,
    has_continue_rule: hasRule,
    requires_heartbeat: !hasRule,
    ends_loop: isOk && book.endsLoop(tool),
  }
}

/** Judges a loop that is about to end, either by a tool that ends it or because the model makes no more calls. */
export function judgeExit(
  book: RuleBook,
  state: RuleState,
  means: Pick<RuleFacts, 'bareTools' | 'mayRunFirst'>,
): ExitDecision {
  const missing = findMissingExits(book, state)
  const rule = book.exitRules.find(({ tool }) => missing.includes(tool))
  if (rule === undefined) return { is: 'free' }
  const refusals = state.pass.exitRefusals
  return escalate({ rule: rule.type, sentence: describeRule(rule), missing, refusals }, means)
}
