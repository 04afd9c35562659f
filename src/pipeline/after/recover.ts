import { toolError } from '../../core/error.ts'
import type { ToolError } from '../../core/error.ts'
import { isJsonObject } from '../../core/json/value.ts'
import type { Registry } from '../../core/registry.ts'
import type {
  BatchEntry,
  DeclaredCall,
  Entry,
  SettledEntry,
  StoredEntry,
} from '../../journal/entries/entry.ts'
import type { SessionLog } from '../../journal/log.ts'
import { withPrerequisites } from '../../policy/capabilities/capability-tree.ts'
import { describeFailure } from '../error-report.ts'
import type { ErrorReport } from '../error-report.ts'
import { presentFailure } from '../present.ts'
import { adoptMessage, findReceived } from '../parse/received-message.ts'

/** What the evidence says about a call of an interrupted batch. */
export type CallStatus = 'never_started' | 'finished' | 'in_doubt'

/** One call of an interrupted batch. */
export interface RecoveredCall {
  readonly execution: string
  readonly id: string
  readonly name: string
  readonly status: CallStatus
  /** Why it is judged so. */
  readonly evidence: string
}

/**
 * A batch that was interrupted; calls that a model had asked for before they became one; or an undo or redo whose
 * files are not all in place.
 */
export interface InterruptedBatch {
  readonly kind: 'batch' | 'received' | 'revert'
  readonly session: string
  readonly batch: string
  readonly turn: string
  readonly calls: readonly RecoveredCall[]
}

/** What to do with what an interrupted batch left. */
export type RecoveryChoice = 'resume' | 'discard'

/** What recovery needs beside the log. */
export interface RecoveryDeps {
  readonly registry: Registry
  readonly digest: (bytes: string | Uint8Array) => string
  readonly now: () => number
  readonly onError: (report: ErrorReport) => void
}

const utf8 = new TextEncoder()

