import { describe, expect, it } from 'vitest'
import { RULE_TYPES } from '../../../src/config/rule-types.ts'
import { foldPastCall } from '../../../src/policy/rules/fold-history.ts'
import { decideByRules, judgeRules, violationError } from '../../../src/policy/rules/judge-rules.ts'
import { renderRulesPage } from '../../../src/policy/rules/rules-page.ts'
import { NO_HISTORY } from '../../../src/policy/rules/rule-state.ts'
import type { RuleState } from '../../../src/policy/rules/rule-state.ts'
import { describeRule, RULE_KINDS } from '../../../src/policy/rules/rule-table.ts'
import { bookOf, factsOf, fullRules, pastOf } from './rule-bench.ts'
import type { ShortRule } from './rule-bench.ts'

const SENTENCES: readonly (readonly [ShortRule, string])[] = [
  [{ tool: 'a', type: 'MaxCalls', max: 1 }, 'a may be called at most once in a turn.'],
  [
    { tool: '*', type: 'MaxCalls', max: 3 },
    'Every tool may be called at most 3 times in a turn, each counted by itself.',
  ],
  [{ tool: 'a', type: 'MaxCalls', max: 0 }, 'a may not be called at all.'],
  [
    {
      tool: '*',
      type: 'ExclusiveGroups',
      groups: [
        ['b', 'a'],
        ['c', 'd', 'e'],
      ],
    },
    'Only one of a and b, only one of c, d and e may be used in a turn.',
  ],
  [{ tool: 'a', type: 'ExclusiveGroups', groups: [['b']] }, 'Only one of a and b may be used in a turn.'],
  [{ tool: 'a', type: 'StartConstraint' }, 'a must succeed before any other tool is called.'],
  [
    { tool: 'a', type: 'RequiresPrecedingTools', tools: ['b', 'c'] },
    'a may be called only after b and c succeeded in the same pass.',
  ],
  [
    { tool: 'a', type: 'RequiresFollowingTools', tools: ['b', 'c'] },
    'a may be called only before b or c has run in the same pass.',
  ],
  [{ tool: 'a', type: 'RequiredBeforeExit' }, 'a must succeed before the work ends.'],
  [
    { tool: 'a', type: 'RequiredBeforeExitIf', tools: ['b'] },
    'a must succeed before the work ends, if b has succeeded.',
  ],
  [{ tool: 'a', type: 'ContinueLoop' }, 'a lets the model continue without asking for it.'],
  [{ tool: 'a', type: 'ExitLoop' }, 'a ends the work once it has succeeded.'],
  [{ tool: 'a', type: 'Cooldown', seconds: 2.5 }, 'a must wait 2.5 s between two calls.'],
  [{ tool: '*', type: 'Cooldown', seconds: 60 }, 'Every tool must wait 60 s between two calls of its own.'],
  [
    { tool: 'a', type: 'RequiresConsent', scope: null },
    "a needs a person's consent, given for the call or by a standing grant.",
  ],
  [
    { tool: 'a', type: 'RequiresConsent', scope: 'the shop' },
    "a needs a person's consent (the shop), given for the call or by a standing grant.",
  ],
  [
    { tool: 'a', type: 'Periodic', seconds: 60 },
    'a is called automatically every 60 s while a session is open.',
  ],
  [{ tool: 'a', type: 'NeverDedupe' }, 'a may be called again with the same arguments at any time.'],
  [
    { tool: 'a', type: 'AlwaysDedupe' },
    'a is not called again with the same arguments soon after it succeeded, unless the workspace has changed.',
  ],
  [{ tool: 'a', type: 'AllowedOperations', operations: ['list', 'show'] }, 'a may do only list and show.'],
  [{ tool: 'a', type: 'Needed', tools: ['b'] }, 'a needs b to be useful.'],
  [{ tool: 'a', type: 'Needed', tools: [] }, 'a is needed for this work.'],
]

describe('sentences', () => {
  it.each(SENTENCES)('%j is said plainly', (rule, sentence) => {
    expect(fullRules([rule]).map(describeRule)).toEqual([sentence])
  })

  it('there is one for every type', () => {
    expect(new Set(SENTENCES.map(([{ type }]) => type))).toEqual(new Set(Object.keys(RULE_TYPES)))
  })
})

const after = (...tools: readonly string[]): RuleState =>
  tools.reduce((state, tool) => foldPastCall(state, pastOf(tool), bookOf([])), NO_HISTORY)

const VIOLATIONS: readonly (readonly [ShortRule, RuleState, string, string, object])[] = [
  [
    { tool: 'a', type: 'MaxCalls', max: 1 },
    after('a'),
    'a has been called once in this turn, and the limit is once',
    "Do without it, or wait for the user's next message.",
    { max: 1, calls: 1 },
  ],
  [
    { tool: 'a', type: 'ExclusiveGroups', groups: [['b', 'a']] },
    after('b'),
    'b has been used in this turn, and a excludes it',
    "Go on with b, or wait for the user's next message.",
    { group: ['a', 'b'], used: 'b' },
  ],
  [{ tool: 'b', type: 'StartConstraint' }, after(), 'b must succeed first', 'Call b.', { missing: ['b'] }],
  [
    { tool: 'a', type: 'RequiresPrecedingTools', tools: ['read_file', 'b'] },
    after('b'),
    'read_file must succeed first',
    'Call read_file, then a again.',
    { missing: ['read_file'] },
  ],
  [
    { tool: 'a', type: 'RequiresFollowingTools', tools: ['b'] },
    after('b'),
    'b has already run, and a must come before it',
    'Wait for the next pass, and call a before b.',
    { ran: ['b'] },
  ],
  [
    { tool: 'a', type: 'Cooldown', seconds: 14.2 },
    after('a'),
    'cooldown: 12 s left',
    'Call a again in 12 s.',
    { seconds: 14.2, left_ms: 11_200 },
  ],
  [
    { tool: 'a', type: 'AllowedOperations', operations: ['list', 'show'] },
    after(),
    'a: drop is not among the operations allowed',
    'Call it with action list or show.',
    { operation: 'drop', allowed: ['list', 'show'] },
  ],
]

