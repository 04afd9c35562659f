import type { ToolResult } from '../../core/result.ts'
import { isAgreed } from '../approve/agreement.ts'
import type { Agreement } from '../approve/agreement.ts'
import { askAgain } from '../approve/ask-again.ts'
import { CHANGED, NOT_ASKED } from '../approve/denials.ts'
import type { Run } from '../engine.ts'
import { consultGates } from '../plan/consult-gates.ts'
import { judgeAgain } from '../plan/plan.ts'
import type { Step } from '../step.ts'

/** What must be approved before a call commits: nothing more, exactly this, or whatever it turns out to change. */
export type Consent =
  | { readonly is: 'given' }
  | { readonly is: 'agreed'; readonly agreement: Agreement }
  | { readonly is: 'due' }

/** A call right before its run: settled, or ready to run with the consent that is still to be checked. */
export interface Rechecked {
  readonly step: Step
  readonly consent: Consent
  /** Results of what the runtime ran first because the call needs it. */
  readonly ahead?: readonly ToolResult[]
}

const GIVEN: Consent = { is: 'given' }

/** Judges a call again right before it runs, because the facts may have changed since the batch was planned. */
export async function recheck(
  planned: Step,
  agreement: Agreement | null,
  batch: string,
  run: Run,
): Promise<Rechecked> {
  const consulting = consultGates([planned.call], run)
  if (consulting !== undefined) await consulting
  const step = judgeAgain(planned, run, true)
  const decision = step.facts.rules?.decision
  const missing = step.judgement.verdict !== 'settle' && decision?.is === 'open' ? decision.runFirst : []
  if (missing.length === 0) return findConsent(step, agreement, batch, run)
  const ahead = await run.engine.runAhead(missing, planned.call.execution, run)
  return { ...(await findConsent(judgeAgain(planned, run, false), agreement, batch, run)), ahead }
}

/** Determines the consent. An edit is staged before it is compared or asked about; other calls are asked about here. */
async function findConsent(
  step: Step,
  agreement: Agreement | null,
  batch: string,
  run: Run,
): Promise<Rechecked> {
  const { tool, facts, judgement } = step
  if (judgement.verdict === 'settle' || tool === null) return { step, consent: GIVEN }
  if (agreement === null && judgement.verdict === 'run') return { step, consent: GIVEN }
  if (facts.tool?.effect === 'edit')
    return { step, consent: agreement === null ? { is: 'due' } : { is: 'agreed', agreement } }
  const { engine } = run
  if (agreement !== null && isAgreed(agreement, step, { diff: () => '', engine }))
    return { step, consent: GIVEN }
  const refusal = agreement === null ? NOT_ASKED : CHANGED
  return { step: await askAgain(step, { is: 'unknown' }, { batch, refusal }, run), consent: GIVEN }
}
