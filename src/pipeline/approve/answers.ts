import type { Decision } from '../../core/approval.ts'
import type { LogReader } from '../../journal/log.ts'
import { APPROVAL_GATE } from '../../policy/judge.ts'
import type { Run } from '../engine.ts'
import { refuse, withFinding } from '../step.ts'
import type { AnsweredQuestions, Batch } from '../batch.ts'
import type { Step } from '../step.ts'
import type { Agreement } from './agreement.ts'
import { DAMAGED, denialError, EXPIRED } from './denials.ts'
import { grantSuffix } from './make-grant.ts'
import { readOffer } from './offer.ts'

/** Calls with the answers to their questions, and what was approved by execution. */
interface Applied {
  readonly steps: readonly Step[]
  readonly agreed: ReadonlyMap<string, Agreement>
}

/** How late answers are, and which of them are about what a call has changed. */
interface LateAnswers {
  readonly isExpired: boolean
  readonly landings: Batch['landings']
}

const IN_TIME: LateAnswers = { isExpired: false, landings: new Map() }

/** Applies answers to the calls of a batch that waited; a question that expired approves nothing. */
export function applyLateAnswers(
  steps: readonly Step[],
  answered: AnsweredQuestions,
  { engine, log }: Run,
  landings: Batch['landings'],
): Applied {
  if (answered.isDamaged === true) return { steps: steps.map(refuseDamaged(answered)), agreed: new Map() }
  const isExpired = engine.clock.now() > answered.asked.expiresAt
  return applyAnswers(steps, answered, log, { isExpired, landings })
}

/** What a log says that cannot be relied on lets no call run, asked about or not; a no counts all the same. */
function refuseDamaged({ asked, answers }: AnsweredQuestions): (step: Step) => Step {
  const denied = new Map(
    asked.questions.flatMap(({ execution, approval }) => {
      const answer = answers.get(approval)
      return answer?.isApproved === false ? [[execution, denialError(answer)] as const] : []
    }),
  )
  return (step) =>
    step.judgement.verdict === 'settle' ? step : refuse(step, denied.get(step.call.execution) ?? DAMAGED)
}

/** Applies answers to calls; a call whose question has no answer is unchanged. */
export function applyAnswers(
  steps: readonly Step[],
  { asked, answers }: AnsweredQuestions,
  log: Pick<LogReader, 'payload'>,
  { isExpired, landings }: LateAnswers = IN_TIME,
): Applied {
  const questions = new Map(asked.questions.map((question) => [question.execution, question]))
  const agreed = new Map<string, Agreement>()
  const applied = steps.map((step) => {
    const question = questions.get(step.call.execution)
    if (question === undefined || step.judgement.verdict === 'settle') return step
    const answer = answers.get(question.approval)
    if (isExpired && answer?.isApproved !== false) return refuse(step, EXPIRED)
    if (answer === undefined) return step
    if (!answer.isApproved) return refuse(step, denialError(answer))
    agreed.set(question.execution, {
      binding: question.binding,
      offer: readOffer(question.offer === undefined ? null : log.payload(question.offer)),
      ...hunksOf(answer),
    })
    return withApproval(step, answer, landings.has(question.execution) ? LANDED : APPROVED)
  })
  return { steps: applied, agreed }
}

/** The finding about a call that was approved. */
const APPROVED = 'a person approved exactly this'

/** The finding about a landing that was approved. */
export const LANDED = 'a person saw what it changed and let it land'

/** The part of a change that an answer approves. */
export function hunksOf({ hunks }: Decision): Pick<Agreement, 'hunks'> {
  return hunks === undefined ? {} : { hunks }
}

/** A step with the finding that it was approved. */
export function withApproval(step: Step, answer: Decision, fact: string): Step {
  return withFinding(step, { gate: APPROVAL_GATE, fact: `${fact}${grantSuffix(answer)}`, verdict: 'pass' })
}
