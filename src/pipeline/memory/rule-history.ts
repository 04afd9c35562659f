import type { Registry } from '../../core/registry.ts'
import { memoizeLast } from '../../core/memoize.ts'
import type { Tool } from '../../core/tool.ts'
import type { SessionLog } from '../../journal/log.ts'
import { judgeDedupe } from '../../policy/rules/dedupe.ts'
import type { DedupeVerdict } from '../../policy/rules/dedupe.ts'
import { assume, beginPass, claim, noteRefusal } from '../../policy/rules/fold-history.ts'
import { decideByRules, judgeRules } from '../../policy/rules/judge-rules.ts'
import type { RuleDecision } from '../../policy/rules/judge-rules.ts'
import type { RuleBook, RuleFacts } from '../../policy/rules/rule-kind.ts'
import type { LastingState, RuleState } from '../../policy/rules/rule-state.ts'
import type { RuleFact } from '../../policy/facts.ts'
import { SessionMemory } from './session-memory.ts'

/** What the rules remember of the sessions a runtime has open. It is read off the log, so a restart changes nothing. */
export interface RuleHistory {
  readonly book: RuleBook
  /** What is remembered right now, seen from a turn and a pass. */
  readonly stateFor: (log: SessionLog, place: TurnPlace) => RuleState
  /** What is remembered across turns. */
  readonly recallLasting: (log: SessionLog) => LastingState
  /** The turn that was at work last, or null. */
  readonly newestTurn: (log: SessionLog) => string | null
  /** The latest pass of a turn; the first one of a turn has its id. */
  readonly passOf: (log: SessionLog, turn: string) => string
  /** How often the workspace has changed, as a number that differs whenever it has. */
  readonly workspaceCounter: (log: SessionLog) => number
  /** A call has passed its door. */
  readonly claim: (log: SessionLog, call: RuledCall) => void
}

/** Where in a session somebody stands. */
export interface TurnPlace {
  readonly turn: string
  readonly pass: string
  /** Whether nothing of the turn can be on record yet. */
  readonly isFreshTurn: boolean
}

/** What rules are told of a call. */
export interface RuledCall {
  readonly execution: string
  readonly turn: string
  readonly tool: string
  readonly argsDigest: string
}

/** Begins to keep what the rules of a book look back at. Without a clock every log is read from its beginning. */
export function createRuleHistory(
  book: RuleBook,
  registry: Registry,
  now: () => number = () => 0,
): RuleHistory {
  const memories = new WeakMap<SessionLog, SessionMemory>()

  function memoryOf(log: SessionLog, turn: string | null): SessionMemory {
    const known = memories.get(log)
    const memory =
      known === undefined || known.isTooShort(turn)
        ? new SessionMemory(log, { book, registry, now: now() }, turn, known)
        : known
    if (memory !== known) memories.set(log, memory)
    memory.catchUp()
    return memory
  }

  return {
    book,
    stateFor: (log, { turn, pass, isFreshTurn }) =>
      beginPass(memoryOf(log, isFreshTurn ? null : turn).state, pass),
    recallLasting: (log) => memoryOf(log, null).state.lasting,
    newestTurn: (log) => [...memoryOf(log, null).state.turns.keys()].at(-1) ?? null,
    passOf: (log, turn) => memoryOf(log, turn).passes.get(turn) ?? turn,
    workspaceCounter: (log) => memoryOf(log, null).changedAt,
    claim(log, call) {
      const memory = memoryOf(log, null)
      memory.state = claim(memory.state, call)
    },
  }
}

/** Judges one call by the rules, on what is remembered or assumed. */
export function judgeByRules(keeper: RuleHistory, state: RuleState, facts: RuleFacts, now: number): RuleFact {
  const { book } = keeper
  return factOf(judgeDedupe(book, state, facts, now), decideByRules(judgeRules(book, state, facts, now)))
}

/** Where the same was said before it is the same fact, so that whoever compares need not judge again. */
const factOf = memoizeLast((dedupe: DedupeVerdict, decision: RuleDecision): RuleFact => ({
  dedupe,
  decision,
}))

/** What planning goes on with after a call: an open one is taken to succeed, a refusal weighs on the next. */
export function planOn(state: RuleState, fact: RuleFact, tool: Tool): RuleState {
  if (fact.decision.is === 'refused') {
    const { rule } = fact.decision.violation
    return noteRefusal(state, rule === 'Repetition' ? null : rule)
  }
  return assume(state, { tool: tool.name, effect: tool.effect })
}
