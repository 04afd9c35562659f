import { toolError } from '../../core/error.ts'
import type { ToolResult } from '../../core/result.ts'
import { presentFailure } from '../present.ts'
import type { Received, Step } from '../step.ts'

type NamedCall = Pick<Received, 'execution' | 'id' | 'name'>

/** Returned instead of a result for a call that waits for this answer or for other calls of its batch. */
export function waitingRow(
  call: NamedCall,
  approval: string | null,
  state: 'VALIDATED' | 'EXECUTING' = 'VALIDATED',
): ToolResult {
  const message =
    approval === null
      ? 'Waiting for the approval of other calls in this batch.'
      : state === 'EXECUTING'
        ? 'The command has ended; what it changed waits for approval before it lands.'
        : 'Waiting for approval.'
  const error = toolError('approval_required', message, { approval }, [
    `Run tongs pending to see it; answer with tongs approve ${approval ?? 'ID'} or tongs deny ${approval ?? 'ID'}.`,
  ])
  return notice(call, error, state)
}

/** Returned instead of a result for a call that waits for its delegated conversation. */
export function conversingRow(call: NamedCall): ToolResult {
  const message = 'Waiting for its delegated conversation, which waits for an approval or for its model.'
  const error = toolError('approval_required', message, { approval: null }, [
    'Run tongs pending to see what it asks; after the answers, tongs run --continue goes on with it.',
  ])
  return notice(call, error, 'EXECUTING')
}

/** Returned instead of a result for a call that is held for a person to answer. */
export function heldRow({ call, judgement }: Step): ToolResult {
  return notice(call, judgement.error ?? toolError('held', 'Held.'))
}

function notice(
  call: NamedCall,
  error: ReturnType<typeof toolError>,
  state: 'VALIDATED' | 'EXECUTING' = 'VALIDATED',
): ToolResult {
  const execution = { id: call.execution, state, duration_ms: 0 } as const
  return presentFailure(call, { error, phase: 'before' }, execution)
}
