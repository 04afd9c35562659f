import { toolError } from '../../../core/error.ts'
import type { Outcome } from '../ready-attempt.ts'

/** The outcome of a call whose conversation waits; it is not recorded, as the call has no result yet. */
export function conversingOutcome(outcome: Pick<Outcome, 'step' | 'consent' | 'durationMs'>): Outcome {
  const error = toolError('approval_required', 'Waiting for its delegated conversation.')
  return { ...outcome, end: { ok: false, error, seen: [], phase: 'running' }, isConversing: true }
}
