import type { RuleType } from '../../../config/rule-types.ts'
import type { RuleKind } from '../rule-kind.ts'

/** The part of a rule type that never says anything about a single call. */
export function unjudged<T extends RuleType>(): Pick<RuleKind<T>, 'lifetime' | 'concerns' | 'judge'> {
  return { lifetime: 'none', concerns: () => false, judge: () => null }
}
