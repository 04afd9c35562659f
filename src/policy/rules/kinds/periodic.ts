import { ANY_TOOL } from '../rule-kind.ts'
import type { RuleBook, RuleKind } from '../rule-kind.ts'
import type { LastingState } from '../rule-state.ts'
import { unjudged } from './unjudged.ts'

/** The runtime calls the tool by its own clock while a session is open. */
export const periodic: RuleKind<'Periodic'> = {
  ...unjudged<'Periodic'>(),
  lifetime: 'lasting',
  type: 'Periodic',
  example: { tool: 'read_status', type: 'Periodic', seconds: 600, priority: 0 },
  sentence: ({ tool, seconds }) => `${tool} is called by itself every ${seconds} s while a session is open.`,
}

/** A tool and when the runtime should call it next. */
export interface PeriodicCall {
  readonly tool: string
  /** Epoch milliseconds; in the past where it is due. */
  readonly dueAt: number
}

/**
 * The periodic calls in the order they are due. The time runs from the tool's last run, whoever called it, from when it
 * was last tried, or from when the session was opened; of several rules for a tool the shortest time holds.
 */
export function schedulePeriodic(
  book: Pick<RuleBook, 'rules'>,
  { lastRunAt }: Pick<LastingState, 'lastRunAt'>,
  openedAt: number,
  triedAt: ReadonlyMap<string, number>,
  now: number,
): readonly PeriodicCall[] {
  const dueAt = new Map<string, number>()
  for (const rule of book.rules) {
    if (rule.type !== 'Periodic' || rule.tool === ANY_TOOL) continue
    const lastAt = Math.max(
      openedAt,
      lastRunAt.get(rule.tool) ?? openedAt,
      triedAt.get(rule.tool) ?? openedAt,
    )
    // After the clock was set back nobody waits longer than one period.
    const at = Math.min(lastAt, now) + rule.seconds * 1000
    dueAt.set(rule.tool, Math.min(at, dueAt.get(rule.tool) ?? at))
  }
  const calls = Array.from(dueAt, ([tool, at]) => ({ tool, dueAt: at }))
  return calls.toSorted((one, other) => one.dueAt - other.dueAt || (one.tool < other.tool ? -1 : 1))
}
