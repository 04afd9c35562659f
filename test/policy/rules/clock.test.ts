import { describe, expect, it } from 'vitest'
import { judgeDedupe } from '../../../src/policy/rules/dedupe.ts'
import { foldBatch } from '../../../src/policy/rules/fold-history.ts'
import { schedulePeriodic } from '../../../src/policy/rules/kinds/rate-rules.ts'
import { NO_HISTORY } from '../../../src/policy/rules/rule-state.ts'
import { bookOf, factsOf, foldAll, pastOf, refusalOf } from './rule-bench.ts'

describe('a clock that jumps', () => {
  const book = bookOf([{ tool: 'a', type: 'Cooldown', seconds: 60 }])
  const hour = 3_600_000
  const state = foldAll(book, pastOf('a', { at: 10 * hour }))

  it('set back, a rest is never longer than it was meant to be', () => {
    expect(refusalOf(book, state, 'a', 9 * hour)).toBe('cooldown: 60 s left')
  })

  it('set back, it starts anew once and ends', () => {
    const seen = foldBatch(state, { turn: 't2', pass: 'p2', calls: 1, at: 9 * hour }, book)
    expect(refusalOf(book, seen, 'a', 9 * hour + 59_000)).toBe('cooldown: 1 s left')
    expect(refusalOf(book, seen, 'a', 9 * hour + 60_000)).toBeNull()
    expect(judgeDedupe(book, seen, factsOf('a'), 9 * hour + 299_999).ok).toBe(false)
    expect(judgeDedupe(book, seen, factsOf('a'), 9 * hour + 300_000).ok).toBe(true)
  })

  it('set forward, rests are over', () => {
    expect(refusalOf(book, state, 'a', 20 * hour)).toBeNull()
  })

  it('a periodic call is never further away than its period', () => {
    const timed = bookOf([
      { tool: 'a', type: 'Periodic', seconds: 60 },
      { tool: 'b', type: 'Periodic', seconds: 600 },
      { tool: 'b', type: 'Periodic', seconds: 30 },
      { tool: '*', type: 'Periodic', seconds: 1 },
    ])
    expect(
      schedulePeriodic(timed, {
        lastRunAt: NO_HISTORY.lasting.lastRunAt,
        triedAt: new Map(),
        openedAt: 1000,
        now: 2000,
      }),
    ).toEqual([
      { tool: 'b', dueAt: 31_000 },
      { tool: 'a', dueAt: 61_000 },
    ])
    const ran = foldAll(timed, pastOf('a', { at: 50_000 }))
    expect(
      schedulePeriodic(timed, {
        lastRunAt: ran.lasting.lastRunAt,
        triedAt: new Map(),
        openedAt: 1000,
        now: 51_000,
      }).at(-1),
    ).toEqual({
      tool: 'a',
      dueAt: 110_000,
    })
    expect(
      schedulePeriodic(timed, {
        lastRunAt: ran.lasting.lastRunAt,
        triedAt: new Map(),
        openedAt: 1000,
        now: 40_000,
      }).at(-1),
    ).toEqual({
      tool: 'a',
      dueAt: 100_000,
    })
  })
})
