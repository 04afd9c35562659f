import { describe, expect, it } from 'vitest'
import type { BatchEntry } from '../../../src/journal/entries/entry.ts'
import { decideNext } from '../../../src/pipeline/resume/decide-next.ts'
import { recordedRows } from '../../../src/pipeline/resume/resume.ts'
import { NO, runs, stage, tool, tools } from './rule-stage.ts'
import type { Stage } from './rule-stage.ts'

const START = [{ tool: 'b', type: 'StartConstraint' }]

function batches(s: Stage): readonly BatchEntry[] {
  return [...s.runtime().log({ session: 's' })].flatMap(({ entry }) =>
    entry.kind === 'batch' ? [entry] : [],
  )
}

describe('three lifetimes', () => {
  it('a pass spans messages, a wake-up begins a new one, and each is on the record of its batch', async () => {
    const s = await stage([{ tool: 'a', type: 'RequiresPrecedingTools', tools: ['b'] }])
    expect(await s.turn(['b'], { turn: 't1' })).toEqual(['ok'])
    expect(await s.turn(['a'], { turn: 't1' })).toEqual(['ok'])
    await s.restart()
    expect(await s.turn(['a'], { turn: 't1' })).toEqual(['ok'])
    expect(await s.turn(['a'], { turn: 't1', isWakeUp: true })).toEqual([NO])
    expect(await s.turn(['b', 'a'], { turn: 't1' })).toEqual(['ok', 'ok'])
    const passes = batches(s).map(({ pass }) => pass)
    expect(new Set(passes.slice(0, 3))).toEqual(new Set(['t1']))
    expect(new Set(passes.slice(3)).size).toBe(1)
    expect(passes[3]).not.toBe('t1')
  })

  it('turns are known by ids that sort by time', async () => {
    const s = await stage([])
    for (let index = 0; index < 5; index++) {
      await s.turn(['a'])
      s.clock.goOn(index % 2)
    }
    const turns = batches(s).map(({ turn }) => turn)
    expect(turns).toEqual(turns.toSorted())
    expect(new Set(turns).size).toBe(5)
  })

  it('a pass that another one came between goes on where it was', async () => {
    const s = await stage([{ tool: 'a', type: 'RequiresPrecedingTools', tools: ['b'] }])
    await s.turn(['b'], { turn: 't1', pass: 'p1' })
    expect(await s.turn(['a'], { turn: 't1', pass: 'p2' })).toEqual([NO])
    expect(await s.turn(['a'], { turn: 't1', pass: 'p1' })).toEqual(['ok'])
  })

  it('two turns side by side are counted apart, and neither is forgotten over the other', async () => {
    const s = await stage([{ tool: 'a', type: 'MaxCalls', max: 1 }])
    for (const turn of ['t1', 't2']) expect(await s.turn(['a'], { turn })).toEqual(['ok'])
    for (const turn of ['t1', 't2']) expect(await s.turn(['a'], { turn })).toEqual([NO])
  })

  it('an answer that comes later goes on in the pass in which its question was asked', async () => {
    const s = await stage(
      [
        { tool: 'a', type: 'RequiresConsent' },
        { tool: 'a', type: 'MaxCalls', max: 1 },
        { tool: 'a', type: 'RequiresPrecedingTools', tools: ['b'] },
      ],
      { approve: 'later' },
    )
    expect(await s.turn(['b'], { turn: 't1' })).toEqual(['ok'])
    expect(await s.turn(['a'], { turn: 't1' })).toEqual(['approval_required'])
    const alone = await s.runtime().decide('all', { isApproved: true })
    expect(alone.results.map((row) => (row.ok ? 'ok' : row.error.code))).toEqual(['ok'])
    // The count of the turn is as it is now, and what no answer could let run is not asked.
    expect(await s.turn(['a'], { turn: 't1' })).toEqual([NO])
    expect(await s.runtime().pending()).toEqual([])
  })

  it('what was done in that pass counts however many others came between, and after a restart', async () => {
    const rules = [
      { tool: 'a', type: 'RequiresConsent' },
      { tool: 'a', type: 'RequiresPrecedingTools', tools: ['b'] },
    ]
    for (const isRestarted of [false, true]) {
      const s = await stage(rules, { approve: 'later' })
      await s.turn(['b'], { turn: 't1', pass: 'p1' })
      expect(await s.turn(['a'], { turn: 't1', pass: 'p1' })).toEqual(['approval_required'])
      for (let index = 0; index < 20; index++) await s.turn(['c'], { turn: `other${index}` })
      s.clock.goOn(6 * 86_400_000)
      if (isRestarted) await s.restart()
      const { results } = await s.runtime().decide('all', { isApproved: true })
      expect(results.map((row) => (row.ok ? 'ok' : row.error.code))).toEqual(['ok'])
      const continued = [...s.runtime().log({ session: 's' })].flatMap(({ entry }) =>
        entry.kind === 'continued' ? [entry.pass] : [],
      )
      expect(continued).toEqual(['p1'])
    }
  })

  it('what has been forbidden in that pass meanwhile stays forbidden', async () => {
    const s = await stage(
      [
        { tool: 'a', type: 'RequiresConsent' },
        { tool: 'a', type: 'RequiresFollowingTools', tools: ['b'] },
      ],
      { approve: 'later' },
    )
    expect(await s.turn(['a'], { turn: 't1' })).toEqual(['approval_required'])
    expect(await s.turn(['b'], { turn: 't1' })).toEqual(['ok'])
    const { results } = await s.runtime().decide('all', { isApproved: true })
    expect(results.map((row) => (row.ok ? 'ok' : row.error.code))).toEqual([NO])
  })

  it('a person at hand is part of the pass', async () => {
    const approve = (requests: readonly unknown[]) => requests.map(() => 'once' as const)
    const rules = [
      { tool: 'a', type: 'RequiresConsent' },
      { tool: 'a', type: 'RequiresPrecedingTools', tools: ['b'] },
    ]
    const s = await stage(rules, { approve })
    await s.turn(['b'], { turn: 't1' })
    expect(await s.turn(['a'], { turn: 't1' })).toEqual(['ok'])
  })
})

