import type { Registry } from '../core/registry.ts'
import type { BatchEntry, DeclaredCall } from '../journal/entry.ts'
import type { House, Run } from './house.ts'
import { markRepeated } from './mark-repeated.ts'
import { receive } from './receive.ts'
import type { Received } from './receive.ts'

/** The calls of one message, on record. */
export interface Batch {
  readonly id: string
  readonly turn: string
  /** Epoch milliseconds. */
  readonly declaredAt: number
  readonly calls: readonly Received[]
}

/** Reads the calls of a batch and records them, before anything of them runs. */
export async function declareBatch(calls: readonly unknown[], house: House, run: Run): Promise<Batch> {
  const received = markRepeated(
    calls.map((call) => receive(call, house.newId(), house.digest)),
    house.rules.book.limits.maxIdenticalFailures,
  )
  const id = house.newId()
  const { declared, payloads } = describeCalls(received, house.registry)
  const entry: BatchEntry = {
    kind: 'batch',
    batch: id,
    turn: run.turn,
    pass: run.pass,
    ...(run.ahead === null ? {} : { ahead: run.ahead }),
    origin: run.origin,
    actor: run.actor,
    ...(run.isDryRun ? { isDryRun: true as const } : {}),
    calls: declared,
  }
  await run.log.appendTogether({ entries: [entry], payloads, reliance: 'recorded' })
  return { id, turn: run.turn, declaredAt: house.clock.now(), calls: received }
}

/** Calls as they are written down, with the payloads of their arguments. */
export function describeCalls(received: readonly Received[], registry: Registry) {
  const payloads = new Map<string, string>()
  const declared = received.map(
    ({ execution, id, name, meta, wantsContinuation, onRecord }): DeclaredCall => {
      payloads.set(onRecord.digest, onRecord.text)
      const version = registry.find(name)?.version
      return {
        execution,
        id,
        name,
        ...(version === undefined ? {} : { version }),
        args: onRecord.digest,
        ...(meta.cwd === undefined && meta.timeout === undefined ? {} : { meta }),
        ...(wantsContinuation ? { heartbeat: true } : {}),
      }
    },
  )
  return { declared, payloads }
}
