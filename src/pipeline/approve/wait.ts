import { toolError } from '../../core/error.ts'
import type { ToolResult } from '../../core/result.ts'
import type { Asked } from './ask.ts'
import type { Batch } from '../parse/declare-batch.ts'
import type { Run } from '../engine.ts'
import { runSteps } from '../execute/run-steps.ts'
import { presentFailure } from '../present.ts'
import type { Received } from '../step.ts'

/** Puts a batch on hold, durably: what is settled gets its result, everything else a row that says what it waits for. */
export async function wait(
  batch: Batch,
  asked: Extract<Asked, { is: 'waiting' }>,
  run: Run,
): Promise<readonly ToolResult[]> {
  const settled = asked.steps.filter(({ judgement }) => judgement.verdict === 'settle')
  // First of all: what is settled must never be judged again, and a batch that waits is judged when it goes on.
  const results = new Map(
    (await runSteps(batch, settled, new Map(), run)).map((result) => [result.execution.id, result]),
  )
  run.log.append({ entries: [asked.entry], payloads: asked.payloads, reliance: 'durable' })
  const approvals = new Map(asked.entry.questions.map(({ execution, approval }) => [execution, approval]))
  return asked.steps.map(
    ({ call }) => results.get(call.execution) ?? waitingRow(call, approvals.get(call.execution) ?? null),
  )
}

/** A notice that stands in a result's place until there is one. */
export function waitingRow(
  call: Pick<Received, 'execution' | 'id' | 'name'>,
  approval: string | null,
): ToolResult {
  const message =
    approval === null ? 'Waits for the approval of other calls of its batch.' : 'Waits for approval.'
  const error = toolError('approval_required', message, { approval }, [
    `See tongs pending; answer with tongs approve ${approval ?? 'ID'} or tongs deny ${approval ?? 'ID'}.`,
  ])
  const execution = { id: call.execution, state: 'VALIDATED', duration_ms: 0 } as const
  return presentFailure(call, error, 'before', execution)
}
