import { randomFillSync } from 'node:crypto'
import type { Clock } from '../core/clock.ts'

const DIGITS = '0123456789abcdefghjkmnpqrstvwxyz'
/** All pairs of digits, by ten bits. */
const PAIRS = [...DIGITS].flatMap((one) => [...DIGITS].map((other) => one + other))
const TAIL_PAIRS = 6
const POOL_PAIRS = 1536

/** Makes ids of 26 characters that sort by time of birth, also within one millisecond and when the clock steps back. */
export function createIds(clock: Clock): () => string {
  let lastMs = 0
  let counter = 0
  let time = ''
  let pool = new Uint16Array(0)
  let used = 0

  function tail(): string {
    if (used + TAIL_PAIRS > pool.length) {
      pool = randomFillSync(new Uint16Array(POOL_PAIRS))
      used = 0
    }
    let text = ''
    for (const end = used + TAIL_PAIRS; used < end; used++) text += PAIRS[(pool[used] ?? 0) & 1023] ?? ''
    return text
  }

  return () => {
    const now = clock.now()
    if (now > lastMs) {
      lastMs = now
      counter = 0
      time = digits(lastMs, 10)
    } else {
      counter++
      if (counter === 32 ** 4) {
        lastMs++
        counter = 0
        time = digits(lastMs, 10)
      }
    }
    return time + (PAIRS[counter >> 10] ?? '') + (PAIRS[counter & 1023] ?? '') + tail()
  }
}

function digits(value: number, length: number): string {
  let text = ''
  let rest = value
  for (let i = 0; i < length; i++) {
    text = (DIGITS[rest % 32] ?? '0') + text
    rest = Math.floor(rest / 32)
  }
  return text
}
