import type { Settings } from '../../config/keys.ts'
import type { CallFacts } from '../facts.ts'
import type { ToolError } from '../../core/error.ts'
import type { Grant } from '../../core/grant.ts'

/** One question of the policy: a name for people, and a pure judgement over facts and settings. */
export interface Gate {
  readonly name: string
  /** Whether a call that has passed counts as validated; what stops it later was authorisation. */
  readonly validates?: true
  readonly judge: (facts: CallFacts, settings: Settings) => Verdict
}

/** What a gate says: it lets the call pass, wants a person asked, or settles it. */
export type Verdict =
  | {
      readonly is: 'pass'
      readonly fact: string
      /** The grant but for which a person would have been asked. */
      readonly grant?: Grant
    }
  | { readonly is: 'ask'; readonly fact: string }
  | { readonly is: 'settle'; readonly fact: string; readonly error: ToolError }

/** Lets the call go on. */
export function pass(fact: string): Verdict {
  return { is: 'pass', fact }
}

/** Wants a person's answer before the call runs. */
export function ask(fact: string): Verdict {
  return { is: 'ask', fact }
}

/** Ends the call here. */
export function settleWith(fact: string, error: ToolError): Verdict {
  return { is: 'settle', fact, error }
}
