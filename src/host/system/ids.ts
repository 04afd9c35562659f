import { randomFillSync } from 'node:crypto'
import type { Clock } from '../../core/clock.ts'

/** The character codes of the 32 digits. */
const DIGITS = [...'0123456789abcdefghjkmnpqrstvwxyz'].map((digit) => digit.charCodeAt(0))
const TIME_DIGITS = 10
const COUNTER_DIGITS = 4
const TAIL_DIGITS = 12
const POOL_BYTES = 3072

/**
 * Creates ids of 26 characters that sort by creation time, also within one millisecond and when the clock steps back. A
 * caller that has just read the clock may say what it said.
 */
export function createIds(clock: Clock): (at?: number) => string {
  /** The id being built. Built from codes, not pieces, it is one flat string; many ids stay in memory. */
  const codes = Array.from({ length: TIME_DIGITS + COUNTER_DIGITS + TAIL_DIGITS }, () => 0)
  let lastMs = 0
  let counter = 0
  let pool = new Uint8Array(0)
  let used = 0

  function write(value: number, from: number, digits: number): void {
    let rest = value
    for (let at = from + digits - 1; at >= from; at--) {
      codes[at] = DIGITS[rest % 32] ?? 0
      rest = Math.floor(rest / 32)
    }
  }

  function writeTime(ms: number): void {
    lastMs = ms
    counter = 0
    write(ms, 0, TIME_DIGITS)
  }

  function writeTail(): void {
    if (used + TAIL_DIGITS > pool.length) {
      pool = randomFillSync(new Uint8Array(POOL_BYTES))
      used = 0
    }
    for (let at = TIME_DIGITS + COUNTER_DIGITS; at < codes.length; at++)
      codes[at] = DIGITS[(pool[used++] ?? 0) & 31] ?? 0
  }

  return (now = clock.now()) => {
    if (now > lastMs) writeTime(now)
    else if (++counter === 32 ** COUNTER_DIGITS) writeTime(lastMs + 1)
    write(counter, TIME_DIGITS, COUNTER_DIGITS)
    writeTail()
    return String.fromCharCode(...codes)
  }
}
