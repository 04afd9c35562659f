import { showPath } from '../../core/text/display/show-path.ts'
import type { Settings } from '../../config/keys.ts'
import { isJsonObject } from '../../core/json/value.ts'
import type { JsonObject } from '../../core/json/value.ts'
import type { Registry } from '../../core/registry.ts'
import type { Tool } from '../../core/tool.ts'
import type { DeclaredCall, StoredEntry } from '../../journal/entries/entry.ts'
import type { SessionLog } from '../../journal/log.ts'
import type { ErrorReport } from '../error-report.ts'
import { isUnverified } from '../log-doubt.ts'
import { describeDelegated } from './delegated-record.ts'
import { collectBatches, readOpenFrom, settledIn } from './interrupted/read-batches.ts'
import type { BatchRecord } from './interrupted/read-batches.ts'
import { isParked } from '../parse/parked-batch.ts'
import { hasCallUnderWay } from '../parse/waiting-batch.ts'
import { findReceived } from '../parse/received-message.ts'
import type { ReceivedMessage } from '../parse/received-message.ts'
import { isMadeElsewhere, WAITS_ELSEWHERE } from '../made-elsewhere.ts'
import type { RollBackDeps } from '../commit/roll-back.ts'

/** The status of a call of an interrupted batch, according to the evidence. */
export type CallStatus = 'never_started' | 'finished' | 'in_doubt' | 'discarded'

/** One call of an interrupted batch. */
export interface RecoveredCall {
  readonly execution: string
  readonly id: string
  readonly name: string
  readonly status: CallStatus
  /** Why it has this status. */
  readonly evidence: string
}

/**
 * An interrupted batch, calls that a model requested but that never became a batch, or an undo or redo whose files are
 * not all in place.
 */
export interface InterruptedBatch {
  readonly kind: 'batch' | 'received' | 'revert'
  readonly session: string
  readonly batch: string
  readonly turn: string
  readonly calls: readonly RecoveredCall[]
}

/** What recovery needs besides the log. */
export interface RecoveryDeps {
  readonly registry: Registry
  readonly digest: (bytes: string | Uint8Array) => string
  readonly now: () => number
  readonly onError: (report: ErrorReport) => void
  readonly workspace: RollBackDeps['workspace']
  readonly newId: () => string
  /** What is wrong with an output of a tool; nothing if it matches the schema. */
  readonly problemsOf: (tool: Tool, output: JsonObject) => readonly string[]
  readonly settings: Settings
  /** Told what a tool says that a call of it returned before its process died. */
  readonly onReconciled?: (execution: string, output: JsonObject) => void
}

/** An interrupted batch with those of its calls that have a result. */
export type FoundBatch = InterruptedBatch & { readonly settled: ReadonlySet<string> }

/** Finds interrupted batches by evidence alone; nothing is run or changed. */
export async function inspect(log: SessionLog, deps: RecoveryDeps): Promise<readonly InterruptedBatch[]> {
  const found = await findInterrupted(log, deps)
  return found.map(asReported)
}

/** What callers are told of a batch. */
export function asReported({ kind, session, batch, turn, calls }: FoundBatch): InterruptedBatch {
  return { kind, session, batch, turn, calls }
}

