import { readAnswer } from '../core/approval.ts'
import type { ApprovalRequest } from '../core/approval.ts'
import { toolError } from '../core/error.ts'
import type { ToolError } from '../core/error.ts'
import type { Phase } from '../core/error.ts'
import { redactForApproval } from '../core/text/redact.ts'
import { sanitise } from '../core/text/sanitise.ts'
import { ellipsis } from '../core/text/truncate.ts'
import type { AskedEntry, GateRecord } from '../journal/entry.ts'
import { crashError } from './crash.ts'
import type { Batch } from './declare.ts'
import type { House, Run } from './house.ts'
import { bindingOf } from './binding.ts'
import type { Agreement } from './binding.ts'
import { previewAll } from './preview.ts'
import type { Step } from './plan.ts'

const SUMMARY_CHARS = 200

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
      readonly diffs: ReadonlyMap<string, Uint8Array>
    }

interface Question {
  readonly request: ApprovalRequest
  readonly agreement: Agreement
}

/** Asks all questions of a batch at once, before anything of it runs. */
export async function askAll(batch: Batch, planned: readonly Step[], house: House, run: Run): Promise<Asked> {
  if (!planned.some(({ judgement }) => judgement.verdict === 'ask'))
    return { is: 'answered', steps: planned, agreed: new Map() }
  if (run.approve === null)
    return {
      is: 'answered',
      steps: planned.map((step) => (isAsking(step) ? refuse(step, NOBODY) : step)),
      agreed: new Map(),
    }
  const { steps, questions } = await prepareQuestions(planned, house, run)
  if (questions.size === 0) return { is: 'answered', steps, agreed: new Map() }
  const requests = [...questions.values()].map(({ request }) => request)
  const answers = run.approve.isAttended === true ? 'later' : await run.approve(requests)
  if (answers === 'later') return { is: 'waiting', steps, requests, ...waitingEntry(batch, questions, house) }
  const agreed = new Map<string, Agreement>()
  const words = new Map<string, string | null>()
  for (const [index, { execution }] of requests.entries()) {
    const { isApproved, say } = readAnswer(answers[index])
    const agreement = questions.get(execution)?.agreement
    if (isApproved && agreement !== undefined) agreed.set(execution, agreement)
    else words.set(execution, say)
  }
  return { is: 'answered', agreed, steps: steps.map((step) => applyAnswer(step, agreed, words)) }
}

/** Takes the questions of a batch as answered, as they were answered while it waited. */
export function applyAnswer(
  step: Step,
  agreed: ReadonlyMap<string, Agreement>,
  words: ReadonlyMap<string, string | null>,
): Step {
  const { execution } = step.call
  if (agreed.has(execution))
    return withFinding(step, { gate: 'approval', fact: 'a person approved exactly this', verdict: 'pass' })
  return words.has(execution) ? refuse(step, denial(words.get(execution) ?? null)) : step
}

const NOBODY = toolError(
  'approval_denied',
  'This needs approval, and there is nobody to ask.',
  { reason: 'nobody' },
  ['Approve it beforehand in the configuration, or run where somebody can be asked.'],
)

function denial(say: string | null): ToolError {
  const message = say === null || say === '' ? 'Denied by the user.' : `Denied by the user: ${say}`
  return toolError('approval_denied', message, { reason: 'denied', ...(say === null ? {} : { say }) })
}

function isAsking(step: Step): boolean {
  return step.judgement.verdict === 'ask'
}

/** Settles a call with an error that was not any gate's. */
export function refuse(step: Step, error: ToolError, phase: Phase = 'before'): Step {
  const finding: GateRecord = { gate: 'approval', fact: error.message, verdict: 'deny' }
  return {
    ...step,
    phase,
    judgement: { verdict: 'settle', error, findings: [...step.judgement.findings, finding] },
  }
}

function withFinding(step: Step, finding: GateRecord): Step {
  return { ...step, judgement: { ...step.judgement, findings: [...step.judgement.findings, finding] } }
}

async function prepareQuestions(planned: readonly Step[], house: House, run: Run) {
  const previews = await previewAll(planned, house, run)
  const questions = new Map<string, Question>()
  const now = house.clock.now()
  const expires = now + house.settings['tools.approval.pending_seconds'] * 1000
  const steps = planned.map((step) => {
    const { call, tool, facts } = step
    if (!isAsking(step) || tool === null) return step
    const preview = previews.get(call.execution)
    if (preview?.is === 'failed') return refuse(step, preview.error, 'running')
    const diff = preview?.is === 'shown' ? preview.diff : null
    let summary: string
    try {
      summary = ellipsis(
        sanitise(redactForApproval(tool.summary(call.args)), { oneLine: true }),
        SUMMARY_CHARS,
      )
    } catch (thrown) {
      return refuse(step, crashError(tool.name, thrown))
    }
    const request: ApprovalRequest = {
      id: house.newId(),
      session: run.log.key.name,
      call: { id: call.id, name: call.name, args: call.args },
      execution: call.execution,
      summary,
      risk: facts.tool?.risk ?? 'High',
      diff,
      asked_at: now,
      expires_at: expires,
    }
    questions.set(call.execution, {
      request,
      agreement: { binding: bindingOf(tool, call, diff, house), isShown: diff !== null },
    })
    return step
  })
  return { steps, questions }
}

function waitingEntry(batch: Batch, questions: ReadonlyMap<string, Question>, house: House) {
  const diffs = new Map<string, Uint8Array>()
  const asked = [...questions.values()].map(({ request, agreement }) => {
    const bytes = request.diff === null ? null : new TextEncoder().encode(request.diff)
    const digest = bytes === null ? null : house.digest(bytes)
    if (bytes !== null && digest !== null) diffs.set(digest, bytes)
    return {
      approval: request.id,
      execution: request.execution,
      summary: request.summary,
      risk: request.risk,
      binding: agreement.binding,
      diff: digest,
    }
  })
  const [first] = questions.values()
  const entry: AskedEntry = {
    kind: 'asked',
    batch: batch.id,
    questions: asked,
    expiresAt: first?.request.expires_at ?? 0,
  }
  return { entry, diffs }
}
