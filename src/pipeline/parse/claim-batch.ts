import type { ToolResult } from '../../core/result.ts'
import type { BatchEntry } from '../../journal/entries/entry.ts'
import type { Batch } from '../batch.ts'
import { createEmitter } from '../emit-events.ts'
import type { Run } from '../engine.ts'
import { readAgain } from './read-batch.ts'

/** A batch that was left open, as read from the log. */
export interface LeftBatch {
  readonly batch: BatchEntry
  readonly declaredAt: number
  readonly results: ReadonlyMap<string, ToolResult>
}

/** Goes on with a batch. The claim is durable first, so that only one process does, and only once even if it dies. */
export function claimBatch(
  { batch, declaredAt, results }: LeftBatch,
  left: Pick<Batch, 'answered' | 'landings' | 'begun'>,
  run: Run,
): Batch {
  run.log.append({
    entries: [{ kind: 'continued', batch: batch.batch, pass: run.pass }],
    reliance: 'durable',
  })
  return {
    id: batch.batch,
    turn: batch.turn,
    declaredAt,
    calls: readAgain(batch, run.log, run.engine),
    settled: results,
    ...left,
    notices: new Map(),
    emit: createEmitter(run),
  }
}
