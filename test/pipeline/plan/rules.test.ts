import { describe, expect, it } from 'vitest'
import { NO, runs, stage } from './rule-stage.ts'

describe('rules over a turn', () => {
  it('P-RULE-MaxCalls: the last allowed call runs and not one more, also after a restart in the same turn', async () => {
    const s = await stage([{ tool: 'a', type: 'MaxCalls', max: 2 }])
    expect(await s.turn(['a', 'b'], { turn: 't1', iteration: 1 })).toEqual(['ok', 'ok'])
    await s.restart()
    expect(await s.turn(['a', 'a', 'b'], { turn: 't1', iteration: 2 })).toEqual(['ok', NO, 'ok'])
    expect(await s.turn(['a', 'a', 'a'])).toEqual(['ok', 'ok', NO])
  })

  it('P-RULE-ExclusiveGroups: the first tool of a group keeps the others out for the turn', async () => {
    const s = await stage([{ tool: '*', type: 'ExclusiveGroups', groups: [['a', 'b']] }])
    expect(await s.turn(['b', 'a', 'c'], { turn: 't1', iteration: 1 })).toEqual(['ok', NO, 'ok'])
    await s.restart()
    expect(await s.turn(['a', 'b'], { turn: 't1', iteration: 2 })).toEqual([NO, 'ok'])
    expect(await s.turn(['a'])).toEqual(['ok'])
  })

  it('P-EXEC-3: a call that a turn rule refuses never runs and takes nothing', async () => {
    const s = await stage([
      { tool: '*', type: 'ExclusiveGroups', groups: [['a', 'b']] },
      { tool: 'a', type: 'MaxCalls', max: 0 },
    ])
    runs.length = 0
    expect(await s.turn(['a', 'b'])).toEqual([NO, 'ok'])
    expect(runs).toEqual(['b'])
  })
})

describe('rules over a pass', () => {
  it('P-RULE-RequiresPrecedingTools: the listed tools must have succeeded first', async () => {
    const s = await stage([{ tool: 'a', type: 'RequiresPrecedingTools', tools: ['b'] }])
    expect(await s.turn(['a'])).toEqual([NO])
    expect(s.errors()[0]?.message).toMatch(/b/)
    expect(await s.turn(['b', 'a'])).toEqual(['ok', 'ok'])
    expect(await s.turn([{ name: 'b', args: { fail: 'no' } }, 'a'])).toEqual(['execution_failed', NO])
  })

  it('P-RULE-RequiresFollowingTools: it comes too late once a listed tool has run', async () => {
    const s = await stage([{ tool: 'a', type: 'RequiresFollowingTools', tools: ['b'] }])
    expect(await s.turn(['a', 'b'])).toEqual(['ok', 'ok'])
    expect(await s.turn(['b', 'a'])).toEqual(['ok', NO])
  })

  it('P-RULE-RequiresPrecedingTools: of several listed tools each must have succeeded', async () => {
    const s = await stage([{ tool: 'a', type: 'RequiresPrecedingTools', tools: ['b', 'c'] }])
    expect(await s.turn(['b', 'a'])).toEqual(['ok', NO])
    expect(s.errors()[0]?.details).toMatchObject({ missing: ['c'] })
    expect(await s.turn(['c', 'a'])).toEqual(['ok', NO])
    expect(await s.turn(['c', 'b', 'a'])).toEqual(['ok', 'ok', 'ok'])
  })

  it('P-RULE-RequiresFollowingTools: of several listed tools one is enough to make it too late', async () => {
    const s = await stage([{ tool: 'a', type: 'RequiresFollowingTools', tools: ['b', 'c'] }])
    expect(await s.turn(['a', 'b', 'c'])).toEqual(['ok', 'ok', 'ok'])
    expect(await s.turn(['c', 'a'])).toEqual(['ok', NO])
    expect(s.errors()[0]?.details).toMatchObject({ ran: ['c'] })
  })

  it('P-EXEC-2: ordering is judged on what really happened when the call comes to its door', async () => {
    const s = await stage([{ tool: 'a', type: 'RequiresPrecedingTools', tools: ['b'] }])
    runs.length = 0
    await s.turn([{ name: 'b', args: { fail: 'x' } }, 'a'])
    expect(runs).toEqual(['b'])
  })

  it('P-RULE-StartConstraint: a start tool comes first, and a second refusal says so more firmly', async () => {
    const s = await stage([{ tool: 'b', type: 'StartConstraint' }])
    expect(await s.turn(['a', 'a', 'b', 'a'])).toEqual([NO, NO, 'ok', 'ok'])
    expect(s.errors()[1]?.details).toMatchObject({ escalation: 2 })
  })
  it('P-RULE-StartConstraint: a start tool that ran and failed does not count, and of several each must succeed', async () => {
    const s = await stage([{ tool: 'b', type: 'StartConstraint' }])
    expect(await s.turn([{ name: 'b', args: { fail: 'no' } }, 'a'])).toEqual(['execution_failed', NO])
    const both = await stage([
      { tool: 'b', type: 'StartConstraint' },
      { tool: 'c', type: 'StartConstraint' },
    ])
    expect(await both.turn(['c', 'a', 'b', 'a'])).toEqual(['ok', NO, 'ok', 'ok'])
    expect(both.errors()[0]?.details).toMatchObject({ missing: ['b'] })
  })
})

