import type { Limits } from './budget.ts'
import type { Emit } from './event-stream.ts'
import type { LoopMove, LoopState } from './loop-state.ts'
import type { Steering } from './steering.ts'

/** What one turn is given beside the talk it belongs to. */
export interface TurnMeans {
  readonly emit: Emit
  readonly signal: AbortSignal
  readonly limits: Limits
  readonly steering: Steering
  /** Moves the conversation from one state to the next. */
  readonly move: <S extends LoopState>(from: S, by: LoopMove<S>) => void
}
