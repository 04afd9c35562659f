import type { RuleSetting, RuleType } from '../../config/rule-types.ts'
import { allowedOperations } from './types/allowed-operations.ts'
import { alwaysDedupe } from './types/always-dedupe.ts'
import { continueLoop } from './types/continue-loop.ts'
import { cooldown } from './types/cooldown.ts'
import { exclusiveGroups } from './types/exclusive-groups.ts'
import { exitLoop } from './types/exit-loop.ts'
import { maxCalls } from './types/max-calls.ts'
import { needed } from './types/needed.ts'
import { neverDedupe } from './types/never-dedupe.ts'
import { periodic } from './types/periodic.ts'
import { requiredBeforeExitIf } from './types/required-before-exit-if.ts'
import { requiredBeforeExit } from './types/required-before-exit.ts'
import { requiresConsent } from './types/requires-consent.ts'
import { requiresFollowingTools } from './types/requires-following-tools.ts'
import { requiresPrecedingTools } from './types/requires-preceding-tools.ts'
import type { AnyRuleKind, RuleKind } from './rule-kind.ts'
import { startConstraint } from './types/start-constraint.ts'

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
