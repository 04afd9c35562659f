/**
 * The state of a conversation. `waiting`: a batch needs approvals or results from a person;
 * `interrupted`: a process ended in the middle of a turn.
 */
export type LoopState = 'idle' | 'streaming' | 'tool_loop' | 'waiting' | 'interrupted'

/** The moves out of each state. Nothing else changes the state of a conversation. */
export const LOOP_MOVES = {
  idle: { send: 'streaming' },
  streaming: { calls: 'tool_loop', end: 'idle', cancel: 'idle', fail: 'idle', steer: 'streaming' },
  tool_loop: {
    results: 'streaming',
    cancel: 'idle',
    limit: 'idle',
    exit: 'idle',
    pending: 'waiting',
  },
  waiting: { answers: 'streaming' },
  interrupted: { recover: 'idle' },
} as const satisfies Record<LoopState, Readonly<Record<string, LoopState>>>

/** The moves of a state. */
export type LoopMove<S extends LoopState> = keyof (typeof LOOP_MOVES)[S]

/** The state after a move. */
export function moveLoop<S extends LoopState>(from: S, by: LoopMove<S>): LoopState {
  const moves: Readonly<Record<PropertyKey, LoopState>> = LOOP_MOVES[from]
  return moves[by] ?? from
}
