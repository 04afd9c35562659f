import { countRuns, isRunning } from '../rule-state.ts'
import { ANY_TOOL, isAbout, subjectOf, unjudged } from '../rule-kind.ts'
import type { RuleBook, RuleFacts, RuleKind } from '../rule-kind.ts'
import type { LastingState, RuleState } from '../rule-state.ts'

/** A tool runs at most N times per turn. Retries of one call count once. */
export const maxCalls: RuleKind<'MaxCalls'> = {
  type: 'MaxCalls',
  lifetime: 'turn',
  example: { tool: 'run_tests', type: 'MaxCalls', max: 3, priority: 0 },
  sentence(rule) {
    if (rule.max === 0) return `${subjectOf(rule)} may not be called at all.`
    const each = rule.tool === ANY_TOOL ? ', each counted by itself' : ''
    return `${subjectOf(rule)} may be called at most ${times(rule.max)} in a turn${each}.`
  },
  concerns: isAbout,
  judge(rule, { state, facts }) {
    const calls = countRuns(state, facts.turn, facts.tool, facts.execution)
    if (calls < rule.max) return null
    return {
      is: 'violation',
      rule: rule.type,
      sentence: this.sentence(rule),
      reason: `${facts.tool} has been called ${times(calls)} in this turn, and the limit is ${times(rule.max)}`,
      satisfy: rule.max === 0 ? 'Do without it.' : "Do without it, or wait for the user's next message.",
      details: { max: rule.max, calls },
    }
  },
}

function times(count: number): string {
  return count === 1 ? 'once' : `${count} times`
}

/** A minimum time between two runs of a tool. A run that timed out counts only if it was cut short. */
export const cooldown: RuleKind<'Cooldown'> = {
  type: 'Cooldown',
  lifetime: 'lasting',
  example: { tool: 'fetch_page', type: 'Cooldown', seconds: 60, priority: 0 },
  sentence(rule) {
    const each = rule.tool === ANY_TOOL ? ' of its own' : ''
    return `${subjectOf(rule)} must wait ${rule.seconds} s between two calls${each}.`
  },
  concerns: isAbout,
  judge(rule, { state, facts, now }) {
    const leftMs = findRest(state, facts, rule.seconds * 1000, now)
    if (leftMs <= 0) return null
    const left = `${Math.ceil(leftMs / 1000)} s`
    return {
      is: 'violation',
      rule: rule.type,
      sentence: this.sentence(rule),
      reason: `cooldown: ${left} left`,
      satisfy: `Call ${facts.tool} again in ${left}.`,
      details: { seconds: rule.seconds, left_ms: leftMs },
    }
  },
}

/** A last run in the future, because the clock was set back, counts as having just ended. */
function findRest(state: RuleState, facts: RuleFacts, restMs: number, now: number): number {
  if (isRunning(state, facts.tool, facts.execution)) return restMs
  const lastRunAt = state.lasting.lastRunAt.get(facts.tool)
  return lastRunAt === undefined ? 0 : Math.min(lastRunAt, now) + restMs - now
}

/** The runtime calls the tool on a schedule while a session is open. */
export const periodic: RuleKind<'Periodic'> = {
  ...unjudged<'Periodic'>(),
  lifetime: 'lasting',
  type: 'Periodic',
  example: { tool: 'read_status', type: 'Periodic', seconds: 600, priority: 0 },
  sentence: ({ tool, seconds }) =>
    `${tool} is called automatically every ${seconds} s while a session is open.`,
}

/** A tool and when the runtime should call it next. */
export interface PeriodicCall {
  readonly tool: string
  /** Epoch milliseconds; in the past if it is due. */
  readonly dueAt: number
}

/** The times that decide when periodic calls are due, in epoch milliseconds. */
export interface PeriodicTimes extends Pick<LastingState, 'lastRunAt'> {
  /** When each tool was last tried, whether it ran or not. */
  readonly triedAt: ReadonlyMap<string, number>
  /** When the session was opened. */
  readonly openedAt: number
  readonly now: number
}

/**
 * The periodic calls in the order they are due. The period starts at the tool's last run, whoever called it, at the
 * last attempt, or when the session was opened; if several rules apply to a tool, the shortest period wins.
 */
export function schedulePeriodic(
  book: Pick<RuleBook, 'rules'>,
  { lastRunAt, triedAt, openedAt, now }: PeriodicTimes,
): readonly PeriodicCall[] {
  const dueAt = new Map<string, number>()
  for (const rule of book.rules) {
    if (rule.type !== 'Periodic' || rule.tool === ANY_TOOL) continue
    const lastAt = Math.max(
      openedAt,
      lastRunAt.get(rule.tool) ?? openedAt,
      triedAt.get(rule.tool) ?? openedAt,
    )
    // After the clock was set back, no wait is longer than one period.
    const at = Math.min(lastAt, now) + rule.seconds * 1000
    dueAt.set(rule.tool, Math.min(at, dueAt.get(rule.tool) ?? at))
  }
  const calls = Array.from(dueAt, ([tool, at]) => ({ tool, dueAt: at }))
  return calls.toSorted((one, other) => one.dueAt - other.dueAt || (one.tool < other.tool ? -1 : 1))
}
