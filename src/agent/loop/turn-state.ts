import { addUsage, isSpent, minimumUsage, TIME_IS_UP } from './budget.ts'
import type { Limits } from './budget.ts'
import type { Emit } from './event-stream.ts'
import type { Stop, Usage } from '../events.ts'
import type { LoopMove, LoopState } from './loop-state.ts'
import type { Steering } from './steering.ts'
import type { ModelSetup } from '../model-setup.ts'

/** What one turn is given beside the setup it belongs to. */
export interface TurnContext {
  readonly emit: Emit
  readonly signal: AbortSignal
  readonly limits: Limits
  readonly steering: Steering
  /** Goes on with another setup, in later turns too. */
  readonly replaceSetup: (setup: ModelSetup) => void
  /** Where the conversation stands. */
  readonly state: () => LoopState
  /** Moves the conversation from one state to the next. */
  readonly move: <S extends LoopState>(from: S, by: LoopMove<S>) => void
}

/** A turn at work. */
export interface Turn extends TurnContext {
  setup: ModelSetup
  readonly id: string
  readonly startedAt: number
  usage: Usage
  /** What the newest message of the model used; null before the first. */
  newest: Usage | null
  rounds: number
  /** Whether the model goes on only because a call asked to be woken up, so that a new pass begins. */
  isWokenUp: boolean
}

/** Gives the model what the person has said meanwhile. */
export function logSteering({
  setup,
  id,
  steering,
  emit,
}: Pick<Turn, 'setup' | 'id' | 'steering' | 'emit'>): boolean {
  const words = steering.take()
  for (const text of words) {
    setup.log.sayUser(id, text)
    emit({ event: 'steered', text })
  }
  return words.length > 0
}

/** Whether the turn has used what it may. */
export function isOverBudget({ usage, startedAt, setup, limits }: Turn): boolean {
  return isSpent(usage, setup.source.elapsed() - startedAt, limits)
}

/** Whether a further request would go beyond what the turn may use; as far as that can be known before it is sent. */
export function wouldOverspend(turn: Turn): boolean {
  const { usage, newest, setup, limits, startedAt } = turn
  // What is about to be shortened says nothing about the next request.
  if (newest === null || setup.isFull()) return isOverBudget(turn)
  const least = minimumUsage(newest, setup.model.id, setup.settings['model.prices'])
  return isSpent(addUsage(usage, least), setup.source.elapsed() - startedAt, limits)
}

/** A turn that ran out of time was stopped like one that was cancelled, and says why. */
export function whyStopped(turn: Turn): Stop {
  return turn.signal.reason === TIME_IS_UP || isOverBudget(turn) ? 'budget' : 'cancelled'
}
