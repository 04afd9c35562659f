import type { ToolResult } from '../../core/result.ts'
import { waitingRow } from '../approve/notices.ts'
import type { Batch } from '../batch.ts'
import type { EndedGroup } from './ending.ts'

/** Whether a call of the group waits to land; then notices stand for it and for the calls after it, which do not begin. */
export function parkIfWaiting(
  batch: Batch,
  { endings }: EndedGroup,
  results: readonly ToolResult[],
): boolean {
  const parked = endings.find((ending) => ending.parked !== undefined)
  if (parked === undefined) return false
  const done = new Set(results.map(({ execution }) => execution.id))
  for (const call of batch.calls) {
    const { execution } = call
    if (done.has(execution) || batch.settled.has(execution) || batch.notices.has(execution)) continue
    const isParked = parked.step.call.execution === execution
    batch.notices.set(
      execution,
      isParked ? waitingRow(call, parked.parked ?? null, 'EXECUTING') : waitingRow(call, null),
    )
  }
  return true
}
