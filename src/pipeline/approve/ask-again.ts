import type { ToolError } from '../../core/error.ts'
import type { Run } from '../engine.ts'
import type { Preview } from '../execute/preview.ts'
import { refuse } from '../step.ts'
import type { Step } from '../step.ts'
import type { Agreement } from './agreement.ts'
import { hunksOf, withApproval } from './answers.ts'
import { ask } from './ask.ts'
import { denialError } from './denials.ts'
import { makeQuestion } from './question.ts'

const AGAIN = 'You are asked while the batch runs because this call has changed since it was planned.'

/** A call after it was asked about again, and what was approved; null if nothing was. */
export interface AskedAgain {
  readonly step: Step
  readonly agreement: Agreement | null
}

/** Asks about a call as it is now, while its batch runs. Without an approver the call is refused. */
export async function askAgain(
  step: Step,
  preview: Preview,
  { batch, refusal }: { readonly batch: string; readonly refusal: ToolError },
  run: Run,
): Promise<AskedAgain> {
  if (run.approve === null) return { step: refuse(step, refusal), agreement: null }
  const made = makeQuestion(step, preview, run, AGAIN)
  if (made.is === 'settled') return { step: made.step, agreement: null }
  const place = { batch, steps: [step], whileRunning: true }
  const { answers } = await ask([made.question], place, run)
  const answer = answers.get(made.question.request.id)
  if (answer === undefined)
    return { step: run.signal.aborted ? step : refuse(step, refusal), agreement: null }
  if (!answer.isApproved) return { step: refuse(step, denialError(answer)), agreement: null }
  const fact = 'asked again because the call had changed; a person approved exactly this'
  const agreement = { ...made.question.agreement, ...hunksOf(answer) }
  return { step: withApproval(step, answer, fact), agreement }
}
