import type { Delegating } from '../../core/conversation/delegation.ts'
import { addUsage, isSpent, minimumUsage, TIME_IS_UP } from './budget.ts'
import type { Limits } from './budget.ts'
import type { Emit } from './event-stream.ts'
import type { Stop, Usage } from '../events.ts'
import type { LoopMove, LoopState } from './loop-state.ts'
import type { Steering } from './steering.ts'
import type { ModelSetup } from '../model-setup.ts'

/** The limits of a turn, or of a delegated conversation in it. */
export interface TurnLimits extends Limits {
  /** How often its model may be asked. */
  readonly maxRequests?: number
}

/** What a turn needs besides its setup. */
export interface TurnContext {
  readonly emit: Emit
  readonly signal: AbortSignal
  readonly limits: TurnLimits
  readonly steering: Steering
  /** Pictures and documents that came with the prompt. */
  readonly given: readonly Uint8Array[]
  /** Switches to another setup, for later turns too. */
  readonly replaceSetup: (setup: ModelSetup) => void
  /** The current state of the conversation. */
  readonly state: () => LoopState
  /** Moves the conversation from one state to the next. */
  readonly move: <S extends LoopState>(from: S, by: LoopMove<S>) => void
  /** Holds the conversations that calls of the turn delegate. */
  readonly delegatingFor: (turn: Turn) => Delegating
}

/** A running turn. */
export interface Turn extends TurnContext {
  setup: ModelSetup
  readonly id: string
  readonly startedAt: number
  /** The turn in which this delegated conversation is held; null if it is the turn of the session itself. */
  readonly parent: Turn | null
  usage: Usage
  /** How often the model was asked. */
  requests: number
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

/** Counts what a request of a turn used, for those around it too. */
export function spend(turn: Turn, usage: Usage): void {
  for (let one: Turn | null = turn; one !== null; one = one.parent) one.usage = addUsage(one.usage, usage)
}

/** Whether the turn, or one around it, has reached one of its limits. */
export function isOverBudget(turn: Turn): boolean {
  const { usage, requests, startedAt, setup, limits, parent } = turn
  return (
    (limits.maxRequests !== undefined && requests >= limits.maxRequests) ||
    isSpent(usage, setup.source.elapsed() - startedAt, limits) ||
    (parent !== null && isOverBudget(parent))
  )
}

/** Whether another request would exceed the limits of the turn, as far as that can be known before it is sent. */
export function wouldOverspend(turn: Turn): boolean {
  const { newest, setup } = turn
  // The next request will be shortened, so the last one says nothing about it.
  if (newest === null || setup.isFull()) return isOverBudget(turn)
  const least = minimumUsage(newest, setup.model.id, setup.settings['model.prices'])
  for (let one: Turn | null = turn; one !== null; one = one.parent)
    if (isOverBudget({ ...one, usage: addUsage(one.usage, least), parent: null })) return true
  return false
}

/** Why a turn was stopped: running out of time aborts it just as cancelling does. */
export function whyStopped(turn: Turn): Stop {
  return turn.signal.reason === TIME_IS_UP || isOverBudget(turn) ? 'budget' : 'cancelled'
}
