import type { RuleBook, RuleFacts, Violation } from './rule-kind.ts'
import { failureKey } from './rule-state.ts'
import type { RuleState } from './rule-state.ts'

/** Refuses a call that has failed in the same way so often in a turn that once more would not help. */
export function judgeRepetition(book: RuleBook, state: RuleState, facts: RuleFacts): Violation | null {
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
    satisfy: 'Change the arguments, or do something about the cause first.',
    details: { failures: failures.count, code },
  }
}

/** The sentence that stands beside those of the rules. */
export function describeRepetition(most: number): string {
  if (most === 0) return 'A call may fail in the same way as often as it likes.'
  return `A call that failed ${most} times in the same way is not tried again in the turn before something has changed.`
}
