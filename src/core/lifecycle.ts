import { memoizeLast } from './memoize.ts'

/** The states a call may move to from each state. The types, the checks and the diagram in the docs come from this table. */
export const NEXT = {
  DECLARED: ['VALIDATED', 'FAILED', 'DENIED'],
  VALIDATED: ['AUTHORIZED', 'FAILED', 'DENIED', 'ABORTED'],
  AUTHORIZED: ['EXECUTING', 'FAILED', 'DENIED', 'ABORTED'],
  EXECUTING: ['COMPLETED', 'ROLLED_BACK', 'ABORTED'],
  COMPLETED: [],
  FAILED: [],
  DENIED: [],
  ABORTED: ['ROLLED_BACK'],
  ROLLED_BACK: [],
} as const satisfies Record<string, readonly string[]>

/** A lifecycle state. */
export type State = keyof typeof NEXT

/** The states reachable in one move. */
export type NextOf<From extends State> = (typeof NEXT)[From][number]

/** What each state means, in words. */
export const STATE_MEANING: Readonly<Record<State, string>> = {
  DECLARED: 'received, nothing checked yet',
  VALIDATED: 'the arguments fit the input schema',
  AUTHORIZED: 'policy, rules and people agreed',
  EXECUTING: 'running inside a transaction',
  COMPLETED: 'done and committed',
  FAILED: 'refused as invalid before it ran',
  DENIED: 'refused by policy before it ran',
  ABORTED: 'stopped midway; effects outside the workspace remain',
  ROLLED_BACK: 'the workspace is as it was before the call',
}

/** Whether a move is legal, for traces that the type checker has not seen. */
export function canMove(from: State, to: State): boolean {
  return (NEXT[from] as readonly State[]).includes(to)
}

/** One state that a call has reached, with the time in epoch milliseconds. */
export interface Move {
  readonly state: State
  readonly at: number
}

/** The states of a call so far. It can only be extended by legal moves. */
export interface Trace<Now extends State = State> {
  readonly now: Now
  readonly moves: readonly Move[]
}

/** Traces stay in memory with the log. Many calls take the same moves within the same millisecond, and share them. */
const begin = memoizeLast((state: State, at: number): readonly Move[] => [{ state, at }])
const goIn = memoizeLast((moves: readonly Move[], at: number): readonly Move[] => [
  ...moves,
  { state: 'VALIDATED', at },
  { state: 'AUTHORIZED', at },
  { state: 'EXECUTING', at },
])
const complete = memoizeLast((moves: readonly Move[], at: number): readonly Move[] => [
  ...moves,
  { state: 'COMPLETED', at },
])

/** Begins a trace: every call is declared first. */
export function declare(at: number): Trace<'DECLARED'> {
  return { now: 'DECLARED', moves: begin('DECLARED', at) }
}

/** Extends a trace by one legal move; an illegal one does not compile. */
export function move<From extends State, To extends NextOf<From>>(
  trace: Trace<From>,
  to: To,
  at: number,
): Trace<To> {
  return { now: to, moves: [...trace.moves, { state: to, at }] }
}

/** Extends a trace by the three moves of a call that starts; they happen at the same moment. */
export function start({ moves }: Trace<'DECLARED'>, at: number): Trace<'EXECUTING'> {
  return { now: 'EXECUTING', moves: goIn(moves, at) }
}

/** Extends a trace to an ending chosen at run time, through the states that must come between. */
export function settle(trace: Trace, ending: State, at: number): Trace {
  if (trace.now === ending) return trace
  if (trace.now === 'EXECUTING' && ending === 'COMPLETED')
    return { now: ending, moves: complete(trace.moves, at) }
  if (canMove(trace.now, ending)) return { now: ending, moves: [...trace.moves, { state: ending, at }] }
  const between = (NEXT[trace.now] as readonly State[]).find((state) => canMove(state, ending))
  if (between === undefined) return trace
  return { now: ending, moves: [...trace.moves, { state: between, at }, { state: ending, at }] }
}
