import { toolError } from '../../core/error.ts'
import type { Run } from '../engine.ts'
import type { Step } from '../step.ts'
import { refuse } from '../step.ts'

/** Settles a call that is not to begin any more; the reason of the signal says why. */
export function skipCall(step: Step, { reason }: AbortSignal): Step {
  const why = typeof reason === 'string' ? reason : 'the turn was told something else before this call began'
  const recovery = ['Ask for it again if it is still wanted.']
  return refuse(step, toolError('skipped', `Skipped: ${why}.`, {}, recovery), 'turn')
}

/** Nobody is asked about calls that will not begin whatever the answer is. */
export function skipOvertaken(steps: readonly Step[], { skip }: Run): readonly Step[] {
  if (!skip.aborted) return steps
  return steps.map((step) => (step.judgement.verdict === 'settle' ? step : skipCall(step, skip)))
}
