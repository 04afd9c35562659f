import { sift } from './dedupe-memory.ts'
import type { RuleBook } from './rule-kind.ts'
import type { RuleState } from './rule-state.ts'

const PRUNE_EVERY_MS = 60_000

/** Whether pruning is worth its while. */
export function isPruneDue(state: RuleState, now: number): boolean {
  return now - state.lasting.prunedAt >= PRUNE_EVERY_MS
}

/**
 * Lets go of what no rule can look at any more: successes outside the dedupe window, last runs older than every
 * cooldown and period, and turns that never ended. No verdict changes by it.
 */
export function prune(state: RuleState, book: RuleBook, now: number): RuleState {
  const { lasting } = state
  const { dedupeWindowMs, turnMaxAgeMs } = book.limits
  const lastRuns = [...lasting.lastRunAt].filter(([, at]) => at + book.longestRestMs > now)
  return {
    ...state,
    turns: new Map([...state.turns].filter(([, { startedAt }]) => startedAt + turnMaxAgeMs > now)),
    lasting: {
      ...lasting,
      prunedAt: now,
      lastRunAt: new Map(lastRuns),
      dedupe: sift(lasting.dedupe, (success) => (success.at + dedupeWindowMs > now ? success : null)),
    },
  }
}

/**
 * Takes note of the time of an event. Where the clock was set back, what lies in the future by now is taken as having
 * just happened: a rest or a window starts anew once, instead of lasting until the clock has caught up.
 */
export function observeTime(state: RuleState, at: number): RuleState {
  const { lasting } = state
  if (at === lasting.clockAt) return state
  if (at > lasting.clockAt) return { ...state, lasting: { ...lasting, clockAt: at } }
  const back = (time: number): number => Math.min(time, at)
  return {
    ...state,
    turns: new Map([...state.turns].map(([id, turn]) => [id, { ...turn, startedAt: back(turn.startedAt) }])),
    lasting: {
      clockAt: at,
      prunedAt: back(lasting.prunedAt),
      lastRunAt: new Map([...lasting.lastRunAt].map(([tool, time]) => [tool, back(time)])),
      dedupe: sift(lasting.dedupe, (success) => ({ ...success, at: back(success.at) })),
    },
  }
}
