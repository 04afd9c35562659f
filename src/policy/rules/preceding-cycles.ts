import type { RuleSetting } from '../../config/rule-types.ts'
import { ANY_TOOL } from './rule-kind.ts'

/** Tools that wait for one another in a circle, and the rules that cause it. */
export interface PrecedingCycle {
  readonly tools: readonly string[]
  readonly rules: readonly RuleSetting[]
}

/** A tool that has to succeed first, and the rule that wants it. */
interface Need {
  readonly tool: string
  readonly rule: RuleSetting
}

/** Tools that all others wait for, each with the rule that wants it. They do not wait for each other. */
type Barrier = ReadonlyMap<string, RuleSetting>

/** Who waits for what. A barrier stands for the edges between all of its tools and all others, so this is as large as the rules are. */
interface Waiting {
  readonly names: ReadonlySet<string>
  readonly needs: ReadonlyMap<string, readonly Need[]>
  readonly barriers: readonly Barrier[]
}

/**
 * Finds circles of tools that wait for one another, in time and memory linear in the size of the rules, which an untrusted
 * project may have written. What cannot run sooner or later waits for something that cannot either; following that
 * leads into a circle.
 */
export function findPrecedingCycles(
  rules: readonly RuleSetting[],
  toolNames: readonly string[],
): readonly PrecedingCycle[] {
  const waiting = readWaiting(rules, toolNames)
  const stuck = findStuck(waiting)
  if (stuck.length === 0) return []
  const needOf = findObstacles(waiting, new Set(stuck))
  const seen = new Set<string>()
  const cycles: PrecedingCycle[] = []
  for (const start of stuck.toSorted()) {
    const way = new Map<string, Need>()
    let tool = start
    for (let need = needOf(tool); need !== null && !seen.has(tool); need = needOf(tool)) {
      seen.add(tool)
      way.set(tool, need)
      tool = need.tool
    }
    // Otherwise it ended in an earlier way, whose circle is known.
    if (way.has(tool)) cycles.push(cutCycle(way, tool))
  }
  return cycles
}

function readWaiting(rules: readonly RuleSetting[], toolNames: readonly string[]): Waiting {
  const names = new Set(toolNames)
  const needs = new Map<string, Need[]>()
  const starts = new Map<string, RuleSetting>()
  const barriers: Barrier[] = [starts]
  for (const rule of rules) {
    names.add(rule.tool)
    if (rule.type === 'StartConstraint' && rule.tool !== ANY_TOOL && !starts.has(rule.tool))
      starts.set(rule.tool, rule)
    if (rule.type !== 'RequiresPrecedingTools') continue
    for (const tool of rule.tools) names.add(tool)
    if (rule.tool === ANY_TOOL) barriers.push(new Map(rule.tools.map((tool) => [tool, rule])))
    else for (const tool of rule.tools) push(needs, rule.tool, { tool, rule })
  }
  names.delete(ANY_TOOL)
  return { names, needs, barriers: barriers.filter(({ size }) => size > 0) }
}

/** The tools that can never run, by running whatever can until nothing is left. */
function findStuck({ names, needs, barriers }: Waiting): readonly string[] {
  const waitingFor = new Map<string, string[]>()
  const unmet = new Map<string, number>()
  for (const [tool, own] of needs) {
    unmet.set(tool, own.length)
    for (const need of own) push(waitingFor, need.tool, tool)
  }
  const barriersOf = new Map<string, number[]>()
  const left = barriers.map(({ size }) => size)
  for (const [index, barrier] of barriers.entries())
    for (const tool of barrier.keys()) push(barriersOf, tool, index)
  // Barriers that a tool is part of stay up until it has run, so it may pass once there are no others.
  let standing = barriers.length
  const exemptFrom = (tool: string): number => barriersOf.get(tool)?.length ?? 0
  const byExemption = new Map<number, string[]>()
  for (const tool of names) push(byExemption, exemptFrom(tool), tool)

  const ran = new Set<string>()
  const queue: string[] = []
  const runIfReady = (tool: string): void => {
    if (ran.has(tool) || (unmet.get(tool) ?? 0) > 0 || exemptFrom(tool) !== standing) return
    ran.add(tool)
    queue.push(tool)
  }
  for (const tool of byExemption.get(standing) ?? []) runIfReady(tool)
  for (const tool of queue) {
    for (const other of waitingFor.get(tool) ?? []) {
      unmet.set(other, (unmet.get(other) ?? 0) - 1)
      runIfReady(other)
    }
    for (const index of barriersOf.get(tool) ?? []) {
      left[index] = (left[index] ?? 0) - 1
      if (left[index] > 0) continue
      standing--
      for (const other of byExemption.get(standing) ?? []) runIfReady(other)
    }
  }
  return [...names].filter((tool) => !ran.has(tool))
}

/** For a tool that can never run, one that it waits for and that can never run either. */
function findObstacles(
  { needs, barriers }: Waiting,
  stuck: ReadonlySet<string>,
): (tool: string) => Need | null {
  const standing = barriers.flatMap((barrier) => {
    const held = [...barrier].find(([tool]) => stuck.has(tool))
    return held === undefined ? [] : [{ barrier, need: { tool: held[0], rule: held[1] } }]
  })
  return (tool) =>
    needs.get(tool)?.find((need) => stuck.has(need.tool)) ??
    standing.find(({ barrier }) => !barrier.has(tool))?.need ??
    null
}

/** The circle that a tool on the way is part of, from the tool that comes first by name. */
function cutCycle(way: ReadonlyMap<string, Need>, start: string): PrecedingCycle {
  const steps = [...way]
  const circle = steps.slice(steps.findIndex(([tool]) => tool === start))
  const [first = start] = circle.map(([tool]) => tool).toSorted()
  const turn = circle.findIndex(([tool]) => tool === first)
  const turned = [...circle.slice(turn), ...circle.slice(0, turn)]
  return {
    tools: turned.map(([tool]) => tool),
    rules: [...new Set(turned.map(([, need]) => need.rule))],
  }
}

function push<Key, Item>(lists: Map<Key, Item[]>, key: Key, item: Item): void {
  const list = lists.get(key)
  if (list === undefined) lists.set(key, [item])
  else list.push(item)
}
