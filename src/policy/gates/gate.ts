import type { Settings } from '../../config/keys.ts'
import type { CallFacts } from '../facts.ts'
import type { ToolError } from '../../core/error.ts'
import type { Grant } from '../../core/grant.ts'

/** One check of the policy: a name, and a pure judgement over facts and settings. */
export interface Gate {
  readonly name: string
  /** Whether a call that has passed counts as validated; whatever stops it later is about authorisation. */
  readonly validates?: true
  readonly judge: (facts: CallFacts, settings: Settings) => Verdict
}

/** What a gate says: the call passes, needs approval, or is settled. */
export type Verdict =
  | {
      readonly is: 'pass'
      readonly fact: string
      /** The grant without which a person would have been asked. */
      readonly grant?: Grant
    }
  | { readonly is: 'ask'; readonly fact: string }
  | { readonly is: 'settle'; readonly fact: string; readonly error: ToolError }

/** Lets the call pass. */
export function pass(fact: string): Verdict {
  return { is: 'pass', fact }
}

/** Requires a person's answer before the call runs. */
export function ask(fact: string): Verdict {
  return { is: 'ask', fact }
}

/** Ends the call here. */
export function settleWith(fact: string, error: ToolError): Verdict {
  return { is: 'settle', fact, error }
}
