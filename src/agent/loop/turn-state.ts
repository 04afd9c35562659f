import { addUsage, isSpent, leastOf, TIME_IS_UP } from './budget.ts'
import type { Limits } from './budget.ts'
import type { Emit } from './event-stream.ts'
import type { Stop, Usage } from '../events.ts'
import type { LoopMove, LoopState } from './loop-state.ts'
import type { Steering } from './steering.ts'
import type { Talk } from '../model-setup.ts'

/** What one turn is given beside the talk it belongs to. */
export interface TurnMeans {
  readonly emit: Emit
  readonly signal: AbortSignal
  readonly limits: Limits
  readonly steering: Steering
  /** Goes on with another talk, in later turns too. */
  readonly adopt: (talk: Talk) => void
  /** Where the conversation stands. */
  readonly state: () => LoopState
  /** Moves the conversation from one state to the next. */
  readonly move: <S extends LoopState>(from: S, by: LoopMove<S>) => void
}

/** A turn at work. */
export interface Turn extends TurnMeans {
  talk: Talk
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
export function sayWords({
  talk,
  id,
  steering,
  emit,
}: Pick<Turn, 'talk' | 'id' | 'steering' | 'emit'>): boolean {
  const words = steering.take()
  for (const text of words) {
    talk.log.sayUser(id, text)
    emit({ event: 'steered', text })
  }
  return words.length > 0
}

/** Whether the turn has used what it may. */
export function isOver({ usage, startedAt, talk, limits }: Turn): boolean {
  return isSpent(usage, talk.source.elapsed() - startedAt, limits)
}

/** Whether a further request would go beyond what the turn may use; as far as that can be known before it is sent. */
export function isTooMuch(turn: Turn): boolean {
  const { usage, newest, talk, limits, startedAt } = turn
  // What is about to be shortened says nothing about the next request.
  if (newest === null || talk.isFull()) return isOver(turn)
  const least = leastOf(newest, talk.model.id, talk.settings['model.prices'])
  return isSpent(addUsage(usage, least), talk.source.elapsed() - startedAt, limits)
}

/** A turn that ran out of time was stopped like one that was cancelled, and says why. */
export function whyStopped(turn: Turn): Stop {
  return turn.signal.reason === TIME_IS_UP || isOver(turn) ? 'budget' : 'cancelled'
}
