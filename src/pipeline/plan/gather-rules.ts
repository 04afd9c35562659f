import type { Effect, Tool } from '../../core/tool.ts'
import type { CallFacts, RuleFact } from '../../policy/facts.ts'
import { findMissingExits } from '../../policy/rules/kinds/exit-rules.ts'
import type { RuleState } from '../../policy/rules/rule-state.ts'
import { findMissingStarts } from '../../policy/rules/kinds/order-rules.ts'
import type { Run } from '../engine.ts'
import type { Received } from '../step.ts'
import { judgeByRules } from '../memory/rule-history.ts'

/** What the rules say about a call, and what they remembered when they said it. */
export interface Ruled {
  readonly fact: RuleFact
  readonly basis: RuleState
}

interface Subject {
  readonly tool: Tool
  readonly effect: Effect
  readonly call: Received
  /** What was said of it before; absent where it is judged for the first time. */
  readonly planned?: { readonly facts: CallFacts; readonly basis?: RuleState | null } | undefined
}

/** What the rules say; calls of tools that no rule looks at are not worth looking back for. */
export function gatherRules(
  { tool, effect, call, planned }: Subject,
  assumed: RuleState | null,
  mayRunByItself: (tool: string) => boolean,
  run: Run,
): Ruled | null {
  const { engine } = run
  const { rules } = engine
  const isRepeatable = (tool.effect === 'read' || tool.repeatable) && call.isRepeated !== true
  // A turn that has just begun has nothing that could be repeated.
  if (rules.book.rules.length === 0 && run.isFreshTurn && isRepeatable) return null
  const basis = assumed ?? rules.stateFor(run.log, run)
  const before = planned?.facts.rules ?? null
  if (before !== null && planned?.basis === basis && isStillOpen(before)) return { fact: before, basis }
  const bareTools = findBareTools(tool.name, basis, mayRunByItself, run)
  const facts = {
    execution: call.execution,
    turn: run.turn,
    tool: tool.name,
    effect,
    repeatable: tool.repeatable,
    args: call.args,
    inputSchema: tool.inputSchema,
    argsDigest: call.onRecord.digest,
    workspaceCounter: rules.workspaceCounter(run.log),
    bareTools,
    mayRunFirst: bareTools.size > 0,
  }
  return { fact: judgeByRules(rules, basis, facts, engine.clock.now()), basis }
}

/** Time alone only ends rests and windows: where nothing has happened, what was let through still is. */
function isStillOpen({ dedupe, decision }: RuleFact): boolean {
  return dedupe.ok && decision.is === 'open' && decision.runFirst.length === 0
}

const NONE: ReadonlySet<string> = new Set()
const REFUSALS_BEFORE_HELP = 2

/** The missing tools that the runtime could run by itself, once the call has been refused often enough for it. */
function findBareTools(
  tool: string,
  state: RuleState,
  mayRunByItself: (tool: string) => boolean,
  run: Run,
): ReadonlySet<string> {
  const { rules } = run.engine
  const { startRefusals, exitRefusals } = state.pass
  const isDue = startRefusals >= REFUSALS_BEFORE_HELP || exitRefusals >= REFUSALS_BEFORE_HELP
  if (!isDue || run.origin === 'runtime' || run.isDryRun) return NONE
  const missing = [
    ...findMissingStarts(rules.book, state),
    ...(rules.book.endsLoop(tool) ? findMissingExits(rules.book, state) : []),
  ]
  return new Set(missing.filter((name) => name !== tool && mayRunByItself(name)))
}
