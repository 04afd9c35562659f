import { callsTool } from '../../config/rule-types.ts'
import type { RuleSetting } from '../../config/rule-types.ts'
import { nearest } from '../../core/text/nearest.ts'
import { toJsonLine } from '../../core/text/escape-json.ts'
import { elideMiddle } from '../../core/text/truncate.ts'
import { groupsOf } from './kinds/exclusive-groups.ts'
import { findPrecedingCycles } from './preceding-cycles.ts'
import { ANY_TOOL, enumerate } from './rule-kind.ts'

/** A rule and where it is written, such as `config.toml:12`; null if unknown. */
export interface PlacedRule {
  readonly rule: RuleSetting
  readonly place: string | null
}

/** Rules that conflict, or that name tools that do not exist. */
export interface RuleFault {
  readonly kind: 'unknown_tool' | 'unnamed_tool' | 'start_in_exclusive_group' | 'preceding_cycle'
  readonly message: string
  /** The conflicting rules, in the order they were given. */
  readonly rules: readonly PlacedRule[]
}

/** More faults than anyone reads. The rules may come from an untrusted project, and wording a million would take long. */
const MOST_FAULTS = 20
const MOST_NAMED = 10
const LONGEST_NAME = 200

/**
 * Finds rules that no sequence of calls could satisfy, and tools that do not exist: the first of them, in time linear in the
 * size of the rules.
 */
export function findRuleFaults(
  rules: readonly PlacedRule[],
  toolNames: readonly string[],
): readonly RuleFault[] {
  const faults: RuleFault[] = []
  for (const fault of findAll(rules, toolNames)) {
    faults.push(fault)
    if (faults.length === MOST_FAULTS) break
  }
  return faults
}

function* findAll(rules: readonly PlacedRule[], toolNames: readonly string[]): Iterable<RuleFault> {
  const known = new Set(toolNames)
  for (const placed of rules) yield* findUnknownTools(placed, known)
  for (const placed of rules) yield* findUnnamedTool(placed)
  yield* findStartsInGroups(rules)
  yield* findCycles(rules, toolNames)
}

/** Every tool that a rule names. */
function namesIn(rule: RuleSetting): ReadonlySet<string> {
  const others = 'tools' in rule ? rule.tools : 'groups' in rule ? rule.groups.flat() : []
  return new Set([...(rule.tool === ANY_TOOL ? [] : [rule.tool]), ...others])
}

function* findUnknownTools(placed: PlacedRule, known: ReadonlySet<string>): Iterable<RuleFault> {
  for (const name of namesIn(placed.rule)) {
    if (known.has(name)) continue
    const near = nearest(name, known)
    const meant = near === null ? `Known: ${enumerate([...known])}.` : `Did you mean ${near}?`
    const message = `${cite(placed)} is about a tool that does not exist: ${showName(name)}. ${meant}`
    yield { kind: 'unknown_tool', message, rules: [placed] }
  }
}

function* findUnnamedTool(placed: PlacedRule): Iterable<RuleFault> {
  const { rule } = placed
  if (rule.tool !== ANY_TOOL || !callsTool(rule)) return
  const message = `${cite(placed)} has to name its tool; "*" would mean nothing here.`
  yield { kind: 'unnamed_tool', message, rules: [placed] }
}

/** Every start tool must succeed, but only one tool of a group may run. */
function* findStartsInGroups(rules: readonly PlacedRule[]): Iterable<RuleFault> {
  const starts = new Map<string, PlacedRule>()
  for (const placed of rules) {
    const { type, tool } = placed.rule
    if (type === 'StartConstraint' && tool !== ANY_TOOL && !starts.has(tool)) starts.set(tool, placed)
  }
  const order = new Map([...starts.keys()].map((tool, index) => [tool, index]))
  const place = (tool: string): number => order.get(tool) ?? 0
  for (const placed of rules) {
    const { rule } = placed
    if (rule.type !== 'ExclusiveGroups') continue
    for (const group of groupsOf(rule)) {
      const tools = group.filter((tool) => starts.has(tool)).toSorted((one, two) => place(one) - place(two))
      if (tools.length < 2) continue
      const inGroup = tools.flatMap((tool) => starts.get(tool) ?? [])
      const message = `${nameSome(tools)} must all succeed at the start, and ${cite(placed)} lets only one of them run: ${nameSome(inGroup.map(cite))}.`
      yield { kind: 'start_in_exclusive_group', message, rules: [...inGroup, placed] }
    }
  }
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
    const shown = tools.length > MOST_NAMED ? [...tools.slice(0, MOST_NAMED - 1), '…'] : tools
    const chain = [...shown, tools[0] ?? ''].map((tool) => elideMiddle(tool, LONGEST_NAME)).join(' needs ')
    const message = `No call could ever be the first: ${chain}. It follows from ${nameSome(found.map(cite))}.`
    return { kind: 'preceding_cycle', message, rules: found }
  })
}

function cite({ rule, place }: PlacedRule): string {
  const where = place === null ? '' : ` (${place})`
  return `${rule.type} of ${rule.tool === ANY_TOOL ? 'every tool' : showName(rule.tool)}${where}`
}

function showName(name: string): string {
  return toJsonLine(elideMiddle(name, LONGEST_NAME))
}

function nameSome(names: readonly string[]): string {
  if (names.length <= MOST_NAMED) return enumerate(names)
  return enumerate([...names.slice(0, MOST_NAMED), `${names.length - MOST_NAMED} more`])
}
