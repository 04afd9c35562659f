import type { RuleSetting, RuleType } from '../../config/rule-types.ts'
import { allowedOperations } from './kinds/allowed-operations.ts'
import { alwaysDedupe, continueLoop, exitLoop, needed, neverDedupe } from './kinds/steering-rules.ts'
import { cooldown, maxCalls, periodic } from './kinds/rate-rules.ts'
import { exclusiveGroups } from './kinds/exclusive-groups.ts'
import { requiredBeforeExit, requiredBeforeExitIf } from './kinds/exit-rules.ts'
import { requiresConsent } from './kinds/requires-consent.ts'
import { requiresFollowingTools, requiresPrecedingTools, startConstraint } from './kinds/order-rules.ts'
import type { AnyRuleKind, RuleKind } from './rule-kind.ts'

const KINDS: { readonly [T in RuleType]: RuleKind<T> } = {
  StartConstraint: startConstraint,
  RequiresPrecedingTools: requiresPrecedingTools,
  RequiresFollowingTools: requiresFollowingTools,
  RequiredBeforeExit: requiredBeforeExit,
  RequiredBeforeExitIf: requiredBeforeExitIf,
  ExitLoop: exitLoop,
  ContinueLoop: continueLoop,
  MaxCalls: maxCalls,
  ExclusiveGroups: exclusiveGroups,
  AllowedOperations: allowedOperations,
  Cooldown: cooldown,
  Periodic: periodic,
  RequiresConsent: requiresConsent,
  AlwaysDedupe: alwaysDedupe,
  NeverDedupe: neverDedupe,
  Needed: needed,
}

/**
 * Every rule type: first those about the pass, then the turn, then longer. Equal priorities are judged in this order.
 */
export const RULE_KINDS: Readonly<Record<RuleType, AnyRuleKind>> = KINDS

/** The rule as one plain sentence. */
export function describeRule(rule: RuleSetting): string {
  return RULE_KINDS[rule.type].sentence(rule)
}
