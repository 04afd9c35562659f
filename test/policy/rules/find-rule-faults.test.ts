import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { findRuleFaults } from '../../../src/policy/rules/find-rule-faults.ts'
import type { RuleFault } from '../../../src/policy/rules/find-rule-faults.ts'
import { foldPastCall } from '../../../src/policy/rules/fold-history.ts'
import { decideByRules, judgeRules } from '../../../src/policy/rules/judge-rules.ts'
import { NO_HISTORY } from '../../../src/policy/rules/rule-state.ts'
import { bookOf, factsOf, fullRules, pastOf } from './rule-bench.ts'
import type { ShortRule } from './rule-bench.ts'
import { roundsOf } from '../../harness/long-run.ts'

const TOOLS = ['a', 'b', 'c', 'read_file', 'write_file']

/** Rules written one below the other, four lines each. */
function faultsOf(...rules: readonly ShortRule[]): readonly RuleFault[] {
  const placed = fullRules(rules).map((rule, index) => ({ rule, place: `config.toml:${index * 4 + 1}` }))
  return findRuleFaults(placed, TOOLS)
}

const needs = (tool: string, ...tools: readonly string[]): ShortRule => ({
  tool,
  type: 'RequiresPrecedingTools',
  tools,
})
const namesOf = (count: number, prefix: string): readonly string[] =>
  Array.from({ length: count }, (_, index) => `${prefix}${index}`)
const inGroup = (tools: readonly string[]): ShortRule => ({
  tool: '*',
  type: 'ExclusiveGroups',
  groups: [tools],
})
const starts = (tool: string): ShortRule => ({ tool, type: 'StartConstraint' })

