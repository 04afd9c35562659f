import type { SessionLog } from '../../journal/log.ts'
import type { Engine, Run } from '../../pipeline/engine.ts'
import type { RuleHistory } from '../../pipeline/memory/rule-history.ts'
import type { ErrorHandler } from '../observe/outside-code.ts'
import { reportFaults } from '../observe/outside-code.ts'
import type { PeriodicParts } from './periodic.ts'
import type { RunOptions } from '../runtime.ts'

/** What a call by the clock is made with. */
export interface ClockCaller {
  readonly rules: RuleHistory
  readonly newId: () => string
  readonly openEngine: () => Promise<Engine>
  readonly runIn: (engine: Engine, log: SessionLog, options: RunOptions) => Run
  readonly report: ErrorHandler
}

/** A call that nobody asked for wakes the newest turn up, in a pass of its own. */
export function callByClock({ rules, newId, openEngine, runIn, report }: ClockCaller): PeriodicParts['call'] {
  return async (log, tool, signal) => {
    const turn = rules.newestTurn(log) ?? newId()
    const work = async () => {
      const engine = await openEngine()
      await engine.runAhead([tool], null, runIn(engine, log, { turn, isWakeUp: true, signal }))
    }
    // Whoever watches the runtime has heard of a fault by then; the clock goes on.
    await reportFaults(log.key.name, report, work).catch(() => undefined)
  }
}