describe('the third time', () => {
  it('P-START: refused, refused with more weight, and then the runtime runs what is missing, in a row of its own before', async () => {
    const s = await stage(START)
    expect(await s.turn(['a', 'a', 'a', 'c'])).toEqual([NO, NO, 'ok', 'ok', 'ok'])
    expect(s.rows().map(({ name, origin }) => [name, origin])).toEqual([
      ['a', undefined],
      ['a', undefined],
      ['b', 'runtime'],
      ['a', undefined],
      ['c', undefined],
    ])
    expect(s.errors().map(({ details }) => 'escalation' in details && details.escalation)).toEqual([false, 2])
    const own = batches(s).find(({ origin }) => origin === 'runtime')
    expect(own).toMatchObject({ ahead: s.rows()[3]?.execution.id, turn: batches(s)[0]?.turn })
  })

  it('is read off the log again in the same order', async () => {
    const s = await stage(START)
    await s.turn(['a', 'a', 'a', 'c'])
    const { log } = await s.runtime().converse('s')
    const rows = recordedRows(batches(s)[0]?.batch ?? '', log)
    expect(rows).toEqual(s.rows())
    expect(rows.map(({ name }) => name)).toEqual(['a', 'a', 'b', 'a', 'c'])
  })

  it('counts over the messages of a pass and over a restart, and begins anew in the next pass', async () => {
    const s = await stage(START)
    expect(await s.turn(['a'], { turn: 't1' })).toEqual([NO])
    await s.restart()
    expect(await s.turn(['a'], { turn: 't1' })).toEqual([NO])
    await s.restart()
    expect(await s.turn(['a'], { turn: 't1' })).toEqual(['ok', 'ok'])
    expect(await s.turn(['a'], { turn: 't1', isWakeUp: true })).toEqual([NO])
  })

  it('a tool that needs arguments, that policy refuses, or that fails leaves the call refused', async () => {
    const s = await stage([{ tool: 'read_file', type: 'StartConstraint' }])
    expect(await s.turn(['a', 'a', 'a'])).toEqual([NO, NO, NO])
    const denied = await stage(START, { config: { 'tools.approval.denylist': ['b'] } })
    expect(await denied.turn(['a', 'a', 'a'])).toEqual([NO, NO, NO])
    const bad = tool('bad', {
      run: () => {
        throw new Error('no')
      },
    })
    const failing = await stage([{ tool: 'bad', type: 'StartConstraint' }], { tools: [...tools, bad] })
    expect(await failing.turn(['a', 'a', 'a'])).toEqual([NO, NO, 'crashed', NO])
    expect(failing.errors().at(-1)?.details).toMatchObject({ escalation: 3 })
  })

  it('what is missing and must be asked about is asked about, and the question can wait', async () => {
    const rules = [
      { tool: 'push', type: 'StartConstraint' },
      { tool: 'push', type: 'RequiresConsent' },
    ]
    const asked: string[] = []
    const approve = (requests: readonly { readonly call: { readonly name: string } }[]) =>
      requests.map(({ call }) => {
        asked.push(call.name)
        return 'once' as const
      })
    const s = await stage(rules, { approve })
    expect(await s.turn(['a', 'a', 'a'])).toEqual([NO, NO, 'ok', 'ok'])
    expect(asked).toEqual(['push'])
    const later = await stage(rules, { approve: 'later' })
    expect(await later.turn(['a', 'a', 'a'])).toEqual([NO, NO, 'approval_required', NO])
    expect((await later.runtime().pending()).map(({ call }) => call.name)).toEqual(['push'])
    const nobody = await stage(rules)
    expect(await nobody.turn(['a', 'a', 'a'])).toEqual([NO, NO, NO])
  })

  it('keeps its place in a batch that waited, and a dry run helps nobody', async () => {
    const rules = [...START, { tool: 'c', type: 'RequiresConsent' }]
    const approve = (requests: readonly unknown[]) => requests.map(() => 'once' as const)
    const s = await stage(rules, { approve })
    await s.turn(['a', 'a', 'a', 'c'])
    expect(s.rows().map(({ name, ok }) => [name, ok])).toEqual([
      ['a', false],
      ['a', false],
      ['b', true],
      ['a', true],
      ['c', true],
    ])
    runs.length = 0
    expect(await s.turn(['a', 'a', 'a'], { dryRun: true })).toEqual([NO, NO, NO])
    expect(runs).toEqual([])
  })

  it('P-RULE-RequiredBeforeExit: a tool that ends the loop is held back in the same three steps', async () => {
    const rules = [
      { tool: 'c', type: 'RequiredBeforeExit' },
      { tool: 'b', type: 'ExitLoop' },
    ]
    const s = await stage(rules)
    expect(await s.turn(['a', 'b', 'b', 'b'])).toEqual(['ok', NO, NO, 'ok', 'ok'])
    expect(s.rows()[3]).toMatchObject({ name: 'c', origin: 'runtime' })
  })

  it('P-RULE-RequiredBeforeExit: a run that failed does not count as done', async () => {
    const s = await stage([
      { tool: 'c', type: 'RequiredBeforeExit' },
      { tool: 'b', type: 'ExitLoop' },
    ])
    expect(await s.turn([{ name: 'c', args: { fail: 'no' } }, 'b'])).toEqual(['execution_failed', NO])
    expect(await s.turn(['c', 'b'])).toEqual(['ok', 'ok'])
  })
})