describe('rules that last', () => {
  it('P-RULE-Cooldown: the time between two calls holds over turns and restarts, to the millisecond', async () => {
    const s = await stage([{ tool: 'a', type: 'Cooldown', seconds: 60 }])
    expect(await s.turn(['a'])).toEqual(['ok'])
    s.clock.goOn(59_999)
    await s.restart()
    expect(await s.turn(['a'])).toEqual([NO])
    expect(s.errors()[0]?.message).toMatch(/1 s left/)
    s.clock.goOn(1)
    expect(await s.turn(['a'])).toEqual(['ok'])
  })

  it('P-EXEC-1, P-ERR-Deduplicated: the same call with effects is refused within the window, whatever the order of its keys', async () => {
    const s = await stage([])
    const call = { name: 'push', args: { word: 'x', action: 'list' } }
    expect(await s.turn([call])).toEqual(['ok'])
    await s.restart()
    expect(await s.turn([{ name: 'push', args: { action: 'list', word: 'x' } }])).toEqual(['deduplicated'])
    expect(await s.turn([{ name: 'push', args: { word: 'y' } }])).toEqual(['ok'])
    s.clock.goOn(299_999)
    expect(await s.turn([call])).toEqual(['deduplicated'])
    expect(s.errors()[0]?.details).toMatchObject({ left_ms: 1 })
    s.clock.goOn(1)
    expect(await s.turn([call])).toEqual(['ok'])
  })

  it('only a success counts as done', async () => {
    const s = await stage([])
    const call = { name: 'push', args: { fail: 'no' } }
    expect(await s.turn([call])).toEqual(['execution_failed'])
    expect(await s.turn([call])).toEqual(['execution_failed'])
  })

  it('P-RULE-NeverDedupe: a tool can be exempt', async () => {
    const s = await stage([{ tool: 'push', type: 'NeverDedupe' }])
    expect(await s.turn(['push'])).toEqual(['ok'])
    expect(await s.turn(['push'])).toEqual(['ok'])
  })

  it('P-RULE-AlwaysDedupe: a tool that only reads can be held to it', async () => {
    const s = await stage([{ tool: 'a', type: 'AlwaysDedupe' }])
    expect(await s.turn(['a'])).toEqual(['ok'])
    expect(await s.turn(['a'])).toEqual(['deduplicated'])
  })
})

