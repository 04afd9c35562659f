import type { RuleSetting } from '../../config/rule-types.ts'
import { ANY_TOOL } from './rule-kind.ts'

/** Tools that wait for one another, each for the next and the last for the first, and the rules that make them. */
export interface PrecedingCycle {
  readonly tools: readonly string[]
  readonly rules: readonly RuleSetting[]
}

/** For each tool what it waits for, and by which rule. */
type Graph = ReadonlyMap<string, ReadonlyMap<string, RuleSetting>>

/** Finds a cycle for each knot of tools that wait for one another. A start tool is something all others wait for. */
export function findPrecedingCycles(
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

/** The shortest way from a tool back to itself, not through those already caught. */
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
