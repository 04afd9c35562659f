import type { ApprovalRequest, Approver, Decision } from '../../core/approval.ts'
import type { AskedEntry } from '../../journal/entries/entry.ts'
import type { Agreement } from './agreement.ts'
import type { Batch } from '../parse/declare-batch.ts'
import { askApprover } from './ask-approver.ts'
import type { Engine, Run } from '../engine.ts'
import type { Offer } from './offer.ts'
import type { Step } from '../step.ts'
import { previewAll } from './preview.ts'
import { makeQuestion } from './question.ts'
import type { Question } from './question.ts'
import { APPROVAL_GATE } from '../../policy/judge.ts'
import { recordedFindings } from '../step.ts'
import { refuse, withFinding } from '../step.ts'
import { denialError, NOBODY } from './denials.ts'
import { grantSuffix, makeGrant } from './make-grant.ts'

/** A batch after its questions: every call is free to run, agreed to, or settled; or the batch waits. */
export type Asked =
  | {
      readonly is: 'answered'
      readonly steps: readonly Step[]
      readonly agreed: ReadonlyMap<string, Agreement>
    }
  | {
      readonly is: 'waiting'
      readonly steps: readonly Step[]
      readonly requests: readonly ApprovalRequest[]
      readonly entry: AskedEntry
      readonly payloads: ReadonlyMap<string, Uint8Array>
    }

const NOTHING_AGREED: ReadonlyMap<string, Agreement> = new Map()

/** Asks all questions of a batch at once, before anything of it runs; at once too where there are none. */
export function askAll(batch: Batch, planned: readonly Step[], run: Run): Asked | Promise<Asked> {
  if (!planned.some(isAsking)) return { is: 'answered', steps: planned, agreed: NOTHING_AGREED }
  if (run.approve !== null) return askSomebody(batch, planned, run.approve, run)
  const steps = planned.map((step) => (isAsking(step) ? refuse(step, NOBODY) : step))
  return { is: 'answered', steps, agreed: NOTHING_AGREED }
}

async function askSomebody(
  batch: Batch,
  planned: readonly Step[],
  approve: Approver,
  run: Run,
): Promise<Asked> {
  const { engine } = run
  const { steps, questions } = await prepareQuestions(planned, run)
  if (questions.size === 0) return { is: 'answered', steps, agreed: NOTHING_AGREED }
  const requests = [...questions.values()].map(({ request }) => request)
  const heard =
    approve.isAttended === true ? ({ is: 'later' } as const) : await askApprover(requests, approve, run)
  if (heard.is === 'later')
    return { is: 'waiting', steps, requests, ...waitingEntry(batch, steps, questions, engine) }
  const decisions = new Map(
    heard.is === 'cancelled'
      ? []
      : requests.flatMap(({ execution }, index) => {
          const decision = heard.decisions[index]
          const call = steps.find((step) => step.call.execution === execution)?.call
          return decision === undefined || call === undefined
            ? []
            : [[execution, makeGrant(decision, call, run)] as const]
        }),
  )
  return { is: 'answered', ...applyDecisions(steps, decisions, questions) }
}

/** Takes questions as answered; a call whose question has no answer stays as it is. */
function applyDecisions(
  steps: readonly Step[],
  decisions: ReadonlyMap<string, Decision>,
  questions: ReadonlyMap<string, Question>,
) {
  const agreed = new Map<string, Agreement>()
  for (const [execution, { isApproved }] of decisions) {
    const agreement = questions.get(execution)?.agreement
    if (isApproved && agreement !== undefined) agreed.set(execution, agreement)
  }
  return { agreed, steps: steps.map((step) => applyDecision(step, decisions.get(step.call.execution))) }
}

/** Takes one question as answered. */
export function applyDecision(step: Step, decision: Decision | undefined): Step {
  if (decision === undefined || step.judgement.verdict === 'settle') return step
  if (!decision.isApproved) return refuse(step, denialError(decision))
  return withFinding(step, {
    gate: APPROVAL_GATE,
    fact: `a person approved exactly this${grantSuffix(decision)}`,
    verdict: 'pass',
  })
}

function isAsking(step: Step): boolean {
  return step.judgement.verdict === 'ask'
}

async function prepareQuestions(planned: readonly Step[], run: Run) {
  const { engine } = run
  const previews = await previewAll(planned, run)
  const questions = new Map<string, Question>()
  const now = engine.clock.now()
  const steps = planned.map((step) => {
    if (!isAsking(step)) return step
    const preview = previews.get(step.call.execution) ?? ({ is: 'unknown' } as const)
    const made = makeQuestion(step, preview, now, run)
    if (made.is === 'settled') return made.step
    questions.set(step.call.execution, made.question)
    return step
  })
  return { steps, questions }
}

function waitingEntry(
  batch: Batch,
  steps: readonly Step[],
  questions: ReadonlyMap<string, Question>,
  engine: Engine,
) {
  const payloads = new Map<string, Uint8Array>()
  const keep = (text: string): string => {
    const bytes = new TextEncoder().encode(text)
    const digest = engine.digest(bytes)
    payloads.set(digest, bytes)
    return digest
  }
  const asked = [...questions.values()].map(({ request, agreement }) => {
    const { diff, why, danger, rung, limits, scopes } = request
    return {
      approval: request.id,
      execution: request.execution,
      summary: request.summary,
      risk: request.risk,
      binding: agreement.binding,
      diff: diff === null ? null : keep(diff),
      ...(request.note === undefined ? {} : { note: request.note }),
      offer: keep(
        JSON.stringify({
          why,
          danger,
          rung,
          ...(limits === undefined ? {} : { limits }),
          scopes,
        } satisfies Offer),
      ),
    }
  })
  const [first] = questions.values()
  const entry: AskedEntry = {
    kind: 'asked',
    batch: batch.id,
    questions: asked,
    judged: steps
      .filter(({ judgement }) => judgement.verdict !== 'settle')
      .map((step) => ({ execution: step.call.execution, gates: recordedFindings(step) })),
    expiresAt: first?.request.expires_at ?? 0,
  }
  return { entry, payloads }
}