/** The same, for closing them. */
export async function findInterrupted(log: SessionLog, deps: RecoveryDeps): Promise<readonly FoundBatch[]> {
  const unlanded = log.unlanded().filter(({ execution }) => !deps.workspace.isPending(execution))
  const doubtful = new Map(
    unlanded.map((one) => [
      one.execution,
      isMadeElsewhere(one, log, deps.workspace) ? WAITS_ELSEWHERE : doubtAbout(one.execution, log),
    ]),
  )
  const listed = collectBatches(log, doubtful.keys()).filter((one) => !isWaiting(one, deps.now(), log))
  const received = findReceived(log)
  const told = readUnverified(listed, received, log)
  const toldAt = new Set(told.map(({ seq }) => seq))
  const found: FoundBatch[] = []
  for (const record of [...listed.filter(({ seq }) => !toldAt.has(seq)), ...told].toSorted(bySeq)) {
    const { batch, entries, seq } = record
    const calls: RecoveredCall[] = []
    const byCall = Map.groupBy(entries, ({ entry }) => ('execution' in entry ? entry.execution : null))
    for (const call of batch.calls) {
      const about = byCall.get(call.execution) ?? []
      calls.push(
        toldAt.has(seq)
          ? judgeUnverified(call, about, doubtful)
          : await judgeCall(call, about, doubtful, { ...deps, log }),
      )
    }
    const { batch: id, turn } = batch
    found.push({ kind: 'batch', session: log.key.name, batch: id, turn, calls, settled: settledIn(record) })
  }
  for (const [execution, evidence] of doubtful) {
    const [entry] = log.about(execution).map((stored) => stored.entry)
    if (entry?.kind !== 'undo' && entry?.kind !== 'redo') continue
    const name = entry.rollsBack === undefined ? entry.kind : 'roll-back'
    const call = { execution, id: '', name, status: 'in_doubt', evidence } as const
    const settled = new Set([execution])
    found.push({ kind: 'revert', session: log.key.name, batch: execution, turn: '', calls: [call], settled })
  }
  if (received !== null) {
    const judged = isUnverified(log, received.seq)
      ? ({ status: 'in_doubt', evidence: UNRELIABLE } as const)
      : ({ status: 'never_started', evidence: RECEIVED } as const)
    const calls = received.calls.map(({ execution, id, name }) => ({ execution, id, name, ...judged }))
    const batch = calls[0]?.execution ?? ''
    const { turn } = received
    found.push({ kind: 'received', session: log.key.name, batch, turn, calls, settled: new Set() })
  }
  return found
}

/**
 * The batches that cannot be judged by what is on record, as the entries themselves tell them: if the log cannot be relied on
 * from the oldest one that is open, all from there on. The newest one counts also if the tables say that it is not open, or
 * that it waits.
 */
function readUnverified(
  listed: readonly BatchRecord[],
  received: ReceivedMessage | null,
  log: SessionLog,
): readonly BatchRecord[] {
  const open = listed.filter((record) => settledIn(record).size < record.batch.calls.length)
  const places = [...open.map(({ seq }) => seq), log.newestOpen() ?? [], received?.seq ?? []].flat()
  if (places.length === 0) return []
  const from = Math.min(...places)
  return isUnverified(log, from) ? readOpenFrom(from, listed, log) : []
}

const UNRELIABLE =
  'the log of its session does not verify, so nothing shows what it did; run tongs audit verify, then tongs repair'

/** What is known of a call if the log cannot be relied on. */
function judgeUnverified(
  { execution, id, name }: DeclaredCall,
  about: readonly StoredEntry[],
  doubtful: ReadonlyMap<string, string>,
): RecoveredCall {
  const call = { execution, id, name }
  const doubt = doubtful.get(execution)
  if (doubt !== undefined) return { ...call, status: 'in_doubt', evidence: doubt }
  return about.some(({ entry }) => entry.kind === 'settled')
    ? { ...call, status: 'finished', evidence: ON_RECORD }
    : { ...call, status: 'in_doubt', evidence: UNRELIABLE }
}

const ON_RECORD = 'its result is on record'
const RECEIVED = 'the model requested it, but its batch never started'

/** Why a commit is not fully in place. */
function doubtAbout(execution: string, log: SessionLog): string {
  const files = doubtfulFiles(execution, log)
  return files.length === 0
    ? 'its changes are committed but could not be put in place yet'
    : `its changes are committed but not fully in place: ${files.map(showPath).join(', ')} changed outside this call`
}

/** The files that were changed outside the call, so that its commit cannot be finished. */
export function doubtfulFiles(execution: string, log: SessionLog): readonly string[] {
  const found = new Set<string>()
  for (const { entry } of log.about(execution)) {
    if (entry.kind !== 'note' || entry.about !== 'in_doubt' || !isJsonObject(entry.data)) continue
    const { files } = entry.data
    if (Array.isArray(files)) for (const file of files) found.add(String(file))
  }
  return [...found]
}

