import { randomBytes } from 'node:crypto'
import type { Clock } from '../core/clock.ts'

const DIGITS = '0123456789abcdefghjkmnpqrstvwxyz'

/** Makes ids of 26 characters that sort by time of birth, also within one millisecond and when the clock steps back. */
export function createIds(clock: Clock): () => string {
  let lastMs = 0
  let counter = 0
  let pool = randomBytes(0)
  let used = 0
  return () => {
    const now = clock.now()
    if (now > lastMs) {
      lastMs = now
      counter = 0
    } else {
      counter++
      if (counter === 32 ** 4) {
        lastMs++
        counter = 0
      }
    }
    if (used + 8 > pool.length) {
      pool = randomBytes(1024)
      used = 0
    }
    let tail = ''
    let bits = 0
    let have = 0
    while (tail.length < 12) {
      if (have < 5) {
        bits = (bits << 8) | (pool[used++] ?? 0)
        have += 8
      }
      have -= 5
      tail += DIGITS[(bits >> have) & 31]
      bits &= (1 << have) - 1
    }
    return digits(lastMs, 10) + digits(counter, 4) + tail
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
