import { DAY_MS } from '../../core/clock.ts'
import type { LogStore } from '../log.ts'

/** The name under which the store records the time that is relied on, and a later one that has yet to be confirmed. */
const CLOCK = 'clock'
/** How long a clock that jumped ahead has to go on from there before it is believed. */
const CONFIRM_MS = 3_600_000

/**
 * The time by which the age of contents counts. A clock that is suddenly far ahead is either right, after a break, or
 * wrong for a moment; erasing cannot be undone, so it is believed only when a later command still finds it there.
 * Until then the time is the one that was relied on last.
 */
export function credibleTime(store: Pick<LogStore, 'readValue' | 'writeValue'>, now: number): number {
  const recorded = store.readValue(CLOCK)
  const [relied = now, ahead = null] = recorded === null ? [] : recorded.split(' ').map(Number)
  const isConfirmed = ahead !== null && now >= ahead + CONFIRM_MS
  const last = isConfirmed ? ahead : relied
  if (now <= last + DAY_MS) {
    if (recorded === null || ahead !== null || Math.abs(now - relied) >= CONFIRM_MS)
      store.writeValue(CLOCK, String(now))
    return now
  }
  const waiting = isConfirmed || ahead === null || now < ahead ? now : ahead
  if (waiting !== ahead) store.writeValue(CLOCK, `${last} ${waiting}`)
  return last
}
