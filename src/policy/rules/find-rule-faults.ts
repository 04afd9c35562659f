import { callsTool } from '../../config/rule-types.ts'
import type { RuleSetting } from '../../config/rule-types.ts'
import { nearest } from '../../core/text/nearest.ts'
import { toJsonLine } from '../../core/text/escape-json.ts'
import { groupsOf } from './kinds/exclusive-groups.ts'
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

/** Finds rules that no sequence of calls could satisfy, and tools that do not exist. */
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

/** Every tool that a rule names. */
function namesIn(rule: RuleSetting): readonly string[] {
  const others = 'tools' in rule ? rule.tools : 'groups' in rule ? rule.groups.flat() : []
  return [...new Set([...(rule.tool === ANY_TOOL ? [] : [rule.tool]), ...others])]
}

function findUnknownTools(placed: PlacedRule, known: ReadonlySet<string>): readonly RuleFault[] {
  return namesIn(placed.rule)
    .filter((name) => !known.has(name))
    .map((name) => {
      const near = nearest(name, known)
      const meant = near === null ? `Known: ${enumerate([...known])}.` : `Did you mean ${near}?`
      const message = `${cite(placed)} is about a tool that does not exist: ${toJsonLine(name)}. ${meant}`
      return { kind: 'unknown_tool', message, rules: [placed] }
    })
}

function findUnnamedTool(placed: PlacedRule): readonly RuleFault[] {
  const { rule } = placed
  if (rule.tool !== ANY_TOOL || !callsTool(rule)) return []
  const message = `${cite(placed)} has to name its tool; "*" would mean nothing here.`
  return [{ kind: 'unnamed_tool', message, rules: [placed] }]
}

/** Every start tool must succeed, but only one tool of a group may run. */
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

/** Tools that wait for one another in a circle, and the rules that cause it. */
interface PrecedingCycle {
  readonly tools: readonly string[]
  readonly rules: readonly RuleSetting[]
}

/** For each tool, the tools it waits for and the rule behind each. */
type Graph = ReadonlyMap<string, ReadonlyMap<string, RuleSetting>>

/** Finds one cycle for each group of tools that wait for one another. All other tools wait for a start tool. */
function findPrecedingCycles(
  rules: readonly RuleSetting[],
  toolNames: readonly string[],
): readonly PrecedingCycle[] {
  const graph = drawGraph(rules, toolNames)
  const cycles: PrecedingCycle[] = []
  const caught = new Set<string>()
  for (const tool of [...graph.keys()].toSorted()) {
    if (caught.has(tool)) continue
    const tools = findWayBack(graph, tool, caught)
    if (tools === null) continue
    for (const member of tools) caught.add(member)
    const used = tools.flatMap((member, index) => {
      const next = tools[(index + 1) % tools.length] ?? member
      return graph.get(member)?.get(next) ?? []
    })
    cycles.push({ tools, rules: [...new Set(used)] })
  }
  return cycles
}

function drawGraph(rules: readonly RuleSetting[], toolNames: readonly string[]): Graph {
  const starts = new Set(rules.flatMap(({ type, tool }) => (type === 'StartConstraint' ? [tool] : [])))
  const names = new Set(toolNames)
  for (const rule of rules) {
    for (const name of [rule.tool, ...('tools' in rule ? rule.tools : [])]) names.add(name)
  }
  names.delete(ANY_TOOL)
  const graph = new Map<string, Map<string, RuleSetting>>()
  const connect = (from: string, to: string, rule: RuleSetting): void => {
    const edges = graph.get(from) ?? new Map<string, RuleSetting>()
    graph.set(from, edges)
    if (!edges.has(to)) edges.set(to, rule)
  }
  for (const rule of rules) {
    if (rule.type === 'RequiresPrecedingTools') {
      const waiting =
        rule.tool === ANY_TOOL ? [...names].filter((name) => !rule.tools.includes(name)) : [rule.tool]
      for (const from of waiting) for (const to of rule.tools) connect(from, to, rule)
    } else if (rule.type === 'StartConstraint' && rule.tool !== ANY_TOOL) {
      for (const from of names) if (!starts.has(from)) connect(from, rule.tool, rule)
    }
  }
  return graph
}

/** The shortest path from a tool back to itself, avoiding those already in a reported cycle. */
function findWayBack(graph: Graph, start: string, caught: ReadonlySet<string>): readonly string[] | null {
  const cameFrom = new Map<string, string>()
  const queue = [start]
  for (const tool of queue) {
    for (const next of graph.get(tool)?.keys() ?? []) {
      if (next === start) return trace(cameFrom, start, tool)
      if (caught.has(next) || cameFrom.has(next)) continue
      cameFrom.set(next, tool)
      queue.push(next)
    }
  }
  return null
}

function trace(cameFrom: ReadonlyMap<string, string>, start: string, end: string): readonly string[] {
  const way = [end]
  for (let tool = end; tool !== start;) {
    tool = cameFrom.get(tool) ?? start
    way.push(tool)
  }
  return way.toReversed()
}
