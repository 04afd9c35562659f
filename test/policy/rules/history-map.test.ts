import { describe, expect, it, vi } from 'vitest'
import { foldPastCall } from '../../../src/policy/rules/fold-history.ts'
import { HistoryMap } from '../../../src/policy/rules/history-map.ts'
import { NO_HISTORY } from '../../../src/policy/rules/rule-state.ts'
import { bookOf, pastOf } from './rule-bench.ts'

describe('a map of the rule history', () => {
  it('leaves earlier versions as they were', () => {
    const first = HistoryMap.of([['a', 1]])
    const second = first.with('a', 2).with('b', 3)
    const third = second.with('a', undefined)
    expect([[...first], [...second], [...third]]).toEqual([
      [['a', 1]],
      [
        ['a', 2],
        ['b', 3],
      ],
      [['b', 3]],
    ])
    expect([first.size, second.size, third.size]).toEqual([1, 2, 1])
    expect([first.get('b'), second.get('a'), third.get('a')]).toEqual([undefined, 2, undefined])
  })

  it('branches off an earlier version without touching the newer one', () => {
    const base = HistoryMap.of([['a', 1]])
    const newer = base.with('a', 2)
    const branch = base.with('b', 9)
    expect([[...newer], [...branch], [...base]]).toEqual([
      [['a', 2]],
      [
        ['a', 1],
        ['b', 9],
      ],
      [['a', 1]],
    ])
  })

  it('does what a plain map does, at random', () => {
    let state = 7
    const next = (below: number): number => (state = (state * 48_271) % 2_147_483_647) % below
    const versions = [{ plain: new Map<string, number>(), map: HistoryMap.of<number>() }]
    for (let step = 0; step < 500; step++) {
      const from = versions[Math.max(0, versions.length - 1 - (next(4) === 0 ? next(20) : 0))] ?? versions[0]
      if (from === undefined) throw new Error('no version')
      const key = `k${next(12)}`
      const value = next(3) === 0 ? undefined : next(5)
      const plain = new Map(from.plain)
      if (value === undefined) plain.delete(key)
      else plain.set(key, value)
      versions.push({ plain, map: from.map.with(key, value) })
    }
    for (const { plain, map } of versions) {
      expect(new Map(map)).toEqual(plain)
      expect(map.size).toBe(plain.size)
    }
  })
})

describe('folding many calls of one turn', () => {
  const book = bookOf([])

  /** How often any map is written to while this many calls are folded. */
  function writesFor(calls: number, more: object): number {
    const set = vi.spyOn(Map.prototype, 'set')
    try {
      let state = NO_HISTORY
      for (let index = 0; index < calls; index++) {
        const argsDigest = index.toString(16).padStart(64, '0')
        state = foldPastCall(state, pastOf('a', { argsDigest, ...more }), book)
      }
      return set.mock.calls.length
    } finally {
      set.mockRestore()
    }
  }

  it.each([
    ['that fail', { ok: false, code: 'execution_failed', hasRun: true }],
    ['that succeed', {}],
  ])('%s: ten times the calls are ten times the work', (_, more) => {
    expect(writesFor(5000, more)).toBeLessThan(writesFor(500, more) * 11)
  })
})
