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

/** Skips calls before approval, so that the approver is not asked about calls that will not start. */
export function skipOvertaken(steps: readonly Step[], { skip }: Run): readonly Step[] {
  if (!skip.aborted) return steps
  return steps.map((step) => (step.judgement.verdict === 'settle' ? step : skipCall(step, skip)))
}
