import { memoizeLast } from './memoize.ts'

/** Where a call may go from each state. The types, the checks and the picture in the docs all come from here. */
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

/** What each state means, for people. */
export const STATE_MEANING: Readonly<Record<State, string>> = {
  DECLARED: 'received, nothing checked yet',
  VALIDATED: 'the arguments fit the input schema',
  AUTHORIZED: 'policy, rules and people agreed',
  EXECUTING: 'running inside a transaction',
  COMPLETED: 'done and committed',
  FAILED: 'refused as invalid before it ran',
  DENIED: 'refused by policy before it ran',
  ABORTED: 'stopped on the way; what it did outside the workspace stays',
  ROLLED_BACK: 'the workspace is as it was before the call',
}

/** Whether the move is legal at run time, for traces that come from outside the type checker. */
export function canMove(from: State, to: State): boolean {
  return (NEXT[from] as readonly State[]).includes(to)
}

/** One stop on a call's way, with its time in epoch milliseconds. */
export interface Move {
  readonly state: State
  readonly at: number
}

/** A call's way so far. It can only be extended by legal moves. */
export interface Trace<Now extends State = State> {
  readonly now: Now
  readonly moves: readonly Move[]
}

/** What is kept of a way is kept for good. Many calls go the same way within the same millisecond, and share it. */
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

/** Extends a trace by the three moves of a call that is let in; nothing lies between them, so they are one moment. */
export function start({ moves }: Trace<'DECLARED'>, at: number): Trace<'EXECUTING'> {
  return { now: 'EXECUTING', moves: goIn(moves, at) }
}

/** Walks a trace to an ending that was chosen at run time, through the states that must come between. */
export function settle(trace: Trace, ending: State, at: number): Trace {
  if (trace.now === ending) return trace
  if (trace.now === 'EXECUTING' && ending === 'COMPLETED')
    return { now: ending, moves: complete(trace.moves, at) }
  if (canMove(trace.now, ending)) return { now: ending, moves: [...trace.moves, { state: ending, at }] }
  const between = (NEXT[trace.now] as readonly State[]).find((state) => canMove(state, ending))
  if (between === undefined) return trace
  return { now: ending, moves: [...trace.moves, { state: between, at }, { state: ending, at }] }
}
