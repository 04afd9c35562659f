import type { ToolResult } from '../../core/result.ts'
import type { DeclaredCall } from '../../journal/entries/entry.ts'
import type { LogReader } from '../../journal/log.ts'
import { waitingRow } from '../approve/notices.ts'
import { readResult, readRolledBack } from '../../journal/folds/read-result.ts'
import type { WaitingBatch } from '../parse/waiting-batch.ts'
import type { Batch } from '../batch.ts'

/**
 * The rows of a batch in call order, each preceded by what the runtime ran before it, with notices for calls that wait.
 * `decideNext` reads from them what follows.
 */
export function resume(
  { calls, settled, notices }: Batch,
  results: readonly ToolResult[],
): readonly ToolResult[] {
  if (
    results.length === calls.length &&
    results.every(({ execution }, at) => execution.id === calls[at]?.execution)
  )
    return results
  const rows = new Map<string, readonly ToolResult[]>()
  for (const [execution, row] of [...settled, ...notices]) rows.set(execution, [row])
  const own = new Set(calls.map(({ execution }) => execution))
  let ahead: ToolResult[] = []
  for (const result of results) {
    ahead.push(result)
    if (!own.has(result.execution.id)) continue
    rows.set(result.execution.id, ahead)
    ahead = []
  }
  return calls.flatMap(({ execution }) => rows.get(execution) ?? [])
}

/** The rows of a batch that still waits. */
export function waitingRows(waiting: WaitingBatch): readonly ToolResult[] {
  const { batch, asked, answers, results, landings } = waiting
  const open = new Map(
    asked.questions
      .filter(({ approval }) => !answers.has(approval))
      .map(({ execution, approval }) => [execution, approval]),
  )
  return batch.calls.map(
    (call) =>
      results.get(call.execution) ??
      waitingRow(
        call,
        open.get(call.execution) ?? null,
        landings.has(call.execution) ? 'EXECUTING' : 'VALIDATED',
      ),
  )
}

/** The results a batch has so far, in call order, each preceded by what the runtime ran before it. */
export function recordedRows(batch: string, log: LogReader, fromSeq = 1): readonly ToolResult[] {
  const results = new Map<string, ToolResult>()
  const order: string[] = []
  const batches = new Map<string, readonly DeclaredCall[]>([[batch, []]])
  for (const { entry } of log.entries(fromSeq)) {
    if (entry.kind === 'batch') {
      const at = entry.batch === batch ? 0 : entry.ahead === undefined ? -1 : order.indexOf(entry.ahead)
      if (at < 0) continue
      batches.set(entry.batch, entry.calls)
      order.splice(at, 0, ...entry.calls.map(({ execution }) => execution))
    } else if (entry.kind === 'settled' && batches.has(entry.batch))
      results.set(entry.execution, readResult(entry, batches.get(entry.batch) ?? [], log.payload))
    else if (entry.kind === 'undo') {
      const now = readRolledBack(entry, log.payload)
      if (now !== null && results.has(now.execution.id)) results.set(now.execution.id, now)
    }
  }
  return order.flatMap((execution) => results.get(execution) ?? [])
}
