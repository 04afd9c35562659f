import type { Registry } from '../../core/registry.ts'
import type { BatchEntry, DeclaredCall } from '../../journal/entries/entry.ts'
import type { Run } from '../engine.ts'
import { markRepeated } from './mark-repeated.ts'
import { receive } from './receive.ts'
import type { Received } from '../step.ts'

/** The calls of one message, on record. */
export interface Batch {
  readonly id: string
  readonly turn: string
  /** Epoch milliseconds. */
  readonly declaredAt: number
  readonly calls: readonly Received[]
}

/** Reads the calls of a batch and records them, before anything of them runs. */
export function declareBatch(calls: readonly unknown[], run: Run): Batch | Promise<Batch> {
  const { engine } = run
  const received = markRepeated(
    calls.map((call) => receive(call, engine.newId(), engine.digest)),
    engine.rules.book.limits.maxIdenticalFailures,
  )
  const id = engine.newId()
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
    entries: [withAsides(entry, run)],
    payloads,
    reliance: 'recorded',
  })
  const batch: Batch = { id, turn: run.turn, declaredAt: engine.clock.now(), calls: received }
  return recording === undefined ? batch : recording.then(() => batch)
}

/** Adds what few batches have. */
function withAsides(entry: BatchEntry, { ahead, isDryRun }: Run): BatchEntry {
  if (ahead === null && !isDryRun) return entry
  return { ...entry, ...(ahead === null ? {} : { ahead }), ...(isDryRun ? { isDryRun } : {}) }
}

/** Calls as they are written down, with the payloads of their arguments. */
export function describeCalls(received: readonly Received[], registry: Registry) {
  const payloads = new Map<string, string>()
  const declared = received.map((call) => {
    payloads.set(call.onRecord.digest, call.onRecord.text)
    return describeCall(call, registry)
  })
  return { declared, payloads }
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
