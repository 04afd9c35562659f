import { callsTool, isOfProject } from '../../config/rule-types.ts'
import type { RuleSetting } from '../../config/rule-types.ts'
import { canonicalJson } from '../../core/json/canonical.ts'
import type { JsonObject } from '../../core/json/value.ts'
import { groupsOf } from './kinds/exclusive-groups.ts'
import { ANY_TOOL, isAbout } from './rule-kind.ts'
import type { RuleBook, RuleLimits } from './rule-kind.ts'
import { RULE_KINDS } from './rule-table.ts'

const RANKS = new Map(Object.keys(RULE_KINDS).map((type, rank) => [type, rank]))

/** Sorts rules into the order they are judged in, and derives what follows from them. */
export function createRuleBook(settings: readonly RuleSetting[], limits: RuleLimits): RuleBook {
  const rules = sortRules(settings)
  const startTools = [...new Set(rules.flatMap(namedBy('StartConstraint')))]
  const exitRules = rules.flatMap((rule) =>
    (rule.type === 'RequiredBeforeExit' || rule.type === 'RequiredBeforeExitIf') && rule.tool !== ANY_TOOL
      ? [rule]
      : [],
  )
  const starting = new Set(
    rules.filter((rule) => callsTool(rule) && !isOfProject(rule)).map(({ tool }) => tool),
  )
  const exits = rules.filter(({ type }) => type === 'ExitLoop')
  const endsLoop = (tool: string): boolean => exits.some((rule) => isAbout(rule, tool))
  const continuing = rules.filter(({ type }) => type === 'ContinueLoop')
  const rests = rules.map((rule) => (rule.type === 'Cooldown' || rule.type === 'Periodic' ? rule.seconds : 0))
  const longestRestMs = Math.max(0, ...rests) * 1000
  const concerning = new Map<string, readonly RuleSetting[]>()
  return {
    rules,
    limits,
    startTools,
    exitRules,
    exclusiveGroups: new Map(
      rules.flatMap((rule) => (rule.type === 'ExclusiveGroups' ? [[rule, groupsOf(rule)] as const] : [])),
    ),
    longestRestMs,
    lookBackMs: Math.max(0, ...rules.map((rule) => lookBackOf(rule, longestRestMs, limits))),
    endsLoop,
    mayStart: (tool) => starting.has(tool),
    goesOn: (tool) => continuing.some((rule) => isAbout(rule, tool)),
    rulesFor(tool) {
      const known = concerning.get(tool)
      if (known !== undefined) return known
      const found = rules.filter((rule) =>
        RULE_KINDS[rule.type].concerns(rule, tool, { startTools, endsLoop }),
      )
      concerning.set(tool, found)
      return found
    },
  }
}

/**
 * Whether calls of a tool may run in parallel with others: not if a rule depends on the calls before them, whose
 * outcome is known only once they have ended.
 */
export function mayRunInParallel(book: RuleBook, tool: string): boolean {
  const isLookingBack = book.rulesFor(tool).some(({ type }) => RULE_KINDS[type].lifetime !== 'none')
  return !isLookingBack && !book.rules.some((rule) => rule.type === 'AlwaysDedupe' && isAbout(rule, tool))
}

function lookBackOf({ type }: RuleSetting, longestRestMs: number, { dedupeWindowMs }: RuleLimits): number {
  if (type === 'Cooldown') return longestRestMs
  if (type === 'AlwaysDedupe') return dedupeWindowMs
  // A scheduled call joins the newest turn, which may be a while ago.
  return type === 'Periodic' ? Math.max(dedupeWindowMs, longestRestMs) : 0
}

/** Higher priority first; ties are broken by kind and then by text, so that input order does not matter. */
function sortRules(rules: readonly RuleSetting[]): readonly RuleSetting[] {
  const keyed = rules.map((rule) => ({
    rule,
    rank: RANKS.get(rule.type) ?? 0,
    text: canonicalJson(rule as JsonObject),
  }))
  return keyed
    .toSorted(
      (one, other) =>
        other.rule.priority - one.rule.priority ||
        one.rank - other.rank ||
        (one.text < other.text ? -1 : one.text > other.text ? 1 : 0),
    )
    .map(({ rule }) => rule)
}

function namedBy(type: RuleSetting['type']): (rule: RuleSetting) => readonly string[] {
  return (rule) => (rule.type === type && rule.tool !== ANY_TOOL ? [rule.tool] : [])
}
