import { toolError } from '../../core/error.ts'
import type { ToolError } from '../../core/error.ts'
import type { ConsentWanted, RuleBook, RuleFacts, RuleFinding, Violation } from './rule-kind.ts'
import type { RuleState } from './rule-state.ts'
import { RULE_KINDS } from './rule-table.ts'
import { failureKey } from './rule-state.ts'

/** The combined decision of all rules: refused, or allowed under conditions. */
export type RuleDecision =
  | { readonly is: 'refused'; readonly violation: Violation }
  | {
      readonly is: 'open'
      /** The runtime runs these with `{}` first; then the call is judged again. */
      readonly runFirst: readonly string[]
      readonly consents: readonly ConsentWanted[]
    }

/** Every objection that rules have to a call, by priority; empty if it may pass. */
export function judgeRules(
  book: RuleBook,
  state: RuleState,
  facts: RuleFacts,
  now: number,
): readonly RuleFinding[] {
  const situation = { state, facts, book, now }
  const findings: RuleFinding[] = []
  for (const rule of book.rulesFor(facts.tool)) {
    const finding = RULE_KINDS[rule.type].judge(rule, situation)
    if (finding !== null) findings.push(finding)
  }
  const repetition = judgeRepetition(book, state, facts)
  if (repetition !== null) findings.push(repetition)
  return findings
}

const OPEN: RuleDecision = { is: 'open', runFirst: [], consents: [] }

/** The first violation refuses the call; only without one are tools run first or consents requested. */
export function decideByRules(findings: readonly RuleFinding[]): RuleDecision {
  if (findings.length === 0) return OPEN
  const violation = findings.find((finding) => finding.is === 'violation')
  if (violation !== undefined) return { is: 'refused', violation }
  const runFirst = findings.flatMap((finding) => (finding.is === 'run_first' ? finding.tools : []))
  const consents = findings.filter((finding) => finding.is === 'consent')
  return { is: 'open', runFirst: runFirst.length === 0 ? runFirst : [...new Set(runFirst)], consents }
}

/** The error of a refused call: the rule, the reason, and what would satisfy it. */
export function violationError(violation: Violation): ToolError {
  const { rule, sentence, reason, satisfy, details } = violation
  const message = `${reason}. ${sentence} ${satisfy}`
  return toolError('rule_violation', message, { rule, reason, sentence, satisfy, ...details }, [satisfy])
}

/** Refuses a call that has failed the same way so often in a turn that another attempt would not help. */
function judgeRepetition(book: RuleBook, state: RuleState, facts: RuleFacts): Violation | null {
  if (state.pass.assumesChange) return null
  const most = book.limits.maxIdenticalFailures
  const failures = state.turns.get(facts.turn)?.failures.get(failureKey(facts.tool, facts.argsDigest))
  if (most === 0 || failures === undefined || failures.count < most) return null
  const code = failures.code ?? 'unknown'
  return {
    is: 'violation',
    rule: 'Repetition',
    sentence: describeRepetition(most),
    reason: `the same call has failed ${failures.count} times in a row with ${code}, and nothing has changed since`,
    satisfy: 'Change the arguments, or fix the cause first.',
    details: { failures: failures.count, code },
  }
}

/** The sentence shown along with those of the rules. */
export function describeRepetition(most: number): string {
  if (most === 0) return 'A call may fail in the same way any number of times.'
  return `A call that failed ${most} times in the same way is not tried again in the turn until something has changed.`
}