describe('consent and operations', () => {
  it('P-RULE-RequiresConsent: it is asked about each time, and nobody to ask means no', async () => {
    const asked: string[] = []
    const approve = (requests: readonly { readonly call: { readonly name: string } }[]) =>
      requests.map(({ call }) => {
        asked.push(call.name)
        return 'once' as const
      })
    const s = await stage([{ tool: 'a', type: 'RequiresConsent' }], { approve })
    expect(await s.turn(['a', 'b'])).toEqual(['ok', 'ok'])
    expect(await s.turn(['a'])).toEqual(['ok'])
    expect(asked).toEqual(['a', 'a'])
    const alone = await stage([{ tool: 'a', type: 'RequiresConsent' }])
    expect(await alone.turn(['a'])).toEqual(['approval_denied'])
  })

  it('P-GRANT-Once, P-PRINCIPLE: an answer for once is used up, and nothing is remembered from it', async () => {
    let questions = 0
    const approve = (requests: readonly unknown[]) => {
      questions += requests.length
      return requests.map(() => 'once' as const)
    }
    const s = await stage([{ tool: 'a', type: 'RequiresConsent' }], { approve })
    for (let i = 0; i < 3; i++) await s.turn(['a'])
    await s.restart()
    await s.turn(['a'])
    expect(questions).toBe(4)
  })

  it('P-GRANT-Deny: a denial is not remembered either', async () => {
    const answers = ['deny', 'once'] as const
    let at = 0
    const approve = (requests: readonly unknown[]) => requests.map(() => answers[at++] ?? 'deny')
    const s = await stage([{ tool: 'a', type: 'RequiresConsent' }], { approve })
    expect(await s.turn(['a'])).toEqual(['approval_denied'])
    expect(await s.turn(['a'])).toEqual(['ok'])
  })

  it('P-RULE-AllowedOperations: other operations of a tool are refused', async () => {
    const s = await stage([{ tool: 'a', type: 'AllowedOperations', operations: ['list'] }])
    expect(
      await s.turn([
        { name: 'a', args: { action: 'list' } },
        { name: 'a', args: { action: 'drop' } },
      ]),
    ).toEqual(['ok', NO])
  })

  it('P-RULE-AllowedOperations: a call that leaves open what to do is refused too', async () => {
    const s = await stage([{ tool: 'a', type: 'AllowedOperations', operations: ['list'] }])
    expect(await s.turn(['a'])).toEqual([NO])
    expect(s.errors()[0]?.details).toMatchObject({ operation: null, allowed: ['list'] })
  })

  it('P-RULE-Needed: a descriptive rule refuses nothing', async () => {
    const s = await stage([{ tool: 'a', type: 'Needed', tools: ['b'] }])
    expect(await s.turn(['a'])).toEqual(['ok'])
  })
})

describe('violations and faults', () => {
  it('P-ERR-RuleViolation: a violation names the rule, the reason and what would satisfy it', async () => {
    const s = await stage([{ tool: 'a', type: 'RequiresPrecedingTools', tools: ['b'] }])
    await s.turn(['a'])
    expect(s.errors()[0]).toMatchObject({
      class: 'AuthorizationError',
      state: 'DENIED',
      details: {
        rule: 'RequiresPrecedingTools',
        reason: expect.stringMatching(/b/),
        satisfy: expect.stringMatching(/b/),
      },
    })
  })

  it('P-ERR-NotFound: an unknown tool lists those there are', async () => {
    const s = await stage([])
    expect(await s.turn(['nope'])).toEqual(['unknown_tool'])
    expect(s.errors()[0]?.details).toMatchObject({
      available: expect.arrayContaining(['a', 'b', 'read_file']),
    })
    expect(s.errors()[0]?.message).toMatch(/Available: a, .*\bb, c, .*\bread_file, /)
  })

  it.each([
    [[{ tool: 'nope', type: 'MaxCalls', max: 1 }], /nope/],
    [
      [
        { tool: 'a', type: 'RequiresPrecedingTools', tools: ['b'] },
        { tool: 'b', type: 'RequiresPrecedingTools', tools: ['a'] },
      ],
      /a.*b|b.*a/,
    ],
    [
      [
        { tool: 'a', type: 'StartConstraint' },
        { tool: 'b', type: 'StartConstraint' },
        { tool: '*', type: 'ExclusiveGroups', groups: [['a', 'b']] },
      ],
      /group/i,
    ],
  ])('rules that cannot hold are found when they are loaded: %j', async (rules, message) => {
    await expect(stage(rules)).rejects.toThrow(message)
  })

  it('the same failing call is stopped after a number of identical failures in a turn', async () => {
    const s = await stage([], { config: { 'tools.max_identical_failures': 2 } })
    const call = { name: 'a', args: { fail: 'again' } }
    const outcomes: string[] = []
    for (let iteration = 1; iteration <= 4; iteration++)
      outcomes.push(...(await s.turn([call], { turn: 't1', iteration })))
    expect(outcomes).toEqual(['execution_failed', 'execution_failed', NO, NO])
  })
})