describe('the end of a turn', () => {
  const rules = [{ tool: 'c', type: 'RequiredBeforeExitIf', tools: ['a'] }]

  it('is free where nothing is missing, and refused with more and more weight where something is', async () => {
    const s = await stage(rules)
    await s.turn(['b'], { turn: 't1' })
    const end = () => s.runtime().finishTurn({ session: 's', turn: 't1' })
    expect(await end()).toEqual({ mayEnd: true, missing: [], escalation: 0, error: null, results: [] })
    await s.turn(['a'], { turn: 't1' })
    expect(await end()).toMatchObject({ mayEnd: false, missing: ['c'], escalation: 1, results: [] })
    await s.restart()
    expect(await end()).toMatchObject({ escalation: 2, error: { details: { escalation: 2 } } })
    const last = await end()
    expect(last.mayEnd).toBe(true)
    expect(last.results.map(({ name, origin }) => [name, origin])).toEqual([['c', 'runtime']])
  })

  it('does not hold up for ever what nobody can run', async () => {
    const s = await stage([{ tool: 'read_file', type: 'RequiredBeforeExit' }])
    await s.turn(['a'], { turn: 't1' })
    const steps = []
    for (let index = 0; index < 3; index++)
      steps.push((await s.runtime().finishTurn({ session: 's', turn: 't1' })).escalation)
    expect(steps).toEqual([1, 2, 3])
  })

  it('P-COMPLETE: what was counted in a turn is let go with it', async () => {
    const s = await stage([{ tool: 'a', type: 'MaxCalls', max: 1 }])
    expect(await s.turn(['a', 'a'], { turn: 't1' })).toEqual(['ok', NO])
    await s.runtime().finishTurn({ session: 's', turn: 't1' })
    await s.restart()
    expect(await s.turn(['a', 'a'], { turn: 't1' })).toEqual(['ok', NO])
  })
})

