import type { ToolResult } from '../../core/result.ts'
import { conversingRow, waitingRow } from '../approve/notices.ts'
import type { Batch } from '../batch.ts'
import type { Run } from '../engine.ts'
import type { EndedGroup, Ending } from './ending.ts'

/** A group of calls: those that have ended, and those that wait for an answer or for their conversation. */
interface SplitGroup {
  readonly ended: EndedGroup
  readonly waiting: readonly Ending[]
}

/** Sets apart the calls of a group that wait. */
export function splitWaiting(group: EndedGroup): SplitGroup {
  const { endings, usage } = group
  if (!endings.some(isWaiting)) return { ended: group, waiting: NONE }
  return {
    ended: { endings: endings.filter((ending) => !isWaiting(ending)), usage },
    waiting: endings.filter(isWaiting),
  }
}

const NONE: readonly Ending[] = []

function isWaiting({ parked, isConversing }: Ending): boolean {
  return parked !== undefined || isConversing === true
}

/** Notices stand for calls that wait and for the calls after them, which do not begin. */
export function park(
  batch: Batch,
  waiting: readonly Ending[],
  results: readonly ToolResult[],
  { log }: Run,
): void {
  const executions = waiting.flatMap(({ isConversing, step }) =>
    isConversing === true ? [step.call.execution] : [],
  )
  if (executions.length > 0)
    log.append({ entries: [{ kind: 'parked', batch: batch.id, executions }], reliance: 'durable' })
  const done = new Set(results.map(({ execution }) => execution.id))
  const parked = new Map(waiting.map((ending) => [ending.step.call.execution, ending]))
  for (const call of batch.calls) {
    const { execution } = call
    if (done.has(execution) || batch.settled.has(execution) || batch.notices.has(execution)) continue
    const ending = parked.get(execution)
    const row =
      ending?.isConversing === true
        ? conversingRow(call)
        : ending === undefined
          ? waitingRow(call, null)
          : waitingRow(call, ending.parked ?? null, 'EXECUTING')
    batch.notices.set(execution, row)
  }
}
