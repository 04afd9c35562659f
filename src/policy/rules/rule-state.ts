import type { ErrorCode } from '../../core/error.ts'
import { EMPTY_DEDUPE_MEMORY } from './dedupe-memory.ts'
import type { DedupeMemory } from './dedupe-memory.ts'
import { HistoryMap } from './history-map.ts'

/** The state of one processing pass; a new pass starts empty. */
export interface PassState {
  readonly id: string
  /** Calls that were received and have no result yet, such as those that wait for an answer. */
  readonly openCalls: number
  /** Tools that ran, however they ended. */
  readonly ran: ReadonlySet<string>
  /** How many calls of each tool succeeded and were not rolled back. */
  readonly succeeded: ReadonlyMap<string, number>
  /** Tools of earlier calls in the batch being planned, assumed to succeed. */
  readonly assumed: ReadonlySet<string>
  /** Whether one of those may change something, so that a retry may be worthwhile. */
  readonly assumesChange: boolean
  /** How often calls were refused because a start tool, or a tool required before the end, was missing. */
  readonly startRefusals: number
  readonly exitRefusals: number
}

/** The latest failures of one particular call. */
export interface Failures {
  readonly count: number
  readonly code: ErrorCode | null
}

/** The state of one turn; it spans all of its passes. */
export interface TurnState {
  readonly startedAt: number
  /** Calls that were received and have no result yet. */
  readonly openCalls: number
  readonly runs: ReadonlyMap<string, number>
  /** By tool and arguments; cleared when a call that may have changed anything succeeds. */
  readonly failures: HistoryMap<Failures>
}

/** State that outlives turns. */
export interface LastingState {
  /** The time of the latest event. */
  readonly clockAt: number
  readonly prunedAt: number
  readonly lastRunAt: ReadonlyMap<string, number>
  readonly dedupe: DedupeMemory
}

/** A call that has passed its last check and has no result yet. */
export interface Claim {
  readonly execution: string
  readonly turn: string
  readonly tool: string
  readonly argsDigest: string
}

/** The history that rules use. It is immutable; each event produces the next state. */
export interface RuleState {
  /** The current pass. */
  readonly pass: PassState
  /** Passes interrupted by another one, such as a scheduled call while a model is thinking. */
  readonly paused: ReadonlyMap<string, PassState>
  readonly turns: ReadonlyMap<string, TurnState>
  readonly lasting: LastingState
  readonly claims: ReadonlyMap<string, Claim>
}

const NO_TOOLS: ReadonlySet<string> = new Set()
const NO_RUNS: TurnState['runs'] = new Map()
const NO_FAILURES: TurnState['failures'] = HistoryMap.of()

/** A pass in which nothing has happened. */
export function freshPass(id: string): PassState {
  return {
    id,
    openCalls: 0,
    ran: NO_TOOLS,
    succeeded: NO_RUNS,
    assumed: NO_TOOLS,
    assumesChange: false,
    startRefusals: 0,
    exitRefusals: 0,
  }
}

/** A turn in which nothing has happened. */
export function freshTurn(at: number): TurnState {
  return { startedAt: at, openCalls: 0, runs: NO_RUNS, failures: NO_FAILURES }
}

/** The history of a session in which nothing has happened. */
export const NO_HISTORY: RuleState = {
  pass: freshPass(''),
  paused: new Map(),
  turns: new Map(),
  lasting: { clockAt: 0, prunedAt: 0, lastRunAt: new Map(), dedupe: EMPTY_DEDUPE_MEMORY },
  claims: new Map(),
}

/** Whether a tool has succeeded in this pass, or is assumed to by the plan. */
export function hasSucceeded(state: RuleState, tool: string): boolean {
  return hasSurelySucceeded(state, tool) || state.pass.assumed.has(tool)
}

/** Whether a tool has really succeeded in this pass; only this may count against a call. */
export function hasSurelySucceeded(state: RuleState, tool: string): boolean {
  return state.pass.succeeded.has(tool)
}

/** Whether a tool has run in this pass, or is running. */
export function hasRun(state: RuleState, tool: string, but: string): boolean {
  return state.pass.ran.has(tool) || isRunning(state, tool, but)
}

/** Whether a call of this tool is running, other than the named one. */
export function isRunning(state: RuleState, tool: string, but: string): boolean {
  if (state.claims.size === 0) return false
  for (const claim of state.claims.values()) if (claim.tool === tool && claim.execution !== but) return true
  return false
}

/** How often a tool ran in a turn, including running calls other than the named one. */
export function countRuns(state: RuleState, turn: string, tool: string, but: string): number {
  let count = state.turns.get(turn)?.runs.get(tool) ?? 0
  if (state.claims.size === 0) return count
  for (const claim of state.claims.values()) {
    if (claim.turn === turn && claim.tool === tool && claim.execution !== but) count += 1
  }
  return count
}

/** The key of one particular call among the failures of a turn. */
export function failureKey(tool: string, argsDigest: string): string {
  return `${tool}|${argsDigest}`
}
