import type { Step } from '../step.ts'
import type { Ending } from './ending.ts'
import type { Consent } from './recheck.ts'
import type { Attempt } from './run-tool.ts'

/** An attempt at a call that was judged and may run. */
export interface ReadyAttempt extends Attempt {
  readonly step: Step
  readonly consent: Consent
  readonly batch: string
  /** Epoch milliseconds. */
  readonly startedAt: number
}

/** How an attempt ended, with the findings added meanwhile and the consent that a further attempt starts from. */
export interface Outcome extends Pick<
  Ending,
  | 'step'
  | 'end'
  | 'grant'
  | 'durationMs'
  | 'hidden'
  | 'findKeyLines'
  | 'parked'
  | 'layer'
  | 'dropped'
  | 'isConversing'
> {
  readonly consent: Consent
}
