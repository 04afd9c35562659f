import type { ToolError } from '../../core/error.ts'
import type { Grant } from '../../core/grant.ts'
import { repeating } from '../../core/repeating.ts'

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

/** Makes a way to let calls pass with a fact made of two values; most calls find a gate as the one before them did. */
export function passingBy<One, Other>(say: (one: One, other: Other) => string) {
  return repeating((one: One, other: Other) => pass(say(one, other)))
}

/** Wants a person's answer before the call runs. */
export function ask(fact: string): Verdict {
  return { is: 'ask', fact }
}

/** Ends the call here. */
export function settleWith(fact: string, error: ToolError): Verdict {
  return { is: 'settle', fact, error }
}
