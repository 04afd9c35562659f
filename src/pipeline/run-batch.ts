import type { ToolResult } from '../core/result.ts'
import { askAll } from './approve/ask.ts'
import { attend } from './approve/attend.ts'
import { declareBatch } from './parse/declare-batch.ts'
import type { Run } from './engine.ts'
import { runSteps } from './execute/run-steps.ts'
import { plan } from './plan/plan.ts'
import { prepareJudging } from './plan/prepare-judging.ts'
import { skipOvertaken } from './plan/skip.ts'
import { wait } from './approve/wait.ts'

/** Takes a batch down the corridor: every call gets exactly one recorded result, in call order, or the batch waits. */
export async function runBatch(calls: readonly unknown[], run: Run): Promise<readonly ToolResult[]> {
  const declaring = declareBatch(calls, run)
  const batch = declaring instanceof Promise ? await declaring : declaring
  const preparing = prepareJudging(batch.calls, run)
  if (preparing !== undefined) await preparing
  const asking = askAll(batch, skipOvertaken(plan(batch.calls, run), run), run)
  const asked = asking instanceof Promise ? await asking : asking
  if (asked.is === 'answered') return await runSteps(batch, asked.steps, asked.agreed, run)
  const rows = await wait(batch, asked, run)
  return attend(batch, asked.requests, rows, run)
}
