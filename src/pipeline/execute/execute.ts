import { useBetween } from '../../core/resource-use.ts'
import type { ToolResult } from '../../core/result.ts'
import { goOnWith } from '../../core/wait.ts'
import type { Soon } from '../../core/wait.ts'
import type { ReadyGroup } from '../approve/approve.ts'
import type { Run } from '../engine.ts'
import { isRefusal, skipCommand, startsProcess, stopCall } from '../plan/skip.ts'
import type { Batch } from '../batch.ts'
import type { Step } from '../step.ts'
import type { EndedGroup, Ending } from './ending.ts'
import { runCall } from './run-call.ts'
import type { PlannedCall } from './run-call.ts'
import { allowanceAfter } from './allowance.ts'

/** Runs the calls of a group to their end, in parallel if there are several; nothing is committed yet. */
export function execute(
  batch: Batch,
  { steps, agreed }: ReadyGroup,
  results: readonly ToolResult[],
  run: Run,
): Soon<EndedGroup> {
  const allowance = allowanceAfter(results, run)
  const planned = steps.map((step) => ({
    step: stopAfterFailure(batch, step, results, run),
    agreed,
    allowance,
  }))
  const [only] = planned
  if (only === undefined || planned.length > 1) return executeTogether(batch, planned, results.length, run)
  const turn = giveWay(results.length, run)
  return turn === undefined ? executeAlone(batch, only, run) : turn.then(() => executeAlone(batch, only, run))
}

/** What the process uses meanwhile is the call's. */
function executeAlone(batch: Batch, planned: PlannedCall, run: Run): Soon<EndedGroup> {
  const { resources } = run.engine
  const before = resources?.() ?? null
  return goOnWith(runCall(batch, planned, run), (ending) => ({
    endings: [ending],
    usage: before === null || resources === null ? null : useBetween(before, resources()),
  }))
}

async function executeTogether(
  batch: Batch,
  planned: readonly PlannedCall[],
  earlier: number,
  run: Run,
): Promise<EndedGroup> {
  const begun: Promise<Ending>[] = []
  for (const one of planned) {
    const turn = giveWay(begun.length + earlier, run)
    if (turn !== undefined) await turn
    begun.push(beginInParallel(() => runCall(batch, one, run)))
  }
  return { endings: await Promise.all(begun), usage: null }
}

/** Yields between calls, so that the process can handle events such as a cancellation. */
function giveWay(begunCalls: number, { engine, mayBeCancelled }: Run): Promise<void> | undefined {
  return engine.pause(mayBeCancelled && begunCalls > 0)
}

/** Starts a call in a later microtask, so that its synchronous part does not delay the start of the next one. */
function beginInParallel(begin: () => Soon<Ending>): Promise<Ending> {
  const ending = Promise.resolve().then(begin)
  // The caller that awaits it gets the rejection; this only prevents an unhandled one.
  ending.catch(() => undefined)
  return ending
}

/** Skips a call if an earlier call in the batch failed and the configuration says to stop then. */
function stopAfterFailure(batch: Batch, step: Step, results: readonly ToolResult[], run: Run): Step {
  const { settings, registry } = run.engine
  const isStopped = settings['tools.on_execution_error'] === 'stop'
  const mayStart = step.judgement.verdict !== 'settle' && startsProcess(step)
  const isCommand = mayStart && settings['tools.on_refused_edit'] === 'skip_commands'
  if (!isStopped && !isCommand) return step
  const order = orderOf(batch)
  const own = order.get(step.call.execution) ?? 0
  const failed = [...results, ...batch.settled.values()].filter(
    ({ ok, execution }) => !ok && (order.get(execution.id) ?? own) < own,
  )
  if (isStopped && failed.length > 0) return stopCall(step)
  const refused = isCommand
    ? failed.find((one) => !one.ok && registry.find(one.name)?.effect === 'edit' && isRefusal(one.error.code))
    : undefined
  return refused === undefined ? step : skipCommand(step, refused.name)
}

const orders = new WeakMap<Batch, ReadonlyMap<string, number>>()

/** The places of the calls in their batch, found once for all of them. */
function orderOf(batch: Batch): ReadonlyMap<string, number> {
  const known = orders.get(batch)
  if (known !== undefined) return known
  const order = new Map(batch.calls.map(({ execution }, index) => [execution, index]))
  orders.set(batch, order)
  return order
}
