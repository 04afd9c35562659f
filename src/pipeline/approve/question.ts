import type { ApprovalRequest } from '../../core/approval.ts'
import type { Run } from '../engine.ts'
import type { Preview } from '../execute/preview.ts'
import type { Step } from '../step.ts'
import { agreementOn } from './agreement.ts'
import type { Agreement } from './agreement.ts'
import { drawQuestion } from './draw-question.ts'
import { previewAll } from './preview-batch.ts'

/** A question about one call, and what approving it would cover. */
export interface Question {
  readonly step: Step
  readonly request: ApprovalRequest
  readonly agreement: Agreement
}

/** A question about a call, or the call settled because no question can be made. */
export type Questioned =
  | { readonly is: 'asking'; readonly question: Question }
  | { readonly is: 'settled'; readonly step: Step }

/** Makes the questions of a batch, each with a preview on top of what the earlier calls would change. */
export async function makeQuestions(
  planned: readonly Step[],
  run: Run,
): Promise<{ readonly steps: readonly Step[]; readonly questions: readonly Question[] }> {
  const previews = await previewAll(planned, run)
  const questions: Question[] = []
  const steps = planned.map((step) => {
    if (step.judgement.verdict !== 'ask') return step
    const preview = previews.get(step.call.execution) ?? ({ is: 'unknown' } as const)
    const made = makeQuestion(step, preview, run)
    if (made.is === 'settled') return made.step
    questions.push(made.question)
    return step
  })
  return { steps, questions }
}

/** Makes the question about a call; `lead` says why it comes a second time, and is not part of what is approved. */
export function makeQuestion(step: Step, preview: Preview, run: Run, lead?: string): Questioned {
  const { engine } = run
  const drawn = drawQuestion(step, preview, run)
  if (drawn.is === 'settled') return drawn
  const askedAt = engine.clock.now()
  const { note } = drawn.question
  const request: ApprovalRequest = {
    ...drawn.question,
    id: engine.newId(),
    asked_at: askedAt,
    expires_at: askedAt + engine.settings['tools.approval.pending_seconds'] * 1000,
    ...(lead === undefined ? {} : { note: note === undefined ? lead : `${lead} ${note}` }),
  }
  const agreement = agreementOn(drawn.question, { step, preview }, run)
  return { is: 'asking', question: { step, request, agreement } }
}
