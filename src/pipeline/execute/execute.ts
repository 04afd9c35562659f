import { toolError } from '../../core/error.ts'
import { useBetween } from '../../core/resource-use.ts'
import type { ToolResult } from '../../core/result.ts'
import type { ReadyGroup } from '../approve/approve.ts'
import type { Run } from '../engine.ts'
import { refuse } from '../step.ts'
import type { Batch } from '../batch.ts'
import type { Step } from '../step.ts'
import type { EndedGroup, Ending } from './ending.ts'
import { runCall } from './run-call.ts'
import { allowanceAfter } from './room.ts'

const SKIPPED = toolError(
  'skipped',
  'Skipped: an earlier call of this batch failed, and tools.on_execution_error is stop.',
)

/** Runs the calls of a group to their end, in parallel where there are several; nothing is committed yet. */
export async function execute(
  batch: Batch,
  { steps, agreed }: ReadyGroup,
  results: readonly ToolResult[],
  run: Run,
): Promise<EndedGroup> {
  const { engine } = run
  const allowance = allowanceAfter(results, run)
  const begin = (step: Step): Promise<Ending> =>
    runCall(batch, { step: stopAfterFailure(batch, step, results, run), agreed, allowance }, run)
  const [only] = steps
  if (only !== undefined && steps.length === 1) {
    await giveWay(results.length, run)
    const before = engine.resources?.() ?? null
    const ending = await begin(only)
    const usage = before === null || engine.resources === null ? null : useBetween(before, engine.resources())
    return { endings: [ending], usage }
  }
  const begun: Promise<Ending>[] = []
  for (const step of steps) {
    await giveWay(begun.length + results.length, run)
    begun.push(beginBeside(() => begin(step)))
  }
  return { endings: await Promise.all(begun), usage: null }
}

/** Hears in between what has been asked of the process meanwhile, such as to stop. */
async function giveWay(begunCalls: number, { engine, mayBeCancelled }: Run): Promise<void> {
  const turn = engine.pause(mayBeCancelled && begunCalls > 0)
  if (turn !== undefined) await turn
}

/** Begins a call only after the next one could begin too, so that parallel calls do not wait for each other. */
function beginBeside(begin: () => Promise<Ending>): Promise<Ending> {
  const ending = Promise.resolve().then(begin)
  // A fault of our own is thrown where it is waited for.
  ending.catch(() => undefined)
  return ending
}

/** Settles a call as skipped if a call before it in the batch has failed and the configuration says to stop then. */
function stopAfterFailure(
  { calls, settled }: Batch,
  step: Step,
  results: readonly ToolResult[],
  run: Run,
): Step {
  if (run.engine.settings['tools.on_execution_error'] !== 'stop') return step
  const failed = [...results, ...settled.values()].filter(({ ok }) => !ok)
  if (failed.length === 0) return step
  const order = new Map(calls.map(({ execution }, index) => [execution, index]))
  const own = order.get(step.call.execution) ?? 0
  return failed.some(({ execution }) => (order.get(execution.id) ?? own) < own)
    ? refuse(step, SKIPPED, 'earlier calls')
    : step
}
