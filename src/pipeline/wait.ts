import { toolError, viewError } from '../core/error.ts'
import type { ToolResult } from '../core/result.ts'
import type { Asked } from './ask.ts'
import type { Batch } from './declare.ts'
import type { House, Run } from './house.ts'
import { perform } from './perform.ts'
import type { Step } from './plan.ts'

/** Puts a batch on hold, durably: what is settled gets its result, everything else a row that says what it waits for. */
export async function wait(
  batch: Batch,
  asked: Extract<Asked, { is: 'waiting' }>,
  house: House,
  run: Run,
): Promise<readonly ToolResult[]> {
  const settled = asked.steps.filter(({ judgement }) => judgement.verdict === 'settle')
  run.log.append({ entries: [asked.entry], payloads: asked.diffs, reliance: 'durable' })
  const results = new Map(
    (await perform(batch, settled, new Map(), house, run)).map((result) => [result.execution.id, result]),
  )
  const approvals = new Map(asked.entry.questions.map(({ execution, approval }) => [execution, approval]))
  return asked.steps.map(
    (step) =>
      results.get(step.call.execution) ?? waitingRow(step, approvals.get(step.call.execution) ?? null),
  )
}

/** A notice that stands in a result's place until there is one. */
export function waitingRow({ call }: Step, approval: string | null): ToolResult {
  const message =
    approval === null ? 'Waits for the approval of other calls of its batch.' : 'Waits for approval.'
  const error = toolError('approval_required', message, { approval }, [
    `See tongs pending; answer with tongs approve ${approval ?? 'ID'} or tongs deny ${approval ?? 'ID'}.`,
  ])
  const execution = { id: call.execution, state: 'VALIDATED', duration_ms: 0 } as const
  return {
    id: call.id,
    name: call.name,
    ok: false,
    error: viewError(error, 'before'),
    content: message,
    execution,
  }
}
