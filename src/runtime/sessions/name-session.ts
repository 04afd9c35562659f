import { randomInt } from 'node:crypto'

const DIGITS = '0123456789abcdefghjkmnpqrstvwxyz'

/**
 * A name for a new session: 18 characters that sort by time to the millisecond, such as `261116-075905-3tk8`. The time is
 * UTC, so that names stay in order when clocks change; the last two characters keep apart what begins at the same moment.
 */
export function nameSession(now: number): string {
  const [year = '', month, day, hour, minute, second, ms = '0'] =
    new Date(now).toISOString().match(/\d+/g) ?? []
  const tail = digits(Number(ms)) + digits(randomInt(DIGITS.length ** 2))
  return `${year.slice(-2)}${month}${day}-${hour}${minute}${second}-${tail}`
}

/** Two digits to the base of 32. */
function digits(value: number): string {
  return `${DIGITS[Math.floor(value / DIGITS.length)]}${DIGITS[value % DIGITS.length]}`
}
