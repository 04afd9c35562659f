import { describe, expect, it } from 'vitest'
import { errorOf } from '../../bench-folder.ts'
import { NO, runs, stage, tool, tools } from '../plan/rule-stage.ts'

const stuck = tool('stuck', {
  effect: 'external',
  idempotent: false,
  limits: { maxExecutionTimeMs: 20 },
  run: () => {
    runs.push('stuck')
    return new Promise(() => undefined)
  },
})

describe('what happens around a run', () => {
  it('P-EXEC-4: a tool that has to rest is not started, and says how long it still rests', async () => {
    const s = await stage([{ tool: 'a', type: 'Cooldown', seconds: 12 }])
    runs.length = 0
    expect(await s.turn(['a', 'a'])).toEqual(['ok', NO])
    s.clock.goOn(500)
    expect(await s.turn(['a'])).toEqual([NO])
    expect(runs).toEqual(['a'])
    expect(s.errors()[0]).toMatchObject({
      details: { rule: 'Cooldown', reason: 'cooldown: 12 s left', left_ms: 11_500 },
      message: expect.stringMatching(/cooldown: 12 s left/),
    })
  })

  it('P-EXEC-6, P-ERR-Timeout: a tool that takes too long is stopped; that is no success and starts no rest', async () => {
    const rules = [
      { tool: 'stuck', type: 'Cooldown', seconds: 600 },
      { tool: 'stuck', type: 'MaxCalls', max: 2 },
    ]
    const s = await stage(rules, { tools: [...tools, stuck], config: { 'tools.retry.max': 0 } })
    runs.length = 0
    expect(await s.turn(['stuck', 'stuck', 'stuck'], { turn: 't1' })).toEqual(['timeout', 'timeout', NO])
    expect(runs).toEqual(['stuck', 'stuck'])
    const timedOut = errorOf(s.rows()[0])
    expect(timedOut).toMatchObject({ class: 'TimeoutError', kind: 'Timeout', details: { timeout_ms: 20 } })
    expect(errorOf(s.rows()[2]).details).toMatchObject({ rule: 'MaxCalls', calls: 2 })
  })

  it('P-EXEC-7: one success is known to the pass, to the turn and beyond it, also after a restart', async () => {
    const s = await stage([
      { tool: 'a', type: 'RequiresPrecedingTools', tools: ['push'] },
      { tool: 'push', type: 'MaxCalls', max: 1, priority: 2 },
      { tool: 'push', type: 'Cooldown', seconds: 60, priority: 1 },
    ])
    expect(await s.turn(['push'], { turn: 't1' })).toEqual(['ok'])
    await s.restart()
    expect(await s.turn(['a'], { turn: 't1' })).toEqual(['ok'])
    const again = { name: 'push', args: { word: 'other' } }
    expect(await s.turn([again], { turn: 't1' })).toEqual([NO])
    expect(s.errors()[0]?.details).toMatchObject({ rule: 'MaxCalls' })
    expect(await s.turn([again], { turn: 't2' })).toEqual([NO])
    expect(s.errors()[0]?.details).toMatchObject({ rule: 'Cooldown' })
    s.clock.goOn(60_000)
    expect(await s.turn(['push'], { turn: 't3' })).toEqual(['deduplicated'])
    expect(await s.turn(['a'], { turn: 't3' })).toEqual([NO])
  })

  it('P-BATCH: calls with effects run one after the other; a failure stops the rest only where that is wanted', async () => {
    const calls = ['push', { name: 'a', args: { fail: 'no' } }, { name: 'push', args: { word: 'x' } }, 'b']
    const s = await stage([])
    runs.length = 0
    expect(await s.turn(calls)).toEqual(['ok', 'execution_failed', 'ok', 'ok'])
    expect(runs).toEqual(['push', 'a', 'push', 'b'])
    const stopping = await stage([], { config: { 'tools.on_execution_error': 'stop' } })
    runs.length = 0
    expect(await stopping.turn(calls)).toEqual(['ok', 'execution_failed', 'skipped', 'skipped'])
    expect(runs).toEqual(['push', 'a'])
  })

  it('R-FAIL-AuthorizationError: what is not allowed is rejected once and never tried again, however idempotent it is', async () => {
    const s = await stage([{ tool: 'b', type: 'MaxCalls', max: 0 }], {
      config: { 'tools.retry.max': 3, 'tools.approval.denylist': ['a'] },
    })
    runs.length = 0
    expect(await s.turn(['a', 'b', { name: 'read_file', args: { path: '../x' } }])).toEqual([
      'denylisted',
      NO,
      'path_outside_sandbox',
    ])
    expect(s.rows().map((row) => errorOf(row).class)).toEqual(Array(3).fill('AuthorizationError'))
    expect(s.rows().map(({ execution }) => execution.state)).toEqual(Array(3).fill('DENIED'))
    expect(runs).toEqual([])
  })
})

describe('a clock that jumps', () => {
  it('set back, a rest begins anew once and lasts no longer than it should', async () => {
    const s = await stage([{ tool: 'a', type: 'Cooldown', seconds: 60 }])
    expect(await s.turn(['a'])).toEqual(['ok'])
    s.clock.goOn(-86_400_000)
    expect(await s.turn(['a'])).toEqual([NO])
    s.clock.goOn(59_999)
    await s.restart()
    expect(await s.turn(['a'])).toEqual([NO])
    s.clock.goOn(1)
    expect(await s.turn(['a'])).toEqual(['ok'])
  })

  it('set forward, what lies behind it is over', async () => {
    const s = await stage([{ tool: 'a', type: 'Cooldown', seconds: 60 }])
    expect(await s.turn(['a', 'push'])).toEqual(['ok', 'ok'])
    s.clock.goOn(86_400_000 * 365)
    expect(await s.turn(['a', 'push'])).toEqual(['ok', 'ok'])
  })
})
