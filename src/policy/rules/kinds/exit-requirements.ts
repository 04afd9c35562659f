import { escalate } from './escalation.ts'
import type { RuleBook, RuleFinding, RuleOf, Situation } from '../rule-kind.ts'
import { hasSucceeded, hasSurelySucceeded } from '../rule-state.ts'
import type { RuleState } from '../rule-state.ts'

/** A rule about what must come before the end. */
export type ExitRule = RuleOf<'RequiredBeforeExit'> | RuleOf<'RequiredBeforeExitIf'>

/** The tools that still have to succeed before this pass may end. */
export function findMissingExits(book: Pick<RuleBook, 'exitRules'>, state: RuleState): readonly string[] {
  const missing = book.exitRules.filter((rule) => isPending(rule, state)).map(({ tool }) => tool)
  return [...new Set(missing)]
}

/** A trigger that is only taken to succeed does not make anything required. */
function isPending(rule: ExitRule, state: RuleState): boolean {
  const isTriggered =
    rule.type === 'RequiredBeforeExit' || rule.tools.some((tool) => hasSurelySucceeded(state, tool))
  return isTriggered && !hasSucceeded(state, rule.tool)
}

/** Judges a call that would end the loop. */
export function judgeExitRule(
  rule: ExitRule,
  sentence: string,
  { state, facts, book }: Situation,
): RuleFinding | null {
  if (!isPending(rule, state)) return null
  const missing = findMissingExits(book, state).filter((tool) => tool !== facts.tool)
  return escalate({ rule: rule.type, sentence, missing, refusals: state.pass.exitRefusals }, facts)
}