/** Looks at interrupted batches by evidence alone; nothing is run, nothing is changed. */
export async function inspect(log: SessionLog, engine: RecoveryDeps): Promise<readonly InterruptedBatch[]> {
  const doubtful = new Map(log.unlanded().map(({ execution }) => [execution, doubtAbout(execution, log)]))
  const ids = new Set(log.openBatches().map(({ batch }) => batch))
  const found: InterruptedBatch[] = []
  for (const { batch, entries } of collectBatches(log, ids, doubtful)) {
    if (isWaiting(batch, entries, engine.now())) continue
    const calls: RecoveredCall[] = []
    for (const call of batch.calls) calls.push(await judgeCall(call, entries, doubtful, engine))
    found.push({ kind: 'batch', session: log.key.name, batch: batch.batch, turn: batch.turn, calls })
  }
  for (const [execution, evidence] of doubtful) {
    const [entry] = log.about(execution).map((stored) => stored.entry)
    if (entry?.kind !== 'undo' && entry?.kind !== 'redo') continue
    const call = { execution, id: '', name: entry.kind, status: 'in_doubt', evidence } as const
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

const RECEIVED = 'the model had asked for it, and nothing of its batch had begun'

/** Why a commit is not all in place. */
function doubtAbout(execution: string, log: SessionLog): string {
  const files = doubtfulFiles(execution, log)
  return files.length === 0
    ? 'its changes are committed, but could not be put in place yet'
    : `its changes are committed, but not all in place: neither as before nor as after is ${files.join(', ')}`
}

/** The files that somebody else has changed, so that a commit cannot be finished. */
function doubtfulFiles(execution: string, log: SessionLog): readonly string[] {
  const found = new Set<string>()
  for (const { entry } of log.about(execution)) {
    if (entry.kind !== 'note' || entry.about !== 'in_doubt' || !isJsonObject(entry.data)) continue
    const { files } = entry.data
    if (Array.isArray(files)) for (const file of files) found.add(String(file))
  }
  return [...found]
}

/** A batch whose questions can still be answered, or whose open calls a person is to answer, was not interrupted. */
function isWaiting({ calls }: BatchEntry, entries: readonly StoredEntry[], now: number): boolean {
  const isDone = new Set(entries.flatMap(({ entry }) => (entry.kind === 'settled' ? [entry.execution] : [])))
  const held = new Set(entries.flatMap(({ entry }) => (entry.kind === 'held' ? entry.executions : [])))
  const open = calls.filter(({ execution }) => !isDone.has(execution))
  if (open.length > 0 && open.every(({ execution }) => held.has(execution))) return true
  const answered = new Set(
    entries.flatMap(({ entry }) => (entry.kind === 'answered' ? [entry.approval] : [])),
  )
  const asked = entries.flatMap(({ entry }) =>
    entry.kind === 'asked' && entry.whileRunning !== true ? [entry] : [],
  )
  if (entries.some(({ entry }) => entry.kind === 'continued')) return false
  return asked.some(
    ({ questions, expiresAt }) =>
      now <= expiresAt && questions.some(({ approval }) => !answered.has(approval)),
  )
}

/** Closes the interrupted batches: every call without a result gets one that says what is known, and none runs again. */
export async function recover(
  log: SessionLog,
  choice: RecoveryChoice,
  engine: RecoveryDeps,
): Promise<readonly InterruptedBatch[]> {
  const batches = await inspect(log, engine)
  for (const { kind, batch, turn, calls } of batches) {
    const settled = new Set<string>(kind === 'revert' ? [batch] : [])
    for (const { entry } of log.entries())
      if (entry.kind === 'settled' && entry.batch === batch) settled.add(entry.execution)
    const closings = calls
      .filter(({ execution }) => !settled.has(execution))
      .map((call) => close(call, { batch, turn }, choice, engine))
    const received = kind === 'received' ? findReceived(log) : null
    const adopted = received === null ? null : adoptMessage(received, log, engine)
    const entries: Entry[] = [
      ...(adopted === null ? [] : [adopted.entry]),
      ...closings.map(({ entry }) => entry),
    ]
    entries.push({
      kind: 'recovered',
      batch,
      choice,
      calls: calls.map(({ execution, status, evidence }) => ({ execution, status, evidence })),
    })
    log.append({
      entries,
      payloads: new Map<string, string | Uint8Array>([
        ...(adopted?.payloads ?? []),
        ...closings.map(({ entry, payload }) => [entry.result, payload] as const),
      ]),
      reliance: 'durable',
    })
    for (const { entry, result } of closings)
      engine.onError(
        describeFailure(result, { version: entry.version, phase: 'recovery', session: log.key.name }, null),
      )
    // What could only not be put in place yet is still to be finished; the rest is settled with this.
    for (const { execution, status } of calls)
      if (status === 'in_doubt' && doubtfulFiles(execution, log).length > 0) log.landed(execution, 'given up')
  }
  return batches
}

/** What is said about a batch rather than about one of its calls. */
const CORRESPONDENCE: ReadonlySet<string> = new Set(['asked', 'answered', 'continued', 'held'])

function collectBatches(log: SessionLog, open: ReadonlySet<string>, doubtful: ReadonlyMap<string, string>) {
  const batches = new Map<string, { batch: BatchEntry; entries: StoredEntry[] }>()
  const ofCall = new Map<string, string>()
  for (const stored of log.entries()) {
    const { entry } = stored
    if (
      entry.kind === 'batch' &&
      (open.has(entry.batch) || entry.calls.some(({ execution }) => doubtful.has(execution)))
    ) {
      batches.set(entry.batch, { batch: entry, entries: [] })
      for (const { execution } of entry.calls) ofCall.set(execution, entry.batch)
    } else if (CORRESPONDENCE.has(entry.kind) && 'batch' in entry) {
      batches.get(entry.batch)?.entries.push(stored)
    } else if (entry.kind === 'settled' || entry.kind === 'started') {
      batches.get(ofCall.get(entry.execution) ?? '')?.entries.push(stored)
    }
  }
  return batches.values()
}

async function judgeCall(
  call: DeclaredCall,
  entries: readonly StoredEntry[],
  doubtful: ReadonlyMap<string, string>,
  engine: RecoveryDeps,
): Promise<RecoveredCall> {
  const { execution, id, name } = call
  const about = entries
    .map(({ entry }) => entry)
    .filter((entry) => 'execution' in entry && entry.execution === execution)
  const say = (status: CallStatus, evidence: string): RecoveredCall => ({
    execution,
    id,
    name,
    status,
    evidence,
  })
  const doubt = doubtful.get(execution)
  if (doubt !== undefined) return say('in_doubt', doubt)
  if (about.some(({ kind }) => kind === 'settled')) return say('finished', 'its result is on record')
  const started = about.find((entry) => entry.kind === 'started')
  if (started === undefined)
    return say('never_started', 'no start and no commit is on record, so it had no effect')
  const reconcile = engine.registry.find(name)?.reconcile ?? null
  if (reconcile === null || started.idempotencyKey === null)
    return say('in_doubt', 'it was started, and its end is not on record')
  const answer = await ask(reconcile, started.idempotencyKey)
  if (answer === 'finished') return say('finished', 'the tool says it finished')
  if (answer === 'never_began') return say('never_started', 'the tool says it never began')
  return say('in_doubt', 'it was started, and the tool does not know how it ended')
}

/** A tool that cannot answer knows nothing. */
async function ask(reconcile: (key: string) => unknown, key: string): Promise<string> {
  try {
    const answer = (await reconcile(key)) as { readonly is?: unknown } | null
    return typeof answer?.is === 'string' ? answer.is : 'unknown'
  } catch {
    return 'unknown'
  }
}

function close(
  call: RecoveredCall,
  { batch, turn }: Pick<InterruptedBatch, 'batch' | 'turn'>,
  choice: RecoveryChoice,
  engine: RecoveryDeps,
) {
  const error = errorFor(call, choice)
  const state = error.code === 'in_doubt' ? 'ABORTED' : 'FAILED'
  const at = engine.now()
  const { execution, id, name } = call
  const tool = engine.registry.find(name)
  const result = presentFailure(
    { id, name },
    { error, phase: 'before' },
    { id: execution, state, duration_ms: 0 },
  )
  const payload = utf8.encode(JSON.stringify(result))
  const moves =
    state === 'FAILED'
      ? (['DECLARED', 'FAILED'] as const)
      : (['DECLARED', 'VALIDATED', 'AUTHORIZED', 'EXECUTING', 'ABORTED'] as const)
  const entry: SettledEntry = {
    kind: 'settled',
    batch,
    turn,
    execution,
    name,
    version: tool?.version ?? null,
    effect: tool?.effect ?? null,
    moves: moves.map((now) => ({ state: now, at })),
    error: { code: error.code, class: result.error.class },
    result: engine.digest(payload),
    output: null,
    capabilities: tool === null || state === 'FAILED' ? [] : withPrerequisites(tool.capabilities),
    changes: [],
    gates: [{ gate: 'recovery', fact: call.evidence, verdict: 'fail' }],
    durationMs: 0,
  }
  return { entry, payload, result }
}

function errorFor({ status, evidence, name }: RecoveredCall, choice: RecoveryChoice): ToolError {
  if (status === 'in_doubt') {
    return toolError(
      'in_doubt',
      `Whether ${name} took effect is not known: ${evidence}. It was not run again.`,
      { effects: 'unknown' },
      ['Look at what it may have done before repeating it.'],
    )
  }
  if (choice === 'discard')
    return toolError(
      'discarded',
      `The batch was interrupted and its results were discarded; ${name} is not run again.`,
      { evidence },
    )
  return toolError(
    'not_started',
    `The batch was interrupted before ${name} ran: ${evidence}.`,
    { evidence },
    ['Ask for it again if it is still wanted.'],
  )
}
