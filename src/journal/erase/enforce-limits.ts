import { DAY_MS } from '../../core/clock.ts'
import type { Digest } from '../entries/entry.ts'
import { forget } from './forget.ts'
import type { LogStore } from '../log.ts'
import { digestsOf } from '../entries/mentions.ts'

/** How much the journal may hold, and for how long; 0 means no limit. */
export interface JournalLimits {
  readonly maxBytes: number
  readonly maxAgeDays: number
}

/** Age is counted in days, so checking it now and then is enough. */
const SWEEP_EVERY_MS = 3_600_000
/** Once over the limit, this share is freed as well, so that the next call is not over it again. */
const ROOM_SHARE = 0.1
const LAST_SWEEP = 'last_age_sweep'
const FLOOR = 'size_floor'

/** Erases what exceeds the limits, oldest first; skips sessions that other processes own. Returns the bytes erased. */
export async function enforceLimits(
  store: LogStore,
  { maxBytes, maxAgeDays }: JournalLimits,
  now: number,
): Promise<number> {
  let erased = 0
  if (maxAgeDays > 0 && isSweepDue(store, maxAgeDays, now)) {
    erased += await forgetBefore(store, () => now - maxAgeDays * DAY_MS, `older than ${maxAgeDays} days`)
    store.writeValue(LAST_SWEEP, `${maxAgeDays} ${now}`)
  }
  if (maxBytes > 0 && isTooLarge(store, maxBytes)) {
    const surplus = store.bytesInUse() - maxBytes * (1 - ROOM_SHARE)
    erased += await forgetBefore(store, () => findCutoff(store, surplus), `more than ${maxBytes} bytes`)
    // What cannot be erased is not searched again until there is more of it.
    store.writeValue(FLOOR, String(store.bytesInUse()))
  }
  return erased
}

async function forgetBefore(store: LogStore, findTime: () => number, why: string): Promise<number> {
  const options = { why, waitMs: 0, skipsBusy: true }
  const report = await forget(store, { is: 'before', time: findTime() }, options)
  return report.ok ? report.bytes : 0
}

function isSweepDue(store: LogStore, maxAgeDays: number, now: number): boolean {
  const [days, at] = (store.readValue(LAST_SWEEP) ?? '').split(' ').map(Number)
  return days !== maxAgeDays || at === undefined || Math.abs(now - at) >= SWEEP_EVERY_MS
}

function isTooLarge(store: LogStore, maxBytes: number): boolean {
  const bytes = store.bytesInUse()
  const floor = Number(store.readValue(FLOOR) ?? 0)
  return bytes > maxBytes && bytes > floor * (1 + ROOM_SHARE)
}

/** The time before which payloads of at least `surplus` bytes were last used. */
function findCutoff(store: LogStore, surplus: number): number {
  const lastUse = new Map<Digest, number>()
  for (const key of store.sessions()) {
    for (const { at, entry } of store.read(key)) {
      for (const { digest } of digestsOf(entry)) lastUse.set(digest, Math.max(at, lastUse.get(digest) ?? 0))
    }
  }
  let freed = 0
  let cutoff = 0
  for (const [digest, at] of [...lastUse].toSorted(([, one], [, other]) => one - other)) {
    if (freed >= surplus && at > cutoff) break
    const bytes = store.payloadBytes(digest)
    if (bytes === null) continue
    freed += bytes
    cutoff = at
  }
  return cutoff + 1
}
