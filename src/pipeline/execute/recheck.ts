import type { ToolResult } from '../../core/result.ts'
import { bindingOf } from '../approve/agreement.ts'
import type { Agreement } from '../approve/agreement.ts'
import { consultGates } from '../plan/consult-gates.ts'
import { askApprover } from '../approve/ask-approver.ts'
import type { Engine, Run } from '../engine.ts'
import { judgeAgain } from '../plan/plan.ts'
import type { Step } from '../step.ts'
import { previewOne } from '../approve/preview.ts'
import type { Preview } from '../approve/preview.ts'
import { makeQuestion } from '../approve/question.ts'
import { APPROVAL_GATE } from '../../policy/judge.ts'
import { refuse, withFinding } from '../step.ts'
import { CHANGED, denialError, NOT_ASKED } from '../approve/denials.ts'
import { grantSuffix, makeGrant } from '../approve/make-grant.ts'

/** A call at the door: let in with what was agreed about it, or settled. */
export interface Rechecked {
  readonly step: Step
  readonly agreement: Agreement | null
  /** What the runtime ran first, because the call needs it. */
  readonly ahead?: readonly ToolResult[]
}

/** Judges a call again on facts, right before it runs: what was true when the batch was planned may not be any more. */
export function recheck(
  planned: Step,
  agreement: Agreement | null,
  run: Run,
): Rechecked | Promise<Rechecked> {
  const consulting = consultGates([planned.call], run)
  if (consulting === undefined) return enter(planned, agreement, run)
  return consulting.then(() => enter(planned, agreement, run))
}

function enter(planned: Step, agreement: Agreement | null, run: Run): Rechecked | Promise<Rechecked> {
  const first = judgeAgain(planned, run, true)
  const decision = first.facts.rules?.decision
  const missing = first.judgement.verdict !== 'settle' && decision?.is === 'open' ? decision.runFirst : []
  return missing.length === 0 ? admit(first, agreement, run) : enterAfter(missing, planned, agreement, run)
}

/** Runs first what the call needs. */
async function enterAfter(
  missing: readonly string[],
  planned: Step,
  agreement: Agreement | null,
  run: Run,
): Promise<Rechecked> {
  const { engine } = run
  const ahead = await engine.runAhead(missing, planned.call.execution, run)
  return { ...(await admit(judgeAgain(planned, run, false), agreement, run)), ahead }
}

function admit(step: Step, agreement: Agreement | null, run: Run): Rechecked | Promise<Rechecked> {
  const { verdict } = step.judgement
  if (verdict === 'settle' || (verdict === 'run' && agreement === null)) return { step, agreement: null }
  return compare(step, agreement, run)
}

/** Holds a call against what was agreed about it. */
async function compare(step: Step, agreement: Agreement | null, run: Run): Promise<Rechecked> {
  const { engine } = run
  if (agreement === null) return askAgain(step, await lookAhead(step, run), NOT_ASKED, run)
  const preview: Preview = agreement.isShown ? await lookAhead(step, run) : { is: 'unknown' }
  // A rehearsal that fails now would fail as well when it counts; that failure says more than a question could.
  if (preview.is === 'failed' || isAgreed(step, preview, agreement, engine)) return { step, agreement }
  return askAgain(step, preview, CHANGED, run)
}

async function lookAhead(step: Step, run: Run): Promise<Preview> {
  if (step.tool === null || step.facts.tool?.effect !== 'edit') return { is: 'unknown' }
  return previewOne(step.tool, step.call, run)
}

function isAgreed({ tool, call }: Step, preview: Preview, { binding }: Agreement, engine: Engine): boolean {
  const diff = preview.is === 'shown' ? preview.diff : null
  return tool !== null && bindingOf(tool, call, diff, engine) === binding
}

const AGAIN =
  'You are asked while the batch runs, because this call is not the one that was agreed to any more.'

/** A person at hand is asked about the call as it is now; otherwise it does not run. */
async function askAgain(step: Step, preview: Preview, refusal: typeof CHANGED, run: Run): Promise<Rechecked> {
  const { engine } = run
  if (run.approve === null) return { step: refuse(step, refusal), agreement: null }
  const made = makeQuestion(step, preview, engine.clock.now(), run, AGAIN)
  if (made.is === 'settled') return { step: made.step, agreement: null }
  const { request, agreement } = made.question
  const heard = await askApprover([request], run.approve, run)
  if (heard.is === 'cancelled') return { step, agreement: null }
  const heardOne = heard.is === 'answered' ? heard.decisions[0] : undefined
  if (heardOne === undefined) return { step: refuse(step, refusal), agreement: null }
  const decision = makeGrant(heardOne, step.call, run)
  if (!decision.isApproved) return { step: refuse(step, denialError(decision)), agreement: null }
  const fact = `asked again, because it was not the same any more; a person approved exactly this${grantSuffix(decision)}`
  return { step: withFinding(step, { gate: APPROVAL_GATE, fact, verdict: 'pass' }), agreement }
}
