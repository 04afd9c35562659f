import { toolError } from '../../core/error.ts'
import type { ToolResult } from '../../core/result.ts'
import { presentFailure } from '../present.ts'
import type { Received, Step } from '../step.ts'

type NamedCall = Pick<Received, 'execution' | 'id' | 'name'>

/** Stands in the result's place of a call that waits: for the answer with this id, or for other calls of its batch. */
export function waitingRow(call: NamedCall, approval: string | null): ToolResult {
  const message =
    approval === null ? 'Waiting for the approval of other calls in this batch.' : 'Waiting for approval.'
  const error = toolError('approval_required', message, { approval }, [
    `See tongs pending; answer with tongs approve ${approval ?? 'ID'} or tongs deny ${approval ?? 'ID'}.`,
  ])
  return notice(call, error)
}

/** Stands in the result's place of a call that is held for a person to answer. */
export function heldRow({ call, judgement }: Step): ToolResult {
  return notice(call, judgement.error ?? toolError('held', 'Held.'))
}

function notice(call: NamedCall, error: ReturnType<typeof toolError>): ToolResult {
  const execution = { id: call.execution, state: 'VALIDATED', duration_ms: 0 } as const
  return presentFailure(call, { error, phase: 'before' }, execution)
}
