import type { Origin } from '../../core/call.ts'
import type { SessionLog } from '../../journal/log.ts'
import type { Engine, Run } from '../../pipeline/engine.ts'
import { judgeOnly } from '../../pipeline/after/judge-only.ts'
import type { CheckedCall } from '../../pipeline/after/judge-only.ts'
import { replay } from '../../pipeline/after/replay.ts'
import type { Replayed } from '../../pipeline/after/replay.ts'
import { createRuleHistory } from '../../pipeline/memory/rule-history.ts'
import { readingLog } from '../sessions/reading-log.ts'
import type { Sessions } from '../sessions/sessions.ts'

/** What may be said about calls that are only judged. */
export interface CheckOptions {
  readonly session?: string
  readonly origin?: Origin
  readonly dryRun?: boolean
}

/** Judges without running; nothing is recorded, nothing is changed. */
export interface Policy {
  /** What would be said of these calls if they were made now, as one batch. */
  readonly check: (calls: readonly unknown[], options?: CheckOptions) => Promise<readonly CheckedCall[]>
  /** What would be said of recorded calls under the configuration in force now. */
  readonly replay: (options?: { readonly session?: string }) => Promise<Replayed>
}

/** What judging needs. */
export interface PolicyParts {
  readonly sessions: Sessions
  readonly openEngine: () => Promise<Engine>
  readonly runIn: (engine: Engine, log: SessionLog, options: CheckOptions) => Run
}

/** Opens the policy of a runtime. */
export function openPolicy({ sessions, openEngine, runIn }: PolicyParts, defaultSession: string): Policy {
  return {
    async check(calls, options = {}) {
      await sessions.ready()
      const reader = sessions.peek(options.session ?? defaultSession)
      const log = readingLog(reader)
      return judgeOnly(calls, runIn(await openEngine(), log, options))
    },
    async replay({ session } = {}) {
      await sessions.ready()
      const engine = await openEngine()
      await engine.shell.ready()
      engine.workspace.clearPathCache()
      const names = sessions.names().filter((name) => session === undefined || name === session)
      const parts = names.map((name) => replaySession(name, engine))
      return {
        judged: parts.reduce((sum, { judged }) => sum + judged, 0),
        differences: parts.flatMap(({ differences }) => differences),
        notJudged: parts.flatMap(({ notJudged }) => notJudged),
      }
    },
  }

  function replaySession(name: string, engine: Engine): Replayed {
    const reader = sessions.peek(name)
    const entries = [...reader.entries()]
    let end = 0
    const log = readingLog({ ...reader, entries: () => entries }, () => end)
    // What the rules remember is built up anew while the log unrolls.
    const rules = createRuleHistory(engine.rules.book, engine.registry)
    const standBefore = (index: number): void => void (end = index)
    return replay(
      { entries, payload: reader.payload, standBefore },
      runIn({ ...engine, rules }, log, { session: name }),
    )
  }
}
