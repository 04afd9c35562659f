import { DAY_MS } from '../../core/clock.ts'
import type { Digest, SessionKey } from '../entries/entry.ts'
import { changesOf, digestsOf } from '../entries/mentions.ts'
import type { LogStore, SweepPlace } from '../log.ts'
import { createErasingGroup } from './erase-together.ts'

/** What is still needed, however old it is: to finish a batch, or to land a commit. */
interface InUse {
  readonly batches: ReadonlySet<string>
  readonly executions: ReadonlySet<string>
  readonly digests: ReadonlySet<Digest>
}

/** Erases the payloads that no entry has mentioned since a time. Reads only entries that no earlier sweep has read. */
export async function sweep(store: LogStore, before: number, why: string): Promise<number> {
  const expiring = store.uses.expiring(before)
  if (expiring.length === 0) return 0
  const inUse = findInUse(store)
  const plans = expiring.map(({ session, seq }) => ({
    session,
    ...collectExpired(store, session, seq, { before, inUse }),
  }))
  /** How many sessions have yet to record that they forget a payload; whoever is last erases it. */
  const left = new Map<Digest, number>()
  const countDown = (digest: Digest, by: number): unknown => left.set(digest, (left.get(digest) ?? 0) + by)
  for (const { payloads } of plans) for (const digest of payloads) countDown(digest, 1)
  // A session of another process is swept another time, and keeps what it shares until then.
  const group = createErasingGroup(store, { skipsBusy: true })
  try {
    for (const { session, payloads, executions, upTo, next } of plans) {
      const what = {
        why,
        executions,
        span: { upTo, before },
        payloads: payloads.filter((digest) => left.get(digest) === 1),
        readUpTo: NOTHING_READ,
        unusedSince: before,
      }
      const written = (): void => store.uses.swept(session, next)
      if (await group.add({ session, erasure: payloads.length === 0 ? null : what, written }))
        for (const digest of payloads) countDown(digest, -1)
    }
    const { bytes } = await group.finish()
    if (bytes > 0) store.scrub()
    return bytes
  } finally {
    group.close()
  }
}

const NOTHING_READ: ReadonlyMap<string, number> = new Map()

function findInUse(store: LogStore): InUse {
  const open = store.openBatches()
  const unlanded = store.unlanded()
  const digests = new Set<Digest>()
  for (const { session, seq } of open)
    for (const { entry } of store.aboutBatch(session, seq))
      for (const { digest } of digestsOf(entry)) digests.add(digest)
  for (const call of unlanded)
    for (const { entry } of store.about(call))
      if (changesOf(entry).length > 0) for (const { digest } of digestsOf(entry)) digests.add(digest)
  return {
    batches: new Set(open.map(({ batch }) => batch)),
    executions: new Set(unlanded.map(({ execution }) => execution)),
    digests,
  }
}

/** What the entries from before a time mention, and where the next sweep of the session begins. */
function collectExpired(
  store: LogStore,
  session: SessionKey,
  fromSeq: number,
  { before, inUse }: { readonly before: number; readonly inUse: InUse },
) {
  const payloads = new Set<Digest>()
  const executions = new Set<string>()
  let upTo = fromSeq - 1
  let later: SweepPlace | null = null
  let next: SweepPlace = { seq: fromSeq, at: null }
  for (const { seq, at, entry } of store.read(session, fromSeq)) {
    next = { seq, at }
    if (at >= before) break
    upTo = seq
    next = { seq: seq + 1, at: null }
    const isOpen = 'batch' in entry && inUse.batches.has(entry.batch)
    for (const { execution, digest } of digestsOf(entry)) {
      // It is looked at again tomorrow; until then it may be done.
      if (isOpen || inUse.executions.has(execution)) later ??= { seq, at: before + DAY_MS }
      else if (!inUse.digests.has(digest) && store.payloadBytes(digest) !== null) {
        payloads.add(digest)
        executions.add(execution)
      }
    }
  }
  return { payloads: [...payloads], executions: [...executions], upTo, next: later ?? next }
}
