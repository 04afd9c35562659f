import type { ToolResult } from '../core/result.ts'
import { askAll } from './approve/ask.ts'
import { attend } from './approve/attend.ts'
import { declareBatch } from './parse/declare-batch.ts'
import type { House, Run } from './engine.ts'
import { perform } from './execute/run-steps.ts'
import { plan } from './plan/plan.ts'
import { prepareJudging } from './plan/prepare-judging.ts'
import { skipOvertaken } from './plan/skip.ts'
import { wait } from './approve/wait.ts'

/** Takes a batch down the corridor: every call gets exactly one recorded result, in call order, or the batch waits. */
export async function conduct(
  calls: readonly unknown[],
  house: House,
  run: Run,
): Promise<readonly ToolResult[]> {
  const declaring = declareBatch(calls, house, run)
  const batch = declaring instanceof Promise ? await declaring : declaring
  const preparing = prepareJudging(batch.calls, house, run)
  if (preparing !== undefined) await preparing
  const asking = askAll(batch, skipOvertaken(plan(batch.calls, house, run), run), house, run)
  const asked = asking instanceof Promise ? await asking : asking
  if (asked.is === 'answered') return await perform(batch, asked.steps, asked.agreed, house, run)
  const rows = await wait(batch, asked, house, run)
  return attend(batch, asked.requests, rows, house, run)
}
