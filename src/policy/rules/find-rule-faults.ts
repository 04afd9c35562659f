import type { RuleSetting } from '../../config/rule-types.ts'
import { nearest } from '../../core/text/nearest.ts'
import { toJsonLine } from '../../core/text/escape-json.ts'
import { groupsOf } from './kinds/exclusive-groups.ts'
import { findPrecedingCycles } from './preceding-cycles.ts'
import { ANY_TOOL, enumerate } from './rule-kind.ts'

/** A rule and where it is written, such as `config.toml:12`; null where that is not known. */
export interface PlacedRule {
  readonly rule: RuleSetting
  readonly place: string | null
}

/** Rules that cannot all be kept, or that speak of nothing. */
export interface RuleFault {
  readonly kind: 'unknown_tool' | 'unnamed_tool' | 'start_in_exclusive_group' | 'preceding_cycle'
  readonly message: string
  /** The rules that clash, in the order they were given. */
  readonly rules: readonly PlacedRule[]
}

const NEEDS_A_NAME: ReadonlySet<string> = new Set([
  'StartConstraint',
  'RequiredBeforeExit',
  'RequiredBeforeExitIf',
  'Periodic',
])

/** Looks for rules that no sequence of calls could satisfy, and for tools that do not exist. */
export function findRuleFaults(
  rules: readonly PlacedRule[],
  toolNames: readonly string[],
): readonly RuleFault[] {
  const known = new Set(toolNames)
  return [
    ...rules.flatMap((placed) => findUnknownTools(placed, known)),
    ...rules.flatMap(findUnnamedTool),
    ...findStartsInGroups(rules),
    ...findCycles(rules, toolNames),
  ]
}

/** Every tool that a rule speaks of. */
function namesIn(rule: RuleSetting): readonly string[] {
  const others = 'tools' in rule ? rule.tools : 'groups' in rule ? rule.groups.flat() : []
  return [...new Set([...(rule.tool === ANY_TOOL ? [] : [rule.tool]), ...others])]
}

function findUnknownTools(placed: PlacedRule, known: ReadonlySet<string>): readonly RuleFault[] {
  return namesIn(placed.rule)
    .filter((name) => !known.has(name))
    .map((name) => {
      const near = nearest(name, known)
      const meant = near === null ? `Known are ${enumerate([...known])}.` : `Did you mean ${near}?`
      const message = `${cite(placed)} is about a tool that does not exist: ${toJsonLine(name)}. ${meant}`
      return { kind: 'unknown_tool', message, rules: [placed] }
    })
}

function findUnnamedTool(placed: PlacedRule): readonly RuleFault[] {
  const { rule } = placed
  if (rule.tool !== ANY_TOOL || !NEEDS_A_NAME.has(rule.type)) return []
  const message = `${cite(placed)} has to name its tool; "*" would mean nothing here.`
  return [{ kind: 'unnamed_tool', message, rules: [placed] }]
}

/** Each of several start tools has to succeed, and of a group only one may run. */
function findStartsInGroups(rules: readonly PlacedRule[]): readonly RuleFault[] {
  const starts = rules.filter(({ rule }) => rule.type === 'StartConstraint' && rule.tool !== ANY_TOOL)
  return rules.flatMap((placed): readonly RuleFault[] => {
    const { rule } = placed
    if (rule.type !== 'ExclusiveGroups') return []
    return groupsOf(rule).flatMap((group): readonly RuleFault[] => {
      const inGroup = starts.filter((start) => group.includes(start.rule.tool))
      const tools = [...new Set(inGroup.map((start) => start.rule.tool))]
      if (tools.length < 2) return []
      const message = `${enumerate(tools)} must all succeed at the start, and ${cite(placed)} lets only one of them run: ${enumerate(inGroup.map(cite))}.`
      return [{ kind: 'start_in_exclusive_group', message, rules: [...inGroup, placed] }]
    })
  })
}

function findCycles(rules: readonly PlacedRule[], toolNames: readonly string[]): readonly RuleFault[] {
  const order = new Map(rules.map((placed, index) => [placed.rule, { placed, index }]))
  const cycles = findPrecedingCycles(
    rules.map(({ rule }) => rule),
    toolNames,
  )
  return cycles.map(({ tools, rules: clashing }) => {
    const found = clashing
      .flatMap((rule) => order.get(rule) ?? [])
      .toSorted((one, other) => one.index - other.index)
      .map(({ placed }) => placed)
    const chain = [...tools, tools[0] ?? ''].join(' needs ')
    const message = `No call could ever be the first: ${chain}. It follows from ${enumerate(found.map(cite))}.`
    return { kind: 'preceding_cycle', message, rules: found }
  })
}

function cite({ rule, place }: PlacedRule): string {
  const where = place === null ? '' : ` (${place})`
  return `${rule.type} of ${rule.tool === ANY_TOOL ? 'every tool' : toJsonLine(rule.tool)}${where}`
}