/** A batch whose questions can still be answered, or whose open calls are held for a person, was not interrupted. */
function isWaiting({ batch, entries }: BatchRecord, now: number, log: SessionLog): boolean {
  const { calls } = batch
  if (hasCallUnderWay(entries)) return false
  const isDone = new Set(entries.flatMap(({ entry }) => (entry.kind === 'settled' ? [entry.execution] : [])))
  const held = new Set(entries.flatMap(({ entry }) => (entry.kind === 'held' ? entry.executions : [])))
  const open = calls.filter(({ execution }) => !isDone.has(execution))
  if (open.length > 0 && open.every(({ execution }) => held.has(execution))) return true
  // It goes on in a conversation, once the conversations of its calls wait for nothing any more.
  if (isParked(batch.batch, entries, log)) return true
  const answered = new Set(
    entries.flatMap(({ entry }) => (entry.kind === 'answered' ? [entry.approval] : [])),
  )
  const asked = entries.flatMap(({ entry }) =>
    entry.kind === 'asked' && entry.whileRunning !== true ? [entry] : [],
  )
  // What a call changed is on its layer until its landing is committed, whoever began with that.
  const landing = new Set(
    entries.flatMap(({ entry, seq }) =>
      entry.kind === 'landing' && !isDone.has(entry.execution) && log.vouchesFor(seq)
        ? [entry.execution]
        : [],
    ),
  )
  if (
    asked.some(
      ({ questions, expiresAt }) =>
        now <= expiresAt && questions.some(({ execution }) => landing.has(execution)),
    )
  )
    return true
  // A batch that went on may have stopped at another question: whether what a call changed may land.
  if (
    entries.findLast(({ entry }) => entry.kind === 'continued' || entry.kind === 'landing')?.entry.kind ===
    'continued'
  )
    return false
  return asked.some(
    ({ questions, expiresAt }) =>
      now <= expiresAt && questions.some(({ approval }) => !answered.has(approval)),
  )
}

async function judgeCall(
  call: DeclaredCall,
  entries: readonly StoredEntry[],
  doubtful: ReadonlyMap<string, string>,
  deps: RecoveryDeps & { readonly log: SessionLog },
): Promise<RecoveredCall> {
  const { execution, id, name } = call
  const about = entries.map(({ entry }) => entry)
  const found = (status: CallStatus, evidence: string): RecoveredCall => ({
    execution,
    id,
    name,
    status,
    evidence,
  })
  const doubt = doubtful.get(execution)
  if (doubt !== undefined) return found('in_doubt', doubt)
  if (about.some(({ kind }) => kind === 'settled')) return found('finished', ON_RECORD)
  if (about.some(({ kind }) => kind === 'note'))
    return found('in_doubt', describeDelegated(execution, deps.log))
  const started = about.find((entry) => entry.kind === 'started')
  if (started === undefined)
    return found('never_started', 'neither a start nor a commit is on record, so it had no effect')
  if (started.layer !== undefined)
    return found(
      'discarded',
      'its process ended with Tongs, and what it changed was on a layer that is dropped',
    )
  const tool = deps.registry.find(name)
  if (tool === null || tool.reconcile === null || started.idempotencyKey === null)
    return found('in_doubt', 'it was started, but its end is not on record')
  const { is, output } = await ask(tool.reconcile, started.idempotencyKey)
  if (is === 'never_began') return found('never_started', 'the tool says it never started')
  if (is !== 'finished') return found('in_doubt', 'it was started, but the tool does not know how it ended')
  if (!isJsonObject(output) || deps.problemsOf(tool, output).length > 0)
    return found('in_doubt', 'the tool says it finished, but not with which result')
  deps.onReconciled?.(execution, output)
  return found('finished', 'the tool says it finished')
}

/** Asks the tool how a call ended; a failure counts as unknown. */
async function ask(
  reconcile: (key: string) => unknown,
  key: string,
): Promise<{ readonly is?: unknown; readonly output?: unknown }> {
  try {
    const answer: unknown = await reconcile(key)
    if (typeof answer !== 'object' || answer === null) return {}
    return { is: 'is' in answer ? answer.is : null, output: 'output' in answer ? answer.output : null }
  } catch {
    return {}
  }
}

function bySeq(one: BatchRecord, other: BatchRecord): number {
  return one.seq - other.seq
}