describe('what lasts for a turn', () => {
  it('P-STATE-BATCH: counts and picks hold in every further message of it, wake-ups and restarts included', async () => {
    const s = await stage([
      { tool: 'a', type: 'MaxCalls', max: 1 },
      { tool: '*', type: 'ExclusiveGroups', groups: [['b', 'c']] },
    ])
    expect(await s.turn(['a', 'b'], { turn: 't1' })).toEqual(['ok', 'ok'])
    expect(await s.turn(['a', 'c'], { turn: 't1' })).toEqual([NO, NO])
    expect(await s.turn(['a', 'c'], { turn: 't1', isWakeUp: true })).toEqual([NO, NO])
    await s.restart()
    expect(await s.turn(['a', 'c'], { turn: 't1', isWakeUp: true })).toEqual([NO, NO])
    expect(await s.turn(['a', 'c'], { turn: 't2' })).toEqual(['ok', 'ok'])
  })
})

describe('what outlives a turn', () => {
  it('P-STATE-PERSIST: a rest and a repeat are remembered when their turn is over, and after a restart', async () => {
    const s = await stage([{ tool: 'a', type: 'Cooldown', seconds: 60 }])
    const end = (turn: string) => s.runtime().finishTurn({ session: 's', turn })
    expect(await s.turn(['a', 'push'], { turn: 't1' })).toEqual(['ok', 'ok'])
    await end('t1')
    s.clock.goOn(1000)
    expect(await s.turn(['a', 'push'], { turn: 't2' })).toEqual([NO, 'deduplicated'])
    await end('t2')
    await s.restart()
    s.clock.goOn(1000)
    expect(await s.turn(['a', 'push'], { turn: 't3' })).toEqual([NO, 'deduplicated'])
    s.clock.goOn(58_000)
    expect(await s.turn(['a', 'push'], { turn: 't4' })).toEqual(['ok', 'deduplicated'])
  })
})

describe('going on', () => {
  it('P-EXEC-8: each result says who asked to go on, and the wish never reaches the tool', async () => {
    const s = await stage([
      { tool: 'b', type: 'ContinueLoop' },
      { tool: 'c', type: 'ExitLoop' },
      { tool: 'push', type: 'MaxCalls', max: 0 },
    ])
    const outcome = await s.turn([
      { name: 'a', args: { request_heartbeat: true } },
      'b',
      { name: 'c', args: { request_heartbeat: false } },
      { name: 'push', args: { request_heartbeat: true } },
      { name: 'a', args: { request_heartbeat: 'yes' } },
    ])
    expect(outcome).toEqual(['ok', 'ok', 'ok', NO, 'bad_args'])
    const flags = s.rows().map(({ continuation }) => Object.values(continuation ?? {}))
    expect(Object.keys(s.rows()[0]?.continuation ?? {})).toEqual([
      'requests_continuation',
      'has_continue_rule',
      'requires_heartbeat',
      'ends_loop',
    ])
    expect(flags).toEqual([
      [true, false, true, false],
      [false, true, false, false],
      [false, false, true, true],
      [true, false, true, false],
      [false, false, true, false],
    ])
  })

  it('P-HB: heartbeats decide only where the setting says so, and a tool that ends the loop does everywhere', async () => {
    const s = await stage([
      { tool: 'b', type: 'ContinueLoop' },
      { tool: 'c', type: 'ExitLoop' },
    ])
    const next = async (names: Parameters<Stage['turn']>[0], mode: 'always' | 'heartbeat') => {
      await s.turn(names)
      return decideNext(s.rows(), { 'tools.continuation': mode })
    }
    expect(await next(['a'], 'always')).toBe('go_on')
    expect(await next(['a'], 'heartbeat')).toBe('rest')
    expect(await next([{ name: 'a', args: { request_heartbeat: true } }], 'heartbeat')).toBe('go_on')
    expect(await next(['a', 'b'], 'heartbeat')).toBe('go_on')
    for (const mode of ['always', 'heartbeat'] as const) {
      expect(await next(['b', 'c'], mode)).toBe('exit')
      expect(await next([{ name: 'c', args: { fail: 'x' } }], mode)).toBe(
        mode === 'always' ? 'go_on' : 'rest',
      )
    }
  })
})
