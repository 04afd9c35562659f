import type { ToolCall } from '../../core/call.ts'
import type { ErrorCode } from '../../core/error.ts'
import type { ToolResult } from '../../core/result.ts'
import type { LiveEvent } from '../../pipeline/engine.ts'
import type { RunOptions } from '../../runtime/runtime.ts'
import type { Emit } from './event-stream.ts'
import { isOverBudget } from './turn-state.ts'
import type { Turn } from './turn-state.ts'

/** Why late calls are skipped. */
const OUT_OF_BUDGET = "the turn's budget is used up"

/** Runs the calls of a message. Text from the user or a used-up budget skips the calls that have not started. */
export function runCalls(calls: readonly ToolCall[], turn: Turn): Promise<readonly ToolResult[]> {
  const ours = new Set(calls.map(({ id }) => id))
  return runInTurn(
    turn,
    (id) => !ours.has(id),
    (options) => turn.setup.runtime.run(calls, options),
  )
}

/** Goes on with a batch that waited for delegated conversations; its calls were announced when they came. */
export function goOnCalls(batch: string, turn: Turn): Promise<readonly ToolResult[]> {
  return runInTurn(
    turn,
    () => false,
    (options) => turn.setup.runtime.goOn(batch, options),
  )
}

async function runInTurn(
  turn: Turn,
  isUnannounced: (id: string) => boolean,
  run: (options: RunOptions) => Promise<readonly ToolResult[]>,
): Promise<readonly ToolResult[]> {
  const { setup, emit, signal, steering } = turn
  const { delegated } = setup
  const skip = steering.beginBatch()
  if (isOverBudget(turn)) skip.abort(OUT_OF_BUDGET)
  try {
    return await run({
      session: setup.session,
      origin: 'model',
      turn: turn.id,
      iteration: turn.rounds,
      dryRun: setup.isDryRun,
      isWakeUp: turn.isWokenUp,
      signal,
      skip: skip.signal,
      // A capacity of 0 would mean no limit.
      capacityBytes: Math.max(1, setup.capacityBytes()),
      delegating: turn.delegatingFor(turn),
      ...(delegated === null ? {} : { delegate: delegated.execution, only: delegated.tools }),
      onEvent: (event) => relay(event, emit, isUnannounced),
    })
  } finally {
    steering.endBatch()
  }
}

/** Forwards the events of calls; calls that the model did not make are announced first. */
export function relay(event: LiveEvent, emit: Emit, isUnannounced: (id: string) => boolean): void {
  if (event.event === 'result') emit({ event: 'result', ...event.result })
  else if (event.event === 'output') {
    const { id, stream, chunk } = event
    emit({ event: 'output', id, stream, chunk })
  } else if (event.event === 'landing') emit(event)
  else if (event.event === 'state') emit({ ...event, event: 'progress' })
  else if (isUnannounced(event.id)) {
    const { id, name, args } = event
    emit({ event: 'call', id, name, args })
  }
}

/** Makes a test for results that ended with this error. */
export function endedAs(code: ErrorCode): (result: ToolResult) => boolean {
  return (result) => !result.ok && result.error.code === code
}