describe('refusals', () => {
  it.each(VIOLATIONS)(
    '%j tells the rule, the reason and what would satisfy it',
    (rule, state, reason, satisfy, details) => {
      const facts = factsOf('a', { args: { action: 'drop' } })
      const decision = decideByRules(judgeRules(bookOf([rule]), state, facts, 4000))
      if (decision.is !== 'refused') throw new Error('it was let through')
      const error = violationError(decision.violation)
      expect(error).toMatchObject({ code: 'rule_violation', recovery: [satisfy] })
      expect(error.details).toMatchObject({ rule: rule.type, reason, satisfy, ...details })
      expect(error.message).toBe(`${reason}. ${fullRules([rule]).map(describeRule).join('')} ${satisfy}`)
    },
  )

  it('a repeated failure says how often and how it failed', () => {
    const book = bookOf([])
    const failed = pastOf('a', { ok: false, code: 'execution_failed' })
    const state = [failed, failed, failed].reduce(
      (folded, past) => foldPastCall(folded, past, book),
      NO_HISTORY,
    )
    const [finding] = judgeRules(book, state, factsOf('a'), 2000)
    expect(finding).toMatchObject({ rule: 'Repetition', details: { failures: 3, code: 'execution_failed' } })
    expect(finding?.reason).toBe(
      'the same call has failed 3 times in a row with execution_failed, and nothing has changed since',
    )
    expect(judgeRules(bookOf([], { maxIdenticalFailures: 0 }), state, factsOf('a'), 2000)).toEqual([])
    expect(judgeRules(bookOf([], { maxIdenticalFailures: 4 }), state, factsOf('a'), 2000)).toEqual([])
  })
})

const judged = (given: readonly ShortRule[]): readonly string[] =>
  judgeRules(bookOf(given), after('a'), factsOf('a'), 2000).map(({ rule }) => rule)

describe('the order of judgement', () => {
  const rules: readonly ShortRule[] = [
    { tool: 'a', type: 'Cooldown', seconds: 60 },
    { tool: 'a', type: 'MaxCalls', max: 1 },
    { tool: 'a', type: 'RequiresPrecedingTools', tools: ['b'] },
  ]
  it('between equals is pass, turn, time, however they are written down', () => {
    const expected = ['RequiresPrecedingTools', 'MaxCalls', 'Cooldown']
    expect(judged(rules)).toEqual(expected)
    expect(judged(rules.toReversed())).toEqual(expected)
  })

  it('is by priority first', () => {
    const [cooldown, ...others] = rules
    if (cooldown === undefined) throw new Error('no rule')
    expect(judged([...others, { ...cooldown, priority: 1 }])[0]).toBe('Cooldown')
    expect(judged([{ ...cooldown, priority: -1 }, ...others]).at(-1)).toBe('Cooldown')
  })

  it('a refusal comes before any question, whatever the priorities', () => {
    const consent: ShortRule = { tool: 'a', type: 'RequiresConsent', scope: null, priority: 9 }
    const decision = decideByRules(judgeRules(bookOf([...rules, consent]), after('a'), factsOf('a'), 2000))
    expect(decision.is).toBe('refused')
    const open = decideByRules(judgeRules(bookOf([consent]), after('a'), factsOf('a'), 2000))
    expect(open).toMatchObject({ is: 'open', consents: [{ reason: 'consent is needed' }] })
    const off = bookOf([consent], { requirePermissions: false })
    expect(judgeRules(off, NO_HISTORY, factsOf('a'), 0)).toEqual([])
  })

  it('nothing is run first for a call that another rule refuses', () => {
    const book = bookOf([
      { tool: 'start', type: 'StartConstraint' },
      { tool: 'a', type: 'MaxCalls', max: 0, priority: -1 },
    ])
    const state = { ...NO_HISTORY, pass: { ...NO_HISTORY.pass, startRefusals: 2 } }
    const findings = judgeRules(book, state, factsOf('a', { bareTools: new Set(['start']) }), 0)
    expect(findings.map(({ is }) => is)).toEqual(['run_first', 'violation'])
    expect(decideByRules(findings)).toMatchObject({ is: 'refused', violation: { rule: 'MaxCalls' } })
  })
})

describe('the page about rules', () => {
  it('has a row with an example for every type', () => {
    const page = renderRulesPage()
    for (const [type, { example }] of Object.entries(RULE_KINDS)) {
      expect(page).toContain(`| \`${type}\` |`)
      expect(page).toContain(describeRule(example))
    }
  })
})
