import type { ApprovalRequest } from '../../core/approval.ts'
import type { Run } from '../engine.ts'
import type { Preview } from '../execute/preview.ts'
import { summarise } from '../plan/summarise.ts'
import { refuse } from '../step.ts'
import type { Step } from '../step.ts'
import { errorFrom } from '../tool-crash.ts'
import { bindingOf } from './agreement.ts'
import type { Agreement } from './agreement.ts'
import { offerFor } from './offer.ts'
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

/** Makes the question about a call. If its preview or summary fails, the call is settled and the approver is not asked. */
export function makeQuestion(step: Step, preview: Preview, run: Run, note?: string): Questioned {
  const { engine } = run
  const { call, tool, facts } = step
  if (tool === null) return { is: 'settled', step }
  if (preview.is === 'failed')
    return {
      is: 'settled',
      step: refuse(step, preview.error, 'preview', facts.tool?.effect === 'spawn' ? 'process' : 'running'),
    }
  const diff = preview.is === 'shown' ? preview.diff : null
  let summary: string
  try {
    summary = summarise(tool, call.args, engine.settings)
  } catch (thrown) {
    return { is: 'settled', step: refuse(step, errorFrom(tool.name, thrown), 'summary') }
  }
  const askedAt = engine.clock.now()
  const request: ApprovalRequest = {
    id: engine.newId(),
    session: run.log.key.name,
    call: { id: call.id, name: call.name, args: call.args },
    execution: call.execution,
    summary,
    risk: facts.tool?.risk ?? 'High',
    diff,
    asked_at: askedAt,
    expires_at: askedAt + engine.settings['tools.approval.pending_seconds'] * 1000,
    ...offerFor(step, tool, engine),
    ...noteFor(note, [
      ...(preview.notes ?? []),
      ...(facts.tool?.effect === 'spawn' ? engine.shell.remarks() : []),
    ]),
  }
  const agreement = { binding: bindingOf(step, diff, engine), isShown: diff !== null }
  return { is: 'asking', question: { step, request, agreement } }
}

/** Further notes: why it is asked again, and remarks about the files. */
function noteFor(note: string | undefined, notes: readonly string[]): Pick<ApprovalRequest, 'note'> {
  const all = note === undefined ? notes : [note, ...notes]
  return all.length === 0 ? {} : { note: all.join(' ') }
}
