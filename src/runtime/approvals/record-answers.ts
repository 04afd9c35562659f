import type { Run } from '../../pipeline/engine.ts'
import { makeGrant } from '../../pipeline/approve/make-grant.ts'
import { readAskedCall } from '../../pipeline/approve/open-questions.ts'
import { writeAnswer } from '../../pipeline/approve/wait.ts'
import type { WaitingBatch } from '../../pipeline/parse/waiting-batch.ts'
import { findOvertaken } from './choose-questions.ts'
import type { ChoiceFault, Target } from './choose-questions.ts'
import type { GivenDecisions } from './make-decisions.ts'

/** Records the answers to questions that have none yet, and returns those that another answer came before. */
export function recordAnswers(
  waiting: WaitingBatch,
  approvals: Target['approvals'],
  { decisions, mayCount }: GivenDecisions,
  run: Run,
): readonly ChoiceFault[] {
  const { engine, log } = run
  const { asked, answers } = waiting
  const isExpired = engine.clock.now() > asked.expiresAt
  const faults: ChoiceFault[] = []
  for (const id of approvals) {
    const first = answers.get(id)
    const decision = decisions.get(id)
    const fault = first === undefined ? null : findOvertaken(first, decision, mayCount(id))
    if (fault !== null) faults.push(fault)
    if (first !== undefined || decision === undefined) continue
    // Too late to approve anything, now or later: the batch goes on as it does without an answer.
    if (isExpired && decision.isApproved) continue
    const about = decision.isApproved ? readAskedCall(waiting, id, log, engine) : null
    const made = about === null ? decision : makeGrant(decision, { approval: id, ...about }, run)
    writeAnswer(asked, id, made, run)
  }
  return faults
}
