import type { Gate } from './gate.ts'
import { askUnlessGranted } from './approval-gates.ts'
import { violationError } from '../rules/judge-rules.ts'
import { enumerate } from '../rules/rule-kind.ts'
import { pass, settleWith } from './gate.ts'

/** A recent success with the same arguments is not repeated while nothing has changed. */
export const dedupe: Gate = {
  name: 'dedupe',
  judge(facts) {
    const verdict = facts.rules?.dedupe
    if (verdict === undefined || facts.isDryRun) return pass('calls of this tool may be repeated')
    return verdict.ok ? pass(verdict.fact) : settleWith(verdict.fact, verdict.error)
  },
}

/** The first rule that objects settles the call. */
export const rules: Gate = {
  name: 'rules',
  judge(facts) {
    const decision = facts.rules?.decision
    if (decision === undefined) return pass('no rule applies to this tool')
    if (decision.is === 'open' && decision.runFirst.length > 0)
      return pass(`the runtime runs ${enumerate(decision.runFirst)} first`)
    if (decision.is === 'open') return pass('no rule objects')
    const { violation } = decision
    return settleWith(`${violation.rule}: ${violation.reason}`, violationError(violation))
  },
}

/** A rule may require a person's consent. */
export const consent: Gate = {
  name: 'consent',
  judge(facts) {
    const decision = facts.rules?.decision
    const [wanted] = decision?.is === 'open' ? decision.consents : []
    if (wanted === undefined) return pass('no rule requires consent')
    if (facts.isDryRun) return pass('a dry run changes nothing')
    return askUnlessGranted(facts, `${wanted.rule}: ${wanted.reason}`)
  },
}
