import type { BatchEntry, GateRecord, SettledEntry, StoredEntry } from '../../journal/entries/entry.ts'
import { readDelegation } from '../../journal/folds/read-delegation.ts'
import type { LogReader } from '../../journal/log.ts'
import { applyingGates, externalGates } from '../../policy/external/external-gate.ts'
import { readRecordedAnswers } from '../../policy/external/gate-answer.ts'
import { GATES } from '../../policy/gates/gates.ts'
import { resources } from '../../policy/gates/limit-gates.ts'
import type { GateRunner } from '../memory/gate-runner.ts'
import type { Engine, Run } from '../engine.ts'
import { decidingGate, verdictOf } from './judge-only.ts'
import type { PolicyVerdict } from './judge-only.ts'
import { judgeCall } from '../plan/plan.ts'
import type { Step } from '../step.ts'
import { readAgain } from '../parse/read-batch.ts'
import type { Received } from '../step.ts'

/** A recorded call whose verdict would be different now. */
export interface ReplayedCall {
  readonly execution: string
  readonly session: string
  readonly name: string
  readonly was: PolicyVerdict
  readonly now: PolicyVerdict
  /** The gate that decides now, and what it looked at. */
  readonly gate: string
  readonly fact: string
}

/** A recorded call that could not be judged again. */
export interface UnjudgedCall {
  readonly execution: string
  readonly session: string
  readonly name: string
  readonly why: string
}

/** The outcome of judging a session again. */
export interface Replayed {
  readonly judged: number
  readonly differences: readonly ReplayedCall[]
  readonly notJudged: readonly UnjudgedCall[]
}

/** A log that shows only its beginning, up to the current position of the replay. */
export interface RewoundLog {
  readonly entries: readonly StoredEntry[]
  readonly payload: LogReader['payload']
  /** Shows the log as it was before the entry at this index. */
  readonly rewindTo: (index: number) => void
}

interface Declared {
  readonly call: Received
  readonly position: number
  readonly sameId: number
  readonly batch: BatchEntry
  readonly iteration: number
}

/** The recorded findings about a call, when they were made, and where they are in the log. */
interface RecordedFindings {
  readonly gates: readonly GateRecord[]
  readonly at: number
  readonly index: number
}

const POLICY_GATES: ReadonlySet<string> = new Set(
  // The resources left at that time do not depend on the configuration.
  GATES.filter((gate) => gate !== resources).map(({ name }) => name),
)

/** Judges every call of a log again, on the log as it was when the call was settled or asked about. */
export function replay(log: RewoundLog, run: Run): Replayed {
  const { engine } = run
  const declared = new Map<string, Declared>()
  const passes = new Map<string, string>()
  const rounds = new Map<string, number>()
  const waiting = new Map<string, RecordedFindings>()
  const differences: ReplayedCall[] = []
  const notJudged: UnjudgedCall[] = []
  let judged = 0
  for (const [index, { entry, at }] of log.entries.entries()) {
    if (entry.kind === 'batch') declare(entry)
    else if (entry.kind === 'continued') passes.set(entry.batch, entry.pass ?? entry.batch)
    else if (entry.kind === 'asked')
      for (const { execution, gates } of entry.judged ?? []) waiting.set(execution, { gates, at, index })
    else if (entry.kind === 'settled')
      compare(entry.execution, { gates: entry.gates, at: momentOf(entry, at), index })
  }
  for (const execution of declared.keys())
    compare(execution, waiting.get(execution) ?? { gates: [], at: 0, index: 0 })
  return { judged, differences, notJudged }

  function compare(execution: string, { gates, at, index }: RecordedFindings): void {
    const known = declared.get(execution)
    if (known === undefined) return
    declared.delete(execution)
    const about = { execution, session: run.log.key.name, name: known.call.name }
    const was = verdictThen(gates)
    if (was === null) return void notJudged.push({ ...about, why: 'it was never judged' })
    if (log.payload(known.call.onRecord.digest) === null)
      return void notJudged.push({ ...about, why: 'its arguments were erased' })
    log.rewindTo(index)
    judged += 1
    const { judgement } = judgeThen(known, { at, gates })
    const now = verdictOf(judgement)
    const { gate = '', fact = '' } = decidingGate(judgement.findings) ?? {}
    if (now !== was) differences.push({ ...about, was, now, gate, fact })
  }

  function declare(batch: BatchEntry): void {
    const { turn, pass = turn, origin } = batch
    passes.set(batch.batch, pass)
    // A delegated conversation has rounds of its own.
    const of = batch.delegate ?? turn
    const iteration = (rounds.get(of) ?? 0) + (origin === 'model' ? 1 : 0)
    rounds.set(of, iteration)
    const ids = new Map<string, number>()
    for (const { id } of batch.calls) ids.set(id, (ids.get(id) ?? 0) + 1)
    for (const [index, call] of readAgain(batch, log, engine).entries()) {
      const sameId = ids.get(call.id) ?? 1
      declared.set(call.execution, { call, position: index + 1, sameId, batch, iteration })
    }
  }

  function judgeThen(
    { call, position, sameId, batch, iteration }: Declared,
    { at, gates }: Pick<RecordedFindings, 'at' | 'gates'>,
  ): Step {
    const { turn, origin, delegate, isDryRun = false } = batch
    const given = delegate === undefined ? null : readDelegation(log.entries, delegate)
    const only = given === null ? null : new Set(given.tools)
    const clock = { ...engine.clock, now: () => at }
    const pass = passes.get(batch.batch) ?? turn
    const place = { turn, pass, origin, isDryRun, iteration: Math.max(1, iteration), isFreshTurn: false }
    const conversation = { only, isContinued: origin === 'model' }
    const then: Engine = {
      ...engine,
      clock,
      availability: () => null,
      gateRunner: replayAnswers(call, gates, engine),
    }
    return judgeCall({ call, position, sameId }, { ...run, ...place, ...conversation, engine: then })
  }
}

const startNothing = async () => ({ is: 'unstarted', why: 'a replay starts no gate programs' }) as const

/** External gates are not started again for recorded calls; their recorded answers count. */
function replayAnswers(call: Received, gates: readonly GateRecord[], { settings }: Engine): GateRunner {
  const { fact = '', answers: recorded } = gates.find(({ gate }) => gate === externalGates.name) ?? {}
  const answers = readRecordedAnswers(applyingGates(settings['tools.gates'], call.name), fact, recorded)
  return { ask: startNothing, answered: new WeakMap([[call, { input: '', answers }]]) }
}

/** When a call was rechecked; for a refused call, when the refusal was recorded. */
function momentOf({ moves }: SettledEntry, at: number): number {
  return moves.find(({ state }) => state === 'AUTHORIZED')?.at ?? at
}

/** The recorded verdict of the policy, regardless of approvals and failures after it; null if there is none. */
function verdictThen(gates: readonly GateRecord[]): PolicyVerdict | null {
  const findings = gates.filter(({ gate }) => POLICY_GATES.has(gate))
  const last = findings.at(-1)
  if (last === undefined) return null
  if (last.verdict === 'deny') return 'denied'
  if (last.verdict === 'fail') return 'failed'
  return findings.some(({ verdict }) => verdict === 'ask') ? 'ask' : 'allowed'
}
