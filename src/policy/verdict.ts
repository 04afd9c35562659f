import type { ToolError } from '../core/error.ts'
import type { Grant } from '../core/grant.ts'

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