describe('rules that cannot be kept', () => {
  it('two start tools in one exclusive group: all three rules are named with their places', () => {
    const group: ShortRule = { tool: '*', type: 'ExclusiveGroups', groups: [['c', 'b', 'a']] }
    const [fault, ...more] = faultsOf(starts('a'), group, starts('b'))
    expect(more).toEqual([])
    expect(fault?.kind).toBe('start_in_exclusive_group')
    expect(fault?.rules.map(({ place }) => place)).toEqual([
      'config.toml:1',
      'config.toml:9',
      'config.toml:5',
    ])
    expect(fault?.message).toBe(
      'a and b must all succeed at the start, and ExclusiveGroups of every tool (config.toml:5) lets only one of them run: StartConstraint of "a" (config.toml:1) and StartConstraint of "b" (config.toml:9).',
    )
  })

  it('the same start tool twice in a group, or two in different groups, is no fault', () => {
    const groups: ShortRule = {
      tool: '*',
      type: 'ExclusiveGroups',
      groups: [
        ['a', 'c'],
        ['b', 'c'],
      ],
    }
    expect(faultsOf(starts('a'), starts('a'), starts('b'), groups)).toEqual([])
  })

  it.each([
    [
      'two tools',
      [needs('a', 'b'), needs('b', 'a')],
      'a needs b needs a',
      ['config.toml:1', 'config.toml:5'],
    ],
    ['a tool and itself', [needs('c', 'c')], 'c needs c', ['config.toml:1']],
    [
      'three in a row',
      [needs('a', 'b'), needs('c', 'a'), needs('b', 'c')],
      'a needs b needs c needs a',
      ['config.toml:1', 'config.toml:5', 'config.toml:9'],
    ],
    [
      'a rule for every tool',
      [needs('*', 'a'), needs('a', 'b')],
      'a needs b needs a',
      ['config.toml:1', 'config.toml:5'],
    ],
    [
      'a start tool that waits',
      [starts('a'), needs('a', 'b')],
      'a needs b needs a',
      ['config.toml:1', 'config.toml:5'],
    ],
  ] as const)('a circle of %s', (_title, rules, chain, places) => {
    const [fault, ...more] = faultsOf(...rules)
    expect(more).toEqual([])
    expect(fault?.kind).toBe('preceding_cycle')
    expect(fault?.message).toContain(`No call could ever be the first: ${chain}.`)
    expect(fault?.rules.map(({ place }) => place)).toEqual(places)
  })

  it('tools that wait without a circle are no fault', () => {
    expect(faultsOf(needs('a', 'b', 'c'), needs('b', 'c'), needs('*', 'c'), starts('c'))).toEqual([])
  })

  it.each([
    [
      { tool: 'raed_file', type: 'MaxCalls', max: 1 },
      'MaxCalls of "raed_file" (config.toml:1) is about a tool that does not exist: "raed_file". Did you mean read_file?',
    ],
    [
      needs('a', 'wirte_file'),
      'RequiresPrecedingTools of "a" (config.toml:1) is about a tool that does not exist: "wirte_file". Did you mean write_file?',
    ],
    [
      { tool: '*', type: 'ExclusiveGroups', groups: [['a', 'something_else']] },
      'ExclusiveGroups of every tool (config.toml:1) is about a tool that does not exist: "something_else". Known: a, b, c, read_file and write_file.',
    ],
    [
      { tool: '\u001B[2J', type: 'ExitLoop' },
      'ExitLoop of "\\u001b[2J" (config.toml:1) is about a tool that does not exist: "\\u001b[2J". Known: a, b, c, read_file and write_file.',
    ],
  ] as const satisfies readonly (readonly [ShortRule, string])[])(
    'a tool that does not exist: %j',
    (rule, message) => {
      const [fault, ...more] = faultsOf(rule)
      expect(more).toEqual([])
      expect(fault).toMatchObject({ kind: 'unknown_tool', message })
    },
  )

  it('a rule that needs a name says so', () => {
    const [fault] = faultsOf({ tool: '*', type: 'RequiredBeforeExit' })
    expect(fault).toMatchObject({ kind: 'unnamed_tool' })
    expect(fault?.message).toContain('has to name its tool')
  })

  it('rules without places are named all the same', () => {
    const [fault] = findRuleFaults(
      fullRules([needs('a', 'a')]).map((rule) => ({ rule, place: null })),
      TOOLS,
    )
    expect(fault?.message).toBe(
      'No call could ever be the first: a needs a. It follows from RequiresPrecedingTools of "a".',
    )
  })

  it.each([
    [
      'two rules for every tool',
      ['*', '*'].map((tool, rule) => needs(tool, ...namesOf(20_000, `r${rule}_`))),
    ],
    ['a long chain', namesOf(20_000, 'c').map((name, index) => needs(name, `c${index + 1}`))],
    ['a long circle', namesOf(20_000, 'c').map((name, index) => needs(name, `c${(index + 1) % 20_000}`))],
    ['many rules for every tool', namesOf(10_000, 'c').map((name) => needs('*', name))],
    ['many start tools in a group', [inGroup(namesOf(10_000, 'c')), ...namesOf(10_000, 'c').map(starts)]],
  ])('a project cannot keep a machine busy with rules: %s of thousands of tools', (_title, rules) => {
    // Both: as if all tools existed, and with the names of none.
    for (const known of [namesOf(20_001, 'c'), TOOLS]) {
      const placed = fullRules(rules).map((rule) => ({ rule, place: null }))
      const faults = findRuleFaults(placed, known)
      expect(faults.length).toBeLessThanOrEqual(20)
      for (const { message } of faults) expect(message.length).toBeLessThan(200_000)
    }
  })

  it('a circle of thousands is told by its beginning', () => {
    const rules = namesOf(5_000, 'c').map((name, index) => needs(name, `c${(index + 1) % 5_000}`))
    const [fault] = findRuleFaults(
      fullRules(rules).map((rule) => ({ rule, place: null })),
      namesOf(5_000, 'c'),
    )
    expect(fault?.message).toContain('first: c0 needs c1 needs')
    expect(fault?.message).toContain('needs … needs c0.')
    expect(fault?.message).toContain('and 4990 more.')
  })

  it('without a fault every tool can be reached in some order, with one some cannot', () => {
    const name = fc.constantFrom('a', 'b', 'c')
    const preceding = fc
      .tuple(fc.constantFrom('a', 'b', 'c', '*'), fc.array(name, { minLength: 1, maxLength: 2 }))
      .map(([tool, tools]) => needs(tool, ...tools))
    const rules = fc.array(fc.oneof({ weight: 3, arbitrary: preceding }, name.map(starts)), { maxLength: 4 })
    const law = fc.property(rules, (given) => {
      const faults = findRuleFaults(
        fullRules(given).map((rule) => ({ rule, place: null })),
        ['a', 'b', 'c'],
      )
      expect(canAllRun(given)).toBe(faults.length === 0)
    })
    fc.assert(law, { numRuns: roundsOf(100, 500) })
  })
})

/** Calls whatever is let through until nothing new is. */
function canAllRun(rules: readonly ShortRule[]): boolean {
  const book = bookOf(rules)
  let state = NO_HISTORY
  for (let round = 0; round < 3; round++) {
    for (const tool of ['a', 'b', 'c']) {
      const isOpen = decideByRules(judgeRules(book, state, factsOf(tool), 0)).is === 'open'
      if (isOpen) state = foldPastCall(state, pastOf(tool, { at: 0 }), book)
    }
  }
  return state.pass.succeeded.size === 3
}
