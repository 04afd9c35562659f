import { describe, expect, it } from 'vitest'
import { NO, stage } from './rule-stage.ts'

const failing = { name: 'a', args: { fail: 'again' } }
const FAILED = 'execution_failed'

describe('the same failure again and again', () => {
  it('is stopped within one batch, with the number it failed and what would help', async () => {
    const s = await stage([], { config: { 'tools.max_identical_failures': 2 } })
    expect(await s.turn([failing, failing, failing, 'b', failing])).toEqual([FAILED, FAILED, NO, 'ok', NO])
    const refused = s.errors()[2]
    expect(refused?.message).toMatch(/failed 2 times in a row with execution_failed/)
    expect(refused?.details).toMatchObject({ rule: 'Repetition', failures: 2, code: FAILED })
  })

  it('is counted over the messages of a turn and over a restart, and forgotten with the turn', async () => {
    const s = await stage([], { config: { 'tools.max_identical_failures': 2 } })
    expect(await s.turn([failing], { turn: 't1' })).toEqual([FAILED])
    await s.restart()
    expect(await s.turn([failing], { turn: 't1' })).toEqual([FAILED])
    await s.restart()
    expect(await s.turn([failing], { turn: 't1' })).toEqual([NO])
    expect(await s.turn([failing], { turn: 't2' })).toEqual([FAILED])
  })

  it('other arguments, and a success that may have changed something, begin to count anew', async () => {
    const s = await stage([], { config: { 'tools.max_identical_failures': 1 } })
    const other = { name: 'a', args: { fail: 'other' } }
    const turn = { turn: 't1' }
    expect(await s.turn([failing], turn)).toEqual([FAILED])
    expect(await s.turn([failing], turn)).toEqual([NO])
    expect(await s.turn([other], turn)).toEqual([FAILED])
    expect(await s.turn(['push'], turn)).toEqual(['ok'])
    expect(await s.turn([failing], turn)).toEqual([FAILED])
  })

  it('0 is no limit', async () => {
    const s = await stage([], { config: { 'tools.max_identical_failures': 0 } })
    expect(new Set(await s.turn(Array.from({ length: 8 }, () => failing)))).toEqual(new Set([FAILED]))
  })
})
