import { addUsage, isSpent, minimumUsage, TIME_IS_UP } from './budget.ts'
import type { Limits } from './budget.ts'
import type { Emit } from './event-stream.ts'
import type { Stop, Usage } from '../events.ts'
import type { LoopMove, LoopState } from './loop-state.ts'
import type { Steering } from './steering.ts'
import type { ModelSetup } from '../model-setup.ts'

/** What a turn needs besides its setup. */
export interface TurnContext {
  readonly emit: Emit
  readonly signal: AbortSignal
  readonly limits: Limits
  readonly steering: Steering
  /** Switches to another setup, for later turns too. */
  readonly replaceSetup: (setup: ModelSetup) => void
  /** The current state of the conversation. */
  readonly state: () => LoopState
  /** Moves the conversation from one state to the next. */
  readonly move: <S extends LoopState>(from: S, by: LoopMove<S>) => void
}

/** A running turn. */
export interface Turn extends TurnContext {
  setup: ModelSetup
  readonly id: string
  readonly startedAt: number
  usage: Usage
  /** What the last message of the model used; null before the first. */
  newest: Usage | null
  rounds: number
  /** Whether the model continues only because a call requested a wake-up, which starts a new pass. */
  isWokenUp: boolean
  /** Whether the next message is another attempt to end, after the last one was refused. */
  isAnotherAnswer: boolean
  /** Required tools that had not succeeded when the turn last tried to end. */
  missing: readonly string[]
  /** Whether the provider has refused a request of the turn for its size; a second refusal ends it. */
  isRefusedForSize: boolean
}

/** Logs what the user has said meanwhile as user messages; true if there was any. */
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

/** Whether the turn has reached one of its limits. */
export function isOverBudget({ usage, startedAt, setup, limits }: Turn): boolean {
  return isSpent(usage, setup.source.elapsed() - startedAt, limits)
}

/** Whether another request would exceed the limits of the turn, as far as that can be known before it is sent. */
export function wouldOverspend(turn: Turn): boolean {
  const { usage, newest, setup, limits, startedAt } = turn
  // The next request will be shortened, so the last one says nothing about it.
  if (newest === null || setup.isFull()) return isOverBudget(turn)
  const least = minimumUsage(newest, setup.model.id, setup.settings['model.prices'])
  return isSpent(addUsage(usage, least), setup.source.elapsed() - startedAt, limits)
}

/** Why a turn was stopped: running out of time aborts it just as cancelling does. */
export function whyStopped(turn: Turn): Stop {
  return turn.signal.reason === TIME_IS_UP || isOverBudget(turn) ? 'budget' : 'cancelled'
}
