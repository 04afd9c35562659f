import { describe, expect, it } from 'vitest'
import { DAY_MS } from '../../../src/core/clock.ts'
import { credibleTime } from '../../../src/journal/erase/credible-time.ts'

const HOUR_MS = 3_600_000
const YEAR_MS = 365 * DAY_MS
const START = 1_800_000_000_000

/** The times that are relied on when commands are run at these times, counted from the first one. */
function reliedOn(...times: readonly number[]): readonly number[] {
  const values = new Map<string, string>()
  const store = {
    readValue: (name: string) => values.get(name) ?? null,
    writeValue: (name: string, value: string) => void values.set(name, value),
  }
  return times.map((time) => credibleTime(store, START + time) - START)
}

describe('the time by which contents grow old', () => {
  it('is that of the clock as long as it moves on by itself', () => {
    const times = [0, 1, HOUR_MS, DAY_MS, 2 * DAY_MS]
    expect(reliedOn(...times)).toEqual(times)
  })

  it('does not follow a clock that is far ahead for a moment, however many commands run in it', () => {
    const ahead = 10 * YEAR_MS
    expect(reliedOn(0, ahead, ahead + 1, ahead + HOUR_MS - 1, 5, HOUR_MS)).toEqual([0, 0, 0, 0, 5, HOUR_MS])
  })

  it('forgets what it saw of a wrong clock, so that a second jump has to be confirmed anew', () => {
    const ahead = 10 * YEAR_MS
    expect(reliedOn(0, ahead, 5, ahead + 2 * HOUR_MS)).toEqual([0, 0, 5, 5])
  })

  it('follows a clock that stays ahead, an hour later', () => {
    const ahead = 100 * DAY_MS
    expect(reliedOn(0, ahead, ahead + HOUR_MS)).toEqual([0, 0, ahead + HOUR_MS])
  })

  it('is one command behind where Tongs is used now and then', () => {
    expect(reliedOn(0, 10 * DAY_MS, 20 * DAY_MS, 30 * DAY_MS)).toEqual([0, 0, 10 * DAY_MS, 20 * DAY_MS])
  })

  it('goes back with the clock', () => {
    expect(reliedOn(0, -YEAR_MS, -YEAR_MS + 1)).toEqual([0, -YEAR_MS, -YEAR_MS + 1])
  })
})
