import { toolError } from '../../core/error.ts'
import type { Run } from '../engine.ts'
import type { Step } from '../step.ts'
import { refuse } from '../step.ts'

/** Settles a call that must no longer start; the reason of the signal says why. */
export function skipCall(step: Step, { reason }: AbortSignal): Step {
  const why = typeof reason === 'string' ? reason : 'new instructions arrived before this call started'
  const recovery = ['Request it again if it is still needed.']
  return refuse(step, toolError('skipped', `Skipped: ${why}.`, {}, recovery), 'turn')
}

const STOPPED = toolError(
  'skipped',
  'Skipped: an earlier call in this batch failed, and tools.on_execution_error is stop.',
)

/** Settles a call that comes after a failed one in a batch that stops there. */
export function stopCall(step: Step): Step {
  return refuse(step, STOPPED, 'earlier calls')
}

/** Settles the calls after the first settled one if the configuration says to stop there. */
export function skipAfterSettled(steps: readonly Step[], { engine }: Run): readonly Step[] {
  if (engine.settings['tools.on_execution_error'] !== 'stop') return steps
  const first = steps.findIndex(({ judgement }) => judgement.verdict === 'settle')
  return first < 0 ? steps : steps.map((step, index) => (index > first ? stopCall(step) : step))
}

/** Skips calls before approval, so that the approver is not asked about calls that will not start. */
export function skipOvertaken(steps: readonly Step[], { skip }: Run): readonly Step[] {
  if (!skip.aborted) return steps
  return steps.map((step) => (step.judgement.verdict === 'settle' ? step : skipCall(step, skip)))
}
