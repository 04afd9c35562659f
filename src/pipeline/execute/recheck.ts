import { startOf } from '../../core/grant.ts'
import type { Grant } from '../../core/grant.ts'
import type { SpawnRequest } from '../../core/powers.ts'
import type { ToolResult } from '../../core/result.ts'
import { goOnWith } from '../../core/wait.ts'
import type { Soon } from '../../core/wait.ts'
import { isAgreed } from '../approve/agreement.ts'
import type { Agreement } from '../approve/agreement.ts'
import { askAgain } from '../approve/ask-again.ts'
import { CHANGED, NOT_ASKED } from '../approve/denials.ts'
import { coversLanding } from '../approve/offer.ts'
import type { ExtraPathFact } from '../../policy/facts.ts'
import type { Run } from '../engine.ts'
import { findWaiting } from '../parse/waiting-batch.ts'
import { prepareAgain } from '../plan/prepare-judging.ts'
import { judgeAgain } from '../plan/plan.ts'
import { refuse } from '../step.ts'
import type { Step } from '../step.ts'
import { previewNow } from './preview.ts'
import type { Preview } from './preview.ts'

/**
 * What must be approved before a call commits: nothing more, as long as the grant counts that it rests on, if any; exactly
 * this; or whatever it turns out to change.
 */
export type Consent =
  | { readonly is: 'given'; readonly process?: ApprovedProcess; readonly grant?: Grant }
  | { readonly is: 'agreed'; readonly agreement: Agreement }
  | { readonly is: 'due'; readonly process?: ApprovedProcess }

/** What was approved of the processes of a call: exactly these may start, with paths that lead exactly there. */
export interface ApprovedProcess {
  readonly starts: readonly SpawnRequest[]
  readonly granted: readonly ExtraPathFact[]
}

/** A call right before its run: settled, or ready to run with the consent that is still to be checked. */
export interface Rechecked {
  readonly step: Step
  readonly consent: Consent
  /** Results of what the runtime ran first because the call needs it. */
  readonly ahead?: readonly ToolResult[]
}

const GIVEN = { is: 'given' } as const

/** Judges a call again right before it runs, because the facts may have changed since the batch was planned. */
export function recheck(
  planned: Step,
  agreement: Agreement | null,
  batch: string,
  run: Run,
): Soon<Rechecked> {
  return goOnWith(prepareAgain([planned.call], run), () => recheckPrepared(planned, agreement, batch, run))
}

function recheckPrepared(
  planned: Step,
  agreement: Agreement | null,
  batch: string,
  run: Run,
): Soon<Rechecked> {
  const step = judgeAgain(planned, run, true)
  const decision = step.facts.rules?.decision
  const missing = step.judgement.verdict !== 'settle' && decision?.is === 'open' ? decision.runFirst : []
  // What is refused now may be fine on what the held edits leave; and what runs ahead has to find them in place.
  const isDue = step.judgement.verdict === 'settle' || missing.length > 0
  if (isDue && run.held?.isEmpty === false)
    return goOnWith(run.held.flush(), () => recheck(planned, agreement, batch, run))
  if (missing.length === 0) return findConsent(step, agreement, batch, run)
  if (isWaitingFor(missing, run)) return findConsent(judgeAgain(planned, run, false), agreement, batch, run)
  // A question that is put off waits by itself, and the call is refused until it is answered.
  const place = { call: planned.call.execution, mayWait: run.mayWait }
  return run.engine.runAhead(missing, place, run).then(async (ahead) => ({
    ...(await findConsent(judgeAgain(planned, run, false), agreement, batch, run)),
    ahead,
  }))
}

/** Whether one of these tools was run before another call of this pass, and its question was put off. */
function isWaitingFor(tools: readonly string[], { log, pass }: Run): boolean {
  return findWaiting(log).some(
    ({ batch }) =>
      batch.origin === 'runtime' &&
      (batch.pass ?? batch.turn) === pass &&
      batch.calls.some(({ name }) => tools.includes(name)),
  )
}

/** Determines the consent. An edit is staged before it is compared or asked about; other calls are asked about here. */
function findConsent(step: Step, agreement: Agreement | null, batch: string, run: Run): Soon<Rechecked> {
  const { tool, facts, judgement } = step
  if (judgement.verdict === 'settle' || tool === null) return { step, consent: GIVEN }
  if (agreement === null && judgement.verdict === 'run')
    return { step, consent: judgement.asksAtLanding === true ? { is: 'due' } : consentByGrant(step, run) }
  if (facts.tool?.effect === 'edit')
    return { step, consent: agreement === null ? { is: 'due' } : { is: 'agreed', agreement } }
  return askForConsent(step, agreement, batch, run)
}

async function askForConsent(
  step: Step,
  agreement: Agreement | null,
  batch: string,
  run: Run,
): Promise<Rechecked> {
  const preview = await previewNow(step, run)
  if (agreement !== null && isAgreed(agreement, step, preview, run))
    return { step, consent: consentTo(preview, step, agreement) }
  const refusal = agreement === null ? NOT_ASKED : CHANGED
  const asked = await askAgain(step, preview, { batch, refusal }, run)
  if (asked.agreement === null) return { step: asked.step, consent: GIVEN }
  // It may have changed once more while the question was read.
  const now = judgeAgain(asked.step, run, false)
  if (now.judgement.verdict === 'settle') return { step: now, consent: GIVEN }
  const shown = await previewNow(now, run)
  if (!isAgreed(asked.agreement, now, shown, run)) return { step: refuse(now, CHANGED), consent: GIVEN }
  return { step: now, consent: consentTo(shown, now, asked.agreement) }
}

/** A grant covers only what was found when it was looked up: what starts if it is bound to that, and where paths lead. */
function consentByGrant({ call, facts, judgement: { grant } }: Step, { engine }: Run): Consent {
  const rests = grant === undefined ? GIVEN : { ...GIVEN, grant }
  const isBound = grant !== undefined && startOf(grant.scope) !== null
  if (!isBound && facts.extraPaths.length === 0) return rests
  const starts = isBound ? (engine.grants.starts.get(call) ?? []) : []
  return { ...rests, process: { starts, granted: facts.extraPaths } }
}

/**
 * A yes to the run covers what it changes as well, unless a gate asks about that by itself. It still does if the run
 * would not be asked about any more, because only the time of asking has changed.
 */
function consentTo(preview: Preview, { facts, judgement }: Step, { offer }: Agreement): Consent {
  const starts = preview.is === 'unknown' ? (preview.starts ?? []) : []
  const process = { starts, granted: facts.extraPaths }
  const isCovered = judgement.verdict === 'run' && coversLanding(offer)
  return { is: judgement.asksAtLanding === true && !isCovered ? 'due' : 'given', process }
}
