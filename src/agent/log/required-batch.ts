import type { ToolResult } from '../../core/result.ts'
import type { BatchEntry } from '../../journal/entries/entry.ts'
import { readResult } from '../../journal/folds/read-result.ts'
import type { LogReader } from '../../journal/log.ts'

/** Tools that the runtime ran before the end of a turn: whether one still waits, and the results since the last message. */
export interface RequiredBatch {
  readonly isWaiting: boolean
  readonly results: readonly ToolResult[]
}

/** Reads what was required before the end of a turn. */
export function readRequired(log: LogReader, turn: string | null): RequiredBatch {
  const batches = new Map<string, BatchEntry>()
  const open = new Set<string>()
  let results: ToolResult[] = []
  for (const { entry } of log.entries(1)) {
    if (entry.kind === 'said') results = []
    else if (entry.kind === 'batch') {
      if (entry.origin !== 'runtime' || entry.turn !== turn || entry.ahead !== undefined) continue
      batches.set(entry.batch, entry)
      for (const { execution } of entry.calls) open.add(execution)
    } else if (entry.kind === 'settled') {
      const batch = batches.get(entry.batch)
      if (batch === undefined) continue
      open.delete(entry.execution)
      results.push(readResult(entry, batch.calls, log.payload))
    }
  }
  return { isWaiting: open.size > 0, results }
}
