import { escalate } from './escalation.ts'
import type { RuleBook, RuleFinding, RuleKind, RuleOf, Situation } from '../rule-kind.ts'
import { hasSucceeded, hasSurelySucceeded } from '../rule-state.ts'
import type { RuleState } from '../rule-state.ts'
import { ANY_TOOL, enumerate } from '../rule-kind.ts'

/** The tool must succeed before a pass may end; a call that would end it is refused until then. */
export const requiredBeforeExit: RuleKind<'RequiredBeforeExit'> = {
  type: 'RequiredBeforeExit',
  lifetime: 'pass',
  example: { tool: 'run_tests', type: 'RequiredBeforeExit', priority: 0 },
  sentence: ({ tool }) => `${tool} must succeed before the work ends.`,
  concerns: (rule, tool, book) => rule.tool !== ANY_TOOL && rule.tool !== tool && book.endsLoop(tool),
  judge(rule, situation) {
    return judgeExitRule(rule, this.sentence(rule), situation)
  },
}

/** The same, but only once one of the triggers has succeeded in the pass. */
export const requiredBeforeExitIf: RuleKind<'RequiredBeforeExitIf'> = {
  type: 'RequiredBeforeExitIf',
  lifetime: 'pass',
  example: {
    tool: 'run_tests',
    type: 'RequiredBeforeExitIf',
    tools: ['write_file', 'apply_patch'],
    priority: 0,
  },
  sentence: ({ tool, tools }) =>
    `${tool} must succeed before the work ends, if ${enumerate(tools, 'or')} has succeeded.`,
  concerns: (rule, tool, book) => rule.tool !== ANY_TOOL && rule.tool !== tool && book.endsLoop(tool),
  judge(rule, situation) {
    return judgeExitRule(rule, this.sentence(rule), situation)
  },
}

/** A rule about what must happen before the end. */
type ExitRule = RuleOf<'RequiredBeforeExit'> | RuleOf<'RequiredBeforeExitIf'>

/** The tools that still have to succeed before this pass may end. */
export function findMissingExits(book: Pick<RuleBook, 'exitRules'>, state: RuleState): readonly string[] {
  const missing = book.exitRules.filter((rule) => isPending(rule, state)).map(({ tool }) => tool)
  return [...new Set(missing)]
}

/** A trigger that is only assumed to succeed does not require anything. */
function isPending(rule: ExitRule, state: RuleState): boolean {
  const isTriggered =
    rule.type === 'RequiredBeforeExit' || rule.tools.some((tool) => hasSurelySucceeded(state, tool))
  return isTriggered && !hasSucceeded(state, rule.tool)
}

/** Judges a call that would end the loop. */
function judgeExitRule(
  rule: ExitRule,
  sentence: string,
  { state, facts, book }: Situation,
): RuleFinding | null {
  if (!isPending(rule, state)) return null
  const missing = findMissingExits(book, state).filter((tool) => tool !== facts.tool)
  return escalate({ rule: rule.type, sentence, missing, refusals: state.pass.exitRefusals }, facts)
}
