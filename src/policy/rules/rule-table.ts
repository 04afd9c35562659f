import type { RuleSetting, RuleType } from '../../config/rule-types.ts'
import { allowedOperations } from './allowed-operations.ts'
import { alwaysDedupe } from './always-dedupe.ts'
import { continueLoop } from './continue-loop.ts'
import { cooldown } from './cooldown.ts'
import { exclusiveGroups } from './exclusive-groups.ts'
import { exitLoop } from './exit-loop.ts'
import { maxCalls } from './max-calls.ts'
import { needed } from './needed.ts'
import { neverDedupe } from './never-dedupe.ts'
import { periodic } from './periodic.ts'
import { requiredBeforeExitIf } from './required-before-exit-if.ts'
import { requiredBeforeExit } from './required-before-exit.ts'
import { requiresConsent } from './requires-consent.ts'
import { requiresFollowingTools } from './requires-following-tools.ts'
import { requiresPrecedingTools } from './requires-preceding-tools.ts'
import type { AnyRuleKind, RuleKind } from './rule-kind.ts'
import { startConstraint } from './start-constraint.ts'

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

/** Every type of rule: first those about the pass, then the turn, then longer. Equal priorities are judged in this order. */
export const RULE_KINDS: Readonly<Record<RuleType, AnyRuleKind>> = KINDS

/** The rule as one plain sentence. */
export function describeRule(rule: RuleSetting): string {
  return RULE_KINDS[rule.type].sentence(rule)
}
