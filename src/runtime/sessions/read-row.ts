import type { ToolResult } from '../../core/result.ts'
import { readResult, readRolledBack } from '../../journal/folds/read-result.ts'
import type { LogReader } from '../../journal/log.ts'
import { findWaiting } from '../../pipeline/parse/waiting-batch.ts'
import { waitingRows } from '../../pipeline/resume/resume.ts'

/** What a call has come to: its result, or the notice that it waits; null if the log has no such call. */
export function readRow(log: LogReader, execution: string): ToolResult | null {
  const waiting = findWaiting(log).find(({ batch }) =>
    batch.calls.some((call) => call.execution === execution),
  )
  if (waiting !== undefined) return waitingRows(waiting).find((row) => row.execution.id === execution) ?? null
  const entries = log.about(execution).map(({ entry }) => entry)
  const calls = entries.flatMap((entry) => (entry.kind === 'batch' ? entry.calls : []))
  let row: ToolResult | null = null
  for (const entry of entries) {
    if (entry.kind === 'settled' && entry.execution === execution) row = readResult(entry, calls, log.payload)
    else if (entry.kind === 'undo') {
      const rolledBack = readRolledBack(entry, log.payload)
      if (rolledBack?.execution.id === execution) row = rolledBack
    }
  }
  return row
}
