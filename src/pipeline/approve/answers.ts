import type { Decision } from '../../core/approval.ts'
import { APPROVAL_GATE } from '../../policy/judge.ts'
import type { Run } from '../engine.ts'
import { refuse, withFinding } from '../step.ts'
import type { AnsweredQuestions } from '../batch.ts'
import type { Step } from '../step.ts'
import type { Agreement } from './agreement.ts'
import { denialError, EXPIRED } from './denials.ts'
import { grantSuffix } from './make-grant.ts'

/** Applies answers to calls, whether given a moment or days ago; a call whose question has no answer is unchanged. */
export function applyAnswers(
  steps: readonly Step[],
  { asked, answers }: AnsweredQuestions,
  { engine }: Run,
): { readonly steps: readonly Step[]; readonly agreed: ReadonlyMap<string, Agreement> } {
  const isExpired = engine.clock.now() > asked.expiresAt
  const questions = new Map(asked.questions.map((question) => [question.execution, question]))
  const agreed = new Map<string, Agreement>()
  const applied = steps.map((step) => {
    const question = questions.get(step.call.execution)
    if (question === undefined || step.judgement.verdict === 'settle') return step
    const answer = answers.get(question.approval)
    if (isExpired && answer?.isApproved !== false) return refuse(step, EXPIRED)
    if (answer === undefined) return step
    if (!answer.isApproved) return refuse(step, denialError(answer))
    agreed.set(question.execution, { binding: question.binding, isShown: question.diff !== null })
    return withApproval(step, answer, 'a person approved exactly this')
  })
  return { steps: applied, agreed }
}

/** A step with the finding that it was approved. */
export function withApproval(step: Step, answer: Decision, fact: string): Step {
  return withFinding(step, { gate: APPROVAL_GATE, fact: `${fact}${grantSuffix(answer)}`, verdict: 'pass' })
}
