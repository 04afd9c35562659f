import type { Settings } from '../../config/keys.ts'
import type { CallFacts } from '../facts.ts'
import type { Verdict } from './verdict.ts'

/** One question of the policy: a name for people, and a pure judgement over facts and settings. */
export interface Gate {
  readonly name: string
  /** Whether a call that has passed counts as validated; what stops it later was authorisation. */
  readonly validates?: true
  readonly judge: (facts: CallFacts, settings: Settings) => Verdict
}
