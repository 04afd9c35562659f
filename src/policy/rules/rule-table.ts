import type { RuleSetting, RuleType } from '../../config/rule-types.ts'
import { allowedOperations } from './kinds/allowed-operations.ts'
import { alwaysDedupe } from './kinds/always-dedupe.ts'
import { continueLoop } from './kinds/continue-loop.ts'
import { cooldown } from './kinds/cooldown.ts'
import { exclusiveGroups } from './kinds/exclusive-groups.ts'
import { exitLoop } from './kinds/exit-loop.ts'
import { maxCalls } from './kinds/max-calls.ts'
import { needed } from './kinds/needed.ts'
import { neverDedupe } from './kinds/never-dedupe.ts'
import { periodic } from './kinds/periodic.ts'
import { requiredBeforeExitIf } from './kinds/required-before-exit-if.ts'
import { requiredBeforeExit } from './kinds/required-before-exit.ts'
import { requiresConsent } from './kinds/requires-consent.ts'
import { requiresFollowingTools } from './kinds/requires-following-tools.ts'
import { requiresPrecedingTools } from './kinds/requires-preceding-tools.ts'
import type { AnyRuleKind, RuleKind } from './rule-kind.ts'
import { startConstraint } from './kinds/start-constraint.ts'

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
