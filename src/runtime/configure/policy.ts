import type { Origin } from '../../core/call.ts'
import type { SessionLog, LogReader } from '../../journal/log.ts'
import type { Engine, Run } from '../../pipeline/engine.ts'
import { judgeOnly } from '../../pipeline/after/judge-only.ts'
import type { CheckedCall } from '../../pipeline/after/judge-only.ts'
import { replay } from '../../pipeline/after/replay.ts'
import type { Replayed } from '../../pipeline/after/replay.ts'
import { createRuleHistory } from '../../pipeline/memory/rule-history.ts'
import type { Sessions } from '../sessions/sessions.ts'
import type { StoredEntry } from '../../journal/entries/entry.ts'

/** Options for calls that are only judged. */
export interface CheckOptions {
  readonly session?: string
  readonly origin?: Origin
  readonly dryRun?: boolean
}

/** Judges calls without running them; records and changes nothing. */
export interface Policy {
  /** How these calls would be judged if they were made now, as one batch. */
  readonly check: (calls: readonly unknown[], options?: CheckOptions) => Promise<readonly CheckedCall[]>
  /** How recorded calls would be judged under the current configuration. */
  readonly replay: (options?: { readonly session?: string }) => Promise<Replayed>
}

/** What judging needs. */
export interface PolicyDeps {
  readonly sessions: Sessions
  readonly openEngine: () => Promise<Engine>
  readonly runIn: (engine: Engine, log: SessionLog, options: CheckOptions) => Run
}

/** Opens the policy of a runtime. */
export function openPolicy({ sessions, openEngine, runIn }: PolicyDeps, defaultSession: string): Policy {
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
    // The history of the rules is rebuilt while the log is replayed.
    const { book, timeOf } = engine.rules
    const rules = createRuleHistory(book, engine.registry, timeOf)
    const rewindTo = (index: number): void => void (end = index)
    return replay(
      { entries, payload: reader.payload, rewindTo },
      runIn({ ...engine, rules }, log, { session: name }),
    )
  }
}

/**
 * A read-only log for judging: it can be read like an owned one, up to `end`. The entries are read once, on first
 * use.
 */
function readingLog(reader: LogReader, end: () => number = () => Infinity): SessionLog {
  const { key, payload, openBatches } = reader
  let known: readonly StoredEntry[] | null = null

  function* entries(fromSeq: number): Generator<StoredEntry> {
    known ??= [...reader.entries()]
    const first = known[0]?.seq ?? 1
    const last = Math.min(known.length, end())
    for (let index = Math.max(0, fromSeq - first); index < last; index++) {
      const stored = known[index]
      if (stored !== undefined) yield stored
    }
  }

  const refuse = (): never => {
    throw new Error(`session ${key.name} is open for reading only`)
  }
  return {
    key,
    payload,
    openBatches,
    newestOpen: () => null,
    entries: (fromSeq = 1) => entries(fromSeq),
    latestSeq: () => {
      known ??= [...reader.entries()]
      return known[Math.min(known.length, end()) - 1]?.seq ?? 0
    },
    about: () => [],
    aboutBatch: reader.aboutBatch,
    sealOf: reader.sealOf,
    edits: () => [],
    findCalls: () => [],
    *newestFirst(kind) {
      for (const stored of [...entries(1)].toReversed())
        if (kind === undefined || stored.entry.kind === kind) yield stored
    },
    ledger: () => null,
    append: refuse,
    appendTogether: refuse,
    landed: refuse,
    synced: refuse,
    unlanded: () => [],
    breach: null,
    vouchesFor: () => true,
    holdsFrom: () => true,
    close: () => undefined,
  }
}
