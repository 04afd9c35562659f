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
import { finish, finishInTurns } from './finish-steps.ts'
import { SessionMemory } from './session-memory.ts'

/** The history that rules judge by, for the open sessions of a runtime. It is read from the log, so it survives a restart. */
export interface RuleHistory {
  readonly book: RuleBook
  /** How long a call of a tool may take by itself and by the user's own settings, in milliseconds. */
  readonly timeOf: (tool: Tool) => number
  /**
   * Reads what the rules look back at, if it is not known yet, and handles other events meanwhile; fails if the signal
   * aborts. Without it the first question about the history reads all of it at once.
   */
  readonly prepare: (log: SessionLog, turn: string | null, signal?: AbortSignal) => Promise<void> | undefined
  /** The current history, seen from a turn and a pass. */
  readonly stateFor: (log: SessionLog, place: TurnPlace) => RuleState
  /** The part of the history that spans turns. */
  readonly lastingState: (log: SessionLog) => LastingState
  /** The turn with the latest activity, or null. */
  readonly newestTurn: (log: SessionLog) => string | null
  /** The latest pass of a turn; its first pass has the same id as the turn. */
  readonly passOf: (log: SessionLog, turn: string) => string
  /** A number that changes whenever the workspace does. */
  readonly workspaceCounter: (log: SessionLog) => number
  /** Notes that a call has passed its recheck. */
  readonly claim: (log: SessionLog, call: RuledCall) => void
}

/** A position in a session. */
export interface TurnPlace {
  readonly turn: string
  readonly pass: string
  /** Whether the turn is new, so that nothing of it can be on record. */
  readonly isFreshTurn: boolean
}

/** What rules need to know about a call. */
export interface RuledCall {
  readonly execution: string
  readonly turn: string
  readonly tool: string
  readonly argsDigest: string
}

/** Creates the history for the rules of a book. Without a clock every log is read from its beginning. */
export function createRuleHistory(
  book: RuleBook,
  registry: Registry,
  timeOf: RuleHistory['timeOf'],
  now: () => number = () => 0,
): RuleHistory {
  const memories = new WeakMap<SessionLog, SessionMemory>()

  function memoryOf(log: SessionLog, turn: string | null): SessionMemory {
    const known = knownFor(log, turn)
    if (known !== null) {
      known.catchUp()
      return known
    }
    const memory = new SessionMemory(log, { book, registry, timeOf, now: now() })
    finish(memory.read(turn))
    return replace(log, memory)
  }

  function knownFor(log: SessionLog, turn: string | null): SessionMemory | null {
    const known = memories.get(log)
    return known === undefined || known.isTooShort(turn) ? null : known
  }

  function replace(log: SessionLog, memory: SessionMemory): SessionMemory {
    memory.adoptClaims(memories.get(log))
    memories.set(log, memory)
    return memory
  }

  async function readInTurns(log: SessionLog, turn: string | null, signal?: AbortSignal): Promise<void> {
    const memory = new SessionMemory(log, { book, registry, timeOf, now: now() })
    await finishInTurns(memory.read(turn), signal)
    // Another run may have been faster.
    if (knownFor(log, turn) === null) replace(log, memory)
  }

  return {
    book,
    timeOf,
    prepare: (log, turn, signal) =>
      book.rules.length === 0 || knownFor(log, turn) !== null ? undefined : readInTurns(log, turn, signal),
    stateFor: (log, { turn, pass, isFreshTurn }) =>
      beginPass(memoryOf(log, isFreshTurn ? null : turn).state, pass),
    lastingState: (log) => memoryOf(log, null).state.lasting,
    newestTurn: (log) => [...memoryOf(log, null).state.turns.keys()].at(-1) ?? null,
    passOf: (log, turn) => memoryOf(log, turn).passes.get(turn) ?? turn,
    workspaceCounter: (log) => memoryOf(log, null).changedAt,
    claim(log, call) {
      const memory = memoryOf(log, null)
      memory.state = claim(memory.state, call)
    },
  }
}

/** Judges one call by the rules, on the recorded or assumed history. */
export function judgeByRules(
  history: RuleHistory,
  state: RuleState,
  facts: RuleFacts,
  now: number,
): RuleFact {
  const { book } = history
  return factOf(judgeDedupe(book, state, facts, now), decideByRules(judgeRules(book, state, facts, now)))
}

/** The same verdicts give the same object, so that callers can compare facts by identity. */
const factOf = memoizeLast((dedupe: DedupeVerdict, decision: RuleDecision): RuleFact => ({
  dedupe,
  decision,
}))

/** The history to plan the next call on: an open call is assumed to succeed, and a refusal counts. */
export function planOn(state: RuleState, fact: RuleFact, tool: Tool): RuleState {
  if (fact.decision.is === 'refused') {
    const { rule } = fact.decision.violation
    return noteRefusal(state, rule === 'Repetition' ? null : rule)
  }
  return assume(state, { tool: tool.name, effect: tool.effect })
}
