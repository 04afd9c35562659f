import { showPath } from '../../core/text/display/show-path.ts'
import type { Settings } from '../../config/keys.ts'
import { isJsonObject } from '../../core/json/value.ts'
import type { JsonObject } from '../../core/json/value.ts'
import type { Registry } from '../../core/registry.ts'
import type { Tool } from '../../core/tool.ts'
import type { BatchEntry, DeclaredCall, StoredEntry } from '../../journal/entries/entry.ts'
import type { SessionLog } from '../../journal/log.ts'
import { DELEGATION } from '../../journal/entries/delegated-entry.ts'
import type { ErrorReport } from '../error-report.ts'
import { describeDelegated } from './delegated-record.ts'
import { isParked } from '../parse/parked-batch.ts'
import { hasCallUnderWay } from '../parse/waiting-batch.ts'
import { findReceived } from '../parse/received-message.ts'
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

/** Finds interrupted batches by evidence alone; nothing is run or changed. */
export async function inspect(log: SessionLog, deps: RecoveryDeps): Promise<readonly InterruptedBatch[]> {
  const unlanded = log.unlanded().filter(({ execution }) => !deps.workspace.isPending(execution))
  const doubtful = new Map(
    unlanded.map((one) => [
      one.execution,
      isMadeElsewhere(one, log, deps.workspace) ? WAITS_ELSEWHERE : doubtAbout(one.execution, log),
    ]),
  )
  const found: InterruptedBatch[] = []
  for (const { batch, entries } of collectBatches(log, doubtful.keys())) {
    if (isWaiting(batch, entries, deps.now(), log)) continue
    const calls: RecoveredCall[] = []
    const byCall = Map.groupBy(entries, ({ entry }) => ('execution' in entry ? entry.execution : null))
    for (const call of batch.calls)
      calls.push(await judgeCall(call, byCall.get(call.execution) ?? [], doubtful, { ...deps, log }))
    found.push({ kind: 'batch', session: log.key.name, batch: batch.batch, turn: batch.turn, calls })
  }
  for (const [execution, evidence] of doubtful) {
    const [entry] = log.about(execution).map((stored) => stored.entry)
    if (entry?.kind !== 'undo' && entry?.kind !== 'redo') continue
    const name = entry.rollsBack === undefined ? entry.kind : 'roll-back'
    const call = { execution, id: '', name, status: 'in_doubt', evidence } as const
    found.push({ kind: 'revert', session: log.key.name, batch: execution, turn: '', calls: [call] })
  }
  const received = findReceived(log)
  if (received !== null) {
    const calls = received.calls.map(({ execution, id, name }) => ({
      execution,
      id,
      name,
      status: 'never_started' as const,
      evidence: RECEIVED,
    }))
    const batch = calls[0]?.execution ?? ''
    found.push({ kind: 'received', session: log.key.name, batch, turn: received.turn, calls })
  }
  return found
}

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
function isWaiting(
  batch: BatchEntry,
  entries: readonly StoredEntry[],
  now: number,
  log: SessionLog,
): boolean {
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

/** Entries about a batch rather than about one of its calls. */
const BATCH_ENTRIES: ReadonlySet<string> = new Set(['asked', 'answered', 'continued', 'held', 'parked'])

/** A batch with the entries about it and its calls, oldest first. */
export interface BatchRecord {
  readonly batch: BatchEntry
  readonly entries: readonly StoredEntry[]
}

/** The open batches of a session, and those of the doubtful calls, oldest first. */
function collectBatches(log: SessionLog, doubtful: Iterable<string>): readonly BatchRecord[] {
  const places = new Set(log.openBatches().map(({ seq }) => seq))
  for (const execution of doubtful) {
    const place = placeOfBatch(execution, log)
    if (place !== null) places.add(place)
  }
  return [...places].toSorted((one, other) => one - other).flatMap((seq) => readBatch(seq, log) ?? [])
}

/** The sequence number of the batch that a call belongs to, or null. */
function placeOfBatch(execution: string, log: SessionLog): number | null {
  return log.about(execution).find(({ entry }) => entry.kind === 'batch')?.seq ?? null
}

function readBatch(seq: number, log: SessionLog): BatchRecord | null {
  const about = log.aboutBatch(seq)
  const batch = about.find((stored) => stored.seq === seq)?.entry
  if (batch?.kind !== 'batch') return null
  const own = new Set(batch.calls.map(({ execution }) => execution))
  const entries = about.filter(({ entry }) =>
    entry.kind === 'settled' || entry.kind === 'started' || entry.kind === 'landing'
      ? own.has(entry.execution)
      : entry.kind === 'note' && entry.about === DELEGATION
        ? own.has(entry.execution ?? '')
        : BATCH_ENTRIES.has(entry.kind) && 'batch' in entry && entry.batch === batch.batch,
  )
  return { batch, entries }
}

/** The calls of a batch that have a result; any of its calls identifies it. */
export function settledIn(execution: string, log: SessionLog): ReadonlySet<string> {
  const place = placeOfBatch(execution, log)
  const entries = place === null ? [] : (readBatch(place, log)?.entries ?? [])
  return new Set(entries.flatMap(({ entry }) => (entry.kind === 'settled' ? [entry.execution] : [])))
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
  if (about.some(({ kind }) => kind === 'settled')) return found('finished', 'its result is on record')
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
