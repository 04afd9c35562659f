import type { Approver } from '../../core/approval.ts'
import type { ToolResult } from '../../core/result.ts'
import { runBatch } from '../run-batch.ts'
import type { AheadOf, Run } from '../engine.ts'

/** Runs tools that the runtime needs through the whole pipeline: judged, recorded and answered like any other call. */
export async function runAhead(
  tools: readonly string[],
  { call, mayWait }: AheadOf,
  run: Run,
): Promise<readonly ToolResult[]> {
  const calls = tools.map((name) => ({ id: `runtime:${name}`, name, args: {} }))
  const approve = run.approve === null || mayWait ? run.approve : denyIfDeferred(run.approve)
  return runBatch(calls, { ...run, origin: 'runtime', ahead: call, approve, mayWait })
}

/** What runs on a schedule cannot wait for a later answer, so deferring counts as a denial. */
function denyIfDeferred(approve: Approver): Approver {
  return async (requests, asking) => {
    const answers = await approve(requests, asking)
    return answers === 'later' ? requests.map(() => 'deny' as const) : answers
  }
}
