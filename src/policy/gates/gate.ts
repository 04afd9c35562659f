import type { Settings } from '../../config/keys.ts'
import type { CallFacts } from '../facts.ts'
import type { ToolError } from '../../core/error.ts'
import type { Grant } from '../../core/grant.ts'

/** One check of the policy: a name, and a pure function of facts and settings. */
export interface Gate {
  readonly name: string
  /** Whether a call that passes this gate counts as validated; anything that stops it later is about authorization. */
  readonly validates?: true
  readonly judge: (facts: CallFacts, settings: Settings, recall: Recall) => Verdict
}

/**
 * Makes something of two values, or hands out what was last made of the same two: most calls pass a gate for the same
 * reason as the call before, in the same words. What is made must depend on nothing else.
 */
export type Recall = <One, Other, Made>(
  make: (one: One, other: Other) => Made,
  one: One,
  other: Other,
) => Made

/** Remembers nothing. */
export const makeAnew: Recall = (make, one, other) => make(one, other)

/** A gate's decision: the call passes, needs approval, or is settled. */
export type Verdict =
  | {
      readonly is: 'pass'
      readonly fact: string
      /** The grant that made asking unnecessary. */
      readonly grant?: Grant
    }
  | {
      readonly is: 'ask'
      readonly fact: string
      /**
       * Set if the question is what the call has changed, before that lands, instead of whether it may run, or both. A
       * yes to one does not answer the other.
       */
      readonly when?: 'landing' | 'both'
    }
  | { readonly is: 'settle'; readonly fact: string; readonly error: ToolError }

/** Lets the call pass. */
export function pass(fact: string): Verdict {
  return { is: 'pass', fact }
}

/** Requires a person's answer before the call runs. */
export function ask(fact: string): Verdict {
  return { is: 'ask', fact }
}

/** Requires a person's answer to what the call has changed, before it lands. */
export function askAtLanding(fact: string): Verdict {
  return { is: 'ask', fact, when: 'landing' }
}

/** Requires a person's answer before the call runs, and another one to what it has changed. */
export function askTwice(fact: string): Verdict {
  return { is: 'ask', fact, when: 'both' }
}

/** Ends the call here. */
export function settleWith(fact: string, error: ToolError): Verdict {
  return { is: 'settle', fact, error }
}
