import type { Effect, Tool } from '../../core/tool.ts'
import type { CallFacts, RuleFact } from '../../policy/facts.ts'
import { findMissingExits } from '../../policy/rules/kinds/exit-rules.ts'
import type { RuleState } from '../../policy/rules/rule-state.ts'
import { findMissingStarts } from '../../policy/rules/kinds/order-rules.ts'
import type { Run } from '../engine.ts'
import { repeatKey } from '../step.ts'
import type { Received } from '../step.ts'
import { judgeByRules } from '../memory/rule-history.ts'

/** The verdict of the rules on a call, and the history it is based on. */
export interface Ruled {
  readonly fact: RuleFact
  readonly basis: RuleState
}

interface Subject {
  readonly tool: Tool
  readonly effect: Effect
  readonly call: Received
  /** The earlier judgement; absent if the call is judged for the first time. */
  readonly planned?: { readonly facts: CallFacts; readonly basis?: RuleState | null } | undefined
}

/** Whether the runtime may run a tool by itself. */
type MayRun = (tool: string, run: Run) => boolean

/** Judges a call by the rules; null if no rule can apply, so that the history need not be read. */
export function gatherRules(
  { tool, effect, call, planned }: Subject,
  assumed: RuleState | null,
  mayRunByItself: MayRun,
  run: Run,
): Ruled | null {
  const { engine } = run
  const { rules } = engine
  const isRepeatable = (tool.effect === 'read' || tool.repeatable) && call.isRepeated !== true
  // In a new turn there is nothing to repeat.
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
    argsDigest: repeatKey(call.onRecord.digest, call.meta),
    workspaceCounter: rules.workspaceCounter(run.log),
    bareTools,
    mayRunFirst: bareTools.size > 0,
  }
  return { fact: judgeByRules(rules, basis, facts, engine.clock.now()), basis }
}

/** Time alone only ends rests and windows: if nothing has happened since, an open verdict still holds. */
function isStillOpen({ dedupe, decision }: RuleFact): boolean {
  return dedupe.ok && decision.is === 'open' && decision.runFirst.length === 0
}

const NONE: ReadonlySet<string> = new Set()
const REFUSALS_BEFORE_HELP = 2

/** The missing tools that the runtime can run by itself, once the call has been refused often enough. */
function findBareTools(
  tool: string,
  state: RuleState,
  mayRunByItself: MayRun,
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
  return new Set(missing.filter((name) => name !== tool && mayRunByItself(name, run)))
}
