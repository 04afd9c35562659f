import type { RuleSetting } from '../../../src/config/rule-types.ts'
import { foldPastCall } from '../../../src/policy/rules/fold-history.ts'
import { decideByRules, judgeRules } from '../../../src/policy/rules/judge-rules.ts'
import type { PastCall } from '../../../src/policy/rules/past-call.ts'
import { createRuleBook } from '../../../src/policy/rules/rule-book.ts'
import type { RuleBook, RuleFacts, RuleLimits } from '../../../src/policy/rules/rule-kind.ts'
import { NO_HISTORY } from '../../../src/policy/rules/rule-state.ts'
import type { RuleState } from '../../../src/policy/rules/rule-state.ts'

type Distributed<T> = T extends unknown ? Omit<T, 'priority'> & { readonly priority?: number } : never

/** A rule whose priority may be left out. */
export type ShortRule = Distributed<RuleSetting>

export const LIMITS: RuleLimits = {
  dedupeWindowMs: 300_000,
  turnMaxAgeMs: 604_800_000,
  maxIdenticalFailures: 3,
  requirePermissions: true,
}

/** Fills in what was left out. */
export function fullRules(rules: readonly ShortRule[]): readonly RuleSetting[] {
  return rules.map((rule) => ({ priority: 0, ...rule }) as RuleSetting)
}

export function bookOf(rules: readonly ShortRule[], limits: Partial<RuleLimits> = {}): RuleBook {
  return createRuleBook(fullRules(rules), { ...LIMITS, ...limits })
}

/** What must come first, what must come before the end, and what ends it. */
export const loop = bookOf([
  { tool: 'start', type: 'StartConstraint' },
  { tool: 'clean', type: 'RequiredBeforeExit' },
  { tool: 'done', type: 'ExitLoop' },
])

/** A call of an external tool without arguments, as a rule sees it. */
export function factsOf(tool: string, more: Partial<RuleFacts> = {}): RuleFacts {
  return {
    execution: 'now',
    turn: 't1',
    tool,
    effect: 'external',
    repeatable: false,
    args: {},
    inputSchema: { type: 'object', properties: {} },
    argsDigest: 'd0',
    workspaceCounter: 0,
    bareTools: new Set(),
    mayRunFirst: true,
    ...more,
  }
}

let executions = 0

/** A call that succeeded, unless said otherwise. */
export function pastOf(tool: string, more: Partial<PastCall> = {}): PastCall {
  executions += 1
  return {
    execution: `e${executions}`,
    turn: 't1',
    pass: 'p1',
    tool,
    effect: 'external',
    repeatable: false,
    argsDigest: 'd0',
    ok: true,
    code: null,
    at: 1000,
    hasRun: true,
    origin: 'model',
    workspaceCounter: 0,
    rule: null,
    ...more,
  }
}

/** The state after these calls. */
export function foldAll(book: RuleBook, ...calls: readonly PastCall[]): RuleState {
  return calls.reduce((state, past) => foldPastCall(state, past, book), NO_HISTORY)
}

/** Why a call would be refused by rules, or null. */
export function refusalOf(
  book: RuleBook,
  state: RuleState,
  tool: string,
  now: number,
  turn = 't1',
): string | null {
  const decision = decideByRules(judgeRules(book, state, factsOf(tool, { turn }), now))
  return decision.is === 'refused' ? decision.violation.reason : null
}
