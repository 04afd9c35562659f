import { escalate } from './escalation.ts'
import { findMissingExits } from './exit-requirements.ts'
import { isAbout } from './rule-kind.ts'
import type { RuleBook, RuleFacts, RunFirst, Violation } from './rule-kind.ts'
import { findMissingStarts } from './start-constraint.ts'
import type { RuleState } from './rule-state.ts'
import { describeRule } from './rule-table.ts'

/** What a result says about going on. */
export interface Continuation {
  /** The call itself asked for it. */
  readonly requests_continuation: boolean
  /** A rule goes on for it. */
  readonly has_continue_rule: boolean
  /** Without a call that asks, the model would not go on. */
  readonly requires_heartbeat: boolean
}

/** Where a pass stands: start tools are missing, at work, or a tool that ends the loop has succeeded. */
export type Phase = 'start' | 'work' | 'exit'

/** Whether the end of a loop may come now. */
export type ExitDecision = { readonly is: 'free' } | Violation | RunFirst

/** The flags on the result of a call. */
export function continuationOf(book: RuleBook, tool: string, wantsHeartbeat: boolean): Continuation {
  const hasRule = book.rules.some((rule) => rule.type === 'ContinueLoop' && isAbout(rule, tool))
  return {
    requests_continuation: wantsHeartbeat,
    has_continue_rule: hasRule,
    requires_heartbeat: !hasRule,
  }
}

/** Where the pass stands. */
export function phaseOf(book: RuleBook, state: RuleState): Phase {
  if (shouldExitLoop(book, state)) return 'exit'
  return findMissingStarts(book, state).length > 0 ? 'start' : 'work'
}

/** Whether a tool that ends the loop has succeeded in this pass. */
export function shouldExitLoop(book: RuleBook, state: RuleState): boolean {
  return state.pass.succeeded.values().some((tool) => book.endsLoop(tool))
}

/** Judges a loop that is about to end, whether by such a tool or because the model has nothing more to call. */
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
