import { MAX_BATCH_CALLS } from '../../config/keys/loop-keys.ts'
import { failure } from '../../core/error.ts'
import type { Registry } from '../../core/registry.ts'
import type { BatchEntry, DeclaredCall } from '../../journal/entries/entry.ts'
import type { Run } from '../engine.ts'
import { createEmitter } from '../emit-events.ts'
import { fromFolder } from './from-folder.ts'
import { takeLeniently } from './lenient.ts'
import { receive } from './receive.ts'
import type { Batch } from '../batch.ts'
import { repeatKey } from '../step.ts'
import type { Received } from '../step.ts'

const NONE_SETTLED: Batch['settled'] = new Map()
const NO_LANDINGS: Batch['landings'] = new Map()
const NONE_BEGUN: Batch['begun'] = new Set()

/** Reads the calls of a message and records them before any of them runs. */
export function parse(calls: readonly unknown[], run: Run): Batch | Promise<Batch> {
  const { engine } = run
  requireShort(calls)
  const declaredAt = engine.clock.now()
  const received = markRepeated(
    calls.map((call) =>
      fromFolder(
        takeLeniently(receive(call, engine.newId(declaredAt), engine.digest), run.origin, engine),
        engine,
      ),
    ),
    engine.rules.book.limits.maxIdenticalFailures,
  )
  const id = engine.newId(declaredAt)
  const { declared, payloads } = describeCalls(received, engine.registry)
  const entry: BatchEntry = {
    kind: 'batch',
    batch: id,
    turn: run.turn,
    pass: run.pass,
    origin: run.origin,
    actor: run.actor,
    calls: declared,
  }
  const recording = run.log.appendTogether({
    entries: [withOptions(entry, run)],
    payloads,
    reliance: 'recorded',
  })
  const batch: Batch = {
    id,
    turn: run.turn,
    declaredAt,
    calls: received,
    settled: NONE_SETTLED,
    answered: null,
    landings: NO_LANDINGS,
    begun: NONE_BEGUN,
    notices: new Map(),
    emit: createEmitter(run),
  }
  return recording === undefined ? batch : recording.then(() => batch)
}

function requireShort({ length }: readonly unknown[]): void {
  if (length <= MAX_BATCH_CALLS) return
  throw failure(
    'limit_exceeded',
    `The batch has ${length} calls, and none of them ran: a batch may have at most ${MAX_BATCH_CALLS}.`,
    { limit: MAX_BATCH_CALLS, calls: length },
    ['Send them in several batches.'],
  )
}

/** Adds the fields that few batches have. */
function withOptions(entry: BatchEntry, { ahead, delegate, isDryRun }: Run): BatchEntry {
  if (ahead === null && delegate === null && !isDryRun) return entry
  return {
    ...entry,
    ...(ahead === null ? {} : { ahead }),
    ...(delegate === null ? {} : { delegate }),
    ...(isDryRun ? { isDryRun } : {}),
  }
}

/** Calls as they are recorded, with the payloads of their arguments. */
export function describeCalls(received: readonly Received[], registry: Registry) {
  const declared = received.map((call) => describeCall(call, registry))
  return { declared, payloads: payloadsOf(received) }
}

/** Equal arguments are written once. */
function payloadsOf(received: readonly Received[]): Iterable<readonly [string, string]> {
  const [only] = received
  if (only !== undefined && received.length === 1) return [[only.onRecord.digest, only.onRecord.text]]
  return new Map(received.map(({ onRecord }) => [onRecord.digest, onRecord.text]))
}

function describeCall(call: Received, registry: Registry): DeclaredCall {
  const { execution, id, name, meta, wantsContinuation, onRecord } = call
  const args = onRecord.digest
  const version = registry.find(name)?.version
  const described =
    version === undefined ? { execution, id, name, args } : { execution, id, name, version, args }
  const hasMeta = meta.cwd !== undefined || meta.timeout !== undefined
  if (!hasMeta && !wantsContinuation) return described
  return { ...described, ...(hasMeta ? { meta } : {}), ...(wantsContinuation ? { heartbeat: true } : {}) }
}

/** Marks calls that a batch contains so often that their failures could exceed the limit. */
function markRepeated(calls: readonly Received[], most: number): readonly Received[] {
  if (most === 0 || calls.length <= most) return calls
  const keys = calls.map(keyOf)
  const counts = new Map<string, number>()
  for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1)
  return calls.map((call, index) =>
    (counts.get(keys[index] ?? '') ?? 0) > most ? { ...call, isRepeated: true } : call,
  )
}

function keyOf({ name, onRecord, meta }: Received): string {
  return `${name}|${repeatKey(onRecord.digest, meta)}`
}
