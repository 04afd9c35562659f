import { canonicalJson } from '../../core/json/canonical.ts'
import type { JsonObject } from '../../core/json/value.ts'
import type { Engine, Run } from '../engine.ts'
import { UNFORESEEN } from '../execute/preview.ts'
import type { Preview } from '../execute/preview.ts'
import type { Step } from '../step.ts'
import { drawQuestion } from './draw-question.ts'
import type { DrawnQuestion } from './draw-question.ts'
import type { Offer } from './offer.ts'
import { undrawnFacts } from './undrawn-facts.ts'

/** What was approved for a call: the answer covers exactly the question that was asked. */
export interface Agreement {
  /** The digest of the question as it was drawn, and of the facts behind it. */
  readonly binding: string
  /** Why it was asked, and what was offered with it. */
  readonly offer: Pick<Offer, 'why' | 'scopes'>
  /** The hunks that were approved, counted from 1; all of it if absent. */
  readonly hunks?: readonly number[]
}

/** The digest of what an approval covers: everything the question showed, and the facts it does not show. */
export function bindingOf(
  question: DrawnQuestion,
  undrawn: JsonObject,
  engine: Pick<Engine, 'digest'>,
): string {
  const shown = JSON.parse(JSON.stringify(question)) as JsonObject
  return engine.digest(canonicalJson({ shown, undrawn }))
}

/** What approving a question would cover. */
export function agreementOn(
  question: DrawnQuestion,
  { step, preview }: { readonly step: Step; readonly preview: Preview },
  { engine }: Run,
): Agreement {
  const { why, scopes } = question
  return {
    binding: bindingOf(question, undrawnFacts(step, preview, engine), engine),
    offer: { why, scopes },
  }
}

/**
 * Whether the question about a call as it is now would be the one that was approved. A question that could not show what
 * the call would do said so, and was approved like that.
 */
export function isAgreed(agreement: Agreement, step: Step, preview: Preview, run: Run): boolean {
  return isQuestion(agreement, step, preview, run) || isQuestion(agreement, step, UNFORESEEN, run)
}

function isQuestion({ binding, offer }: Agreement, step: Step, preview: Preview, run: Run): boolean {
  const drawn = drawQuestion(step, preview, run)
  if (drawn.is === 'settled') return false
  // Where no answer is needed any more, only the reasons for asking have gone.
  const question = step.judgement.verdict === 'run' ? { ...drawn.question, ...offer } : drawn.question
  return agreementOn(question, { step, preview }, run).binding === binding
}
