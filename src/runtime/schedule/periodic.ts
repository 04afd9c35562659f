import type { Clock } from '../../core/clock.ts'
import type { Soon } from '../../core/wait.ts'
import type { SessionLog } from '../../journal/log.ts'
import type { RuleHistory } from '../../pipeline/memory/rule-history.ts'
import { schedulePeriodic } from '../../policy/rules/kinds/rate-rules.ts'
import type { Engine, Run } from '../../pipeline/engine.ts'
import type { ErrorHandler } from '../observe/outside-code.ts'
import { reportFaults } from '../observe/outside-code.ts'
import type { RunOptions } from '../runtime.ts'

/** Calls tools on a schedule, in the sessions that the runtime has open. */
export interface Periodic {
  /** Starts watching a session that was opened. */
  readonly watch: (log: SessionLog) => void
  /** Runs work in a session; no scheduled call starts there meanwhile. */
  readonly during: <T>(log: SessionLog, work: () => Soon<T>) => Soon<T>
  /** Calls whatever is due. */
  readonly tick: () => Promise<void>
  /** Makes no more calls, stops the running one, and waits for it. */
  readonly close: () => Promise<void>
}

/** What scheduled calls need. */
export interface PeriodicDeps {
  readonly rules: RuleHistory
  readonly clock: Clock
  /** Calls a tool on behalf of the runtime; never throws. */
  readonly call: (log: SessionLog, tool: string, signal: AbortSignal) => Promise<void>
}

interface Watched {
  readonly log: SessionLog
  readonly openedAt: number
  /** When each tool was last called on schedule, whatever the outcome, so that a denial is not retried at once. */
  readonly triedAt: Map<string, number>
  busy: number
}

const SHORTEST_WAIT_MS = 10
const LONGEST_WAIT_MS = 1000

/** Creates the schedule. Without a Periodic rule it does nothing, and it never keeps the process alive. */
export function createPeriodic({ rules, clock, call }: PeriodicDeps): Periodic {
  const isWanted = rules.book.rules.some(({ type }) => type === 'Periodic')
  const watched = new Map<SessionLog, Watched>()
  const stop = new AbortController()
  let timer: NodeJS.Timeout | undefined
  let work: Promise<void> | null = null

  function dueIn(session: Watched): readonly { readonly tool: string; readonly leftMs: number }[] {
    const { log, openedAt, triedAt } = session
    const now = clock.now()
    const { lastRunAt } = rules.lastingState(log)
    return schedulePeriodic(rules.book, { lastRunAt, triedAt, openedAt, now }).map(({ tool, dueAt }) => ({
      tool,
      leftMs: dueAt - now,
    }))
  }

  async function callDue(): Promise<void> {
    for (const session of watched.values()) {
      for (const { tool, leftMs } of dueIn(session)) {
        if (leftMs > 0 || session.busy > 0 || stop.signal.aborted) break
        session.triedAt.set(tool, clock.now())
        await call(session.log, tool, stop.signal)
      }
    }
  }

  function tick(): Promise<void> {
    work ??= callDue().finally(() => (work = null))
    return work
  }

  function plan(): void {
    if (!isWanted || stop.signal.aborted) return
    clearTimeout(timer)
    const left = [...watched.values()].flatMap((session) => dueIn(session).map(({ leftMs }) => leftMs))
    const waitMs = Math.min(LONGEST_WAIT_MS, Math.max(SHORTEST_WAIT_MS, Math.min(...left)))
    timer = setTimeout(() => void tick().then(plan), waitMs).unref()
  }

  async function runBusy<T>(session: Watched, busyWork: () => Soon<T>): Promise<T> {
    session.busy += 1
    try {
      return await busyWork()
    } finally {
      session.busy -= 1
    }
  }

  return {
    watch(log) {
      if (!isWanted || watched.has(log)) return
      watched.set(log, { log, openedAt: clock.now(), triedAt: new Map(), busy: 0 })
      plan()
    },
    during(log, busyWork) {
      const session = watched.get(log)
      return session === undefined ? busyWork() : runBusy(session, busyWork)
    },
    tick,
    async close() {
      stop.abort()
      clearTimeout(timer)
      await work
    },
  }
}

/** What a scheduled call is made with. */
export interface ClockCallDeps {
  readonly rules: RuleHistory
  readonly newId: () => string
  readonly openEngine: () => Promise<Engine>
  readonly runIn: (engine: Engine, log: SessionLog, options: RunOptions) => Run
  readonly report: ErrorHandler
}

/** Questions that wait would pile up with every period. */
const ON_SCHEDULE = { call: null, mayWait: false } as const

/** Makes scheduled calls: each wakes up the newest turn, in a pass of its own. */
export function callByClock({
  rules,
  newId,
  openEngine,
  runIn,
  report,
}: ClockCallDeps): PeriodicDeps['call'] {
  return async (log, tool, signal) => {
    const turn = rules.newestTurn(log) ?? newId()
    const work = async () => {
      const engine = await openEngine()
      await engine.runAhead([tool], ON_SCHEDULE, runIn(engine, log, { turn, isWakeUp: true, signal }))
    }
    // The fault is reported by then, and the schedule goes on.
    await reportFaults(log.key.name, report, work).catch(() => undefined)
  }
}
