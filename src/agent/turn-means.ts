import type { Limits } from './budget.ts'
import type { Emit } from './event-stream.ts'
import type { LoopMove, LoopState } from './loop-state.ts'
import type { Steering } from './steering.ts'
import type { Talk } from './talk.ts'

/** What one turn is given beside the talk it belongs to. */
export interface TurnMeans {
  readonly emit: Emit
  readonly signal: AbortSignal
  readonly limits: Limits
  readonly steering: Steering
  /** Goes on with another talk, in later turns too. */
  readonly adopt: (talk: Talk) => void
  /** Moves the conversation from one state to the next. */
  readonly move: <S extends LoopState>(from: S, by: LoopMove<S>) => void
}
