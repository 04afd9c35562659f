import { DAY_MS } from '../../core/clock.ts'
import { waitFor } from '../../core/wait.ts'
import type { LogStore } from '../log.ts'
import { sweep } from './sweep.ts'

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

/**
 * Erases what exceeds the limits, oldest first; skips sessions that other processes own. Returns the bytes erased. Its
 * work depends on what was written or became too old since the last time, not on the length of the journal.
 */
export async function enforceLimits(
  store: LogStore,
  { maxBytes, maxAgeDays }: JournalLimits,
  now: number,
): Promise<number> {
  let erased = 0
  if (maxAgeDays > 0 && isSweepDue(store, maxAgeDays, now)) {
    erased += await eraseBefore(store, () => now - maxAgeDays * DAY_MS, `older than ${maxAgeDays} days`)
    store.writeValue(LAST_SWEEP, `${maxAgeDays} ${now}`)
  }
  if (maxBytes > 0 && isTooLarge(store, maxBytes)) {
    const surplus = store.bytesInUse() - maxBytes * (1 - ROOM_SHARE)
    erased += await eraseBefore(store, () => store.uses.cutoffFor(surplus), `more than ${maxBytes} bytes`)
    // What cannot be erased is not searched again until there is more of it.
    store.writeValue(FLOOR, String(store.bytesInUse()))
  }
  return erased
}

async function eraseBefore(store: LogStore, findTime: () => number, why: string): Promise<number> {
  // The first time takes up the whole journal, so the process must be able to handle events meanwhile.
  while (!store.uses.update()) await waitFor(0)
  return sweep(store, findTime(), why)
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
