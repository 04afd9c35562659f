import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { RuleSetting } from '../../../src/config/rule-types.ts'
import { isLooseningRule } from '../../../src/config/rule-types.ts'
import { judgeDedupe } from '../../../src/policy/rules/dedupe.ts'
import { assume, beginPass, claim, foldPastCall, release } from '../../../src/policy/rules/fold-history.ts'
import { decideByRules, judgeRules } from '../../../src/policy/rules/judge-rules.ts'
import type { RuleDecision } from '../../../src/policy/rules/judge-rules.ts'
import type { PastCall } from '../../../src/policy/rules/past-call.ts'
import { createRuleBook } from '../../../src/policy/rules/rule-book.ts'
import type { RuleFacts } from '../../../src/policy/rules/rule-kind.ts'
import { countRuns, NO_HISTORY } from '../../../src/policy/rules/rule-state.ts'
import type { RuleState } from '../../../src/policy/rules/rule-state.ts'
import { bookOf, factsOf, LIMITS, pastOf } from './rule-bench.ts'
import { roundsOf } from '../../harness/long-run.ts'

const runs = { numRuns: roundsOf(100, 500) }
const tool = fc.constantFrom('a', 'b', 'c', 'd')
const owner = fc.oneof({ weight: 4, arbitrary: tool }, { weight: 1, arbitrary: fc.constant('*') })
const tools = fc.array(tool, { minLength: 1, maxLength: 3 })
const priority = fc.integer({ min: -1, max: 1 })

const rule: fc.Arbitrary<RuleSetting> = fc.oneof(
  fc.record({ type: fc.constant('MaxCalls' as const), tool: owner, max: fc.nat(3), priority }),
  fc.record({
    type: fc.constant('ExclusiveGroups' as const),
    tool: owner,
    groups: fc.array(tools, { minLength: 1, maxLength: 2 }),
    priority,
  }),
  fc.record({
    type: fc.constantFrom(
      'RequiresPrecedingTools' as const,
      'RequiresFollowingTools' as const,
      'RequiredBeforeExitIf' as const,
    ),
    tool: owner,
    tools,
    priority,
  }),
  fc.record({
    type: fc.constantFrom(
      'StartConstraint' as const,
      'RequiredBeforeExit' as const,
      'ExitLoop' as const,
      'ContinueLoop' as const,
    ),
    tool: owner,
    priority,
  }),
  fc.record({
    type: fc.constantFrom('AlwaysDedupe' as const, 'NeverDedupe' as const),
    tool: owner,
    priority,
  }),
  fc.record({
    type: fc.constant('Cooldown' as const),
    tool: owner,
    seconds: fc.integer({ min: 1, max: 9 }),
    priority,
  }),
  fc.record({
    type: fc.constant('RequiresConsent' as const),
    tool: owner,
    scope: fc.constantFrom(null, 'shop'),
    priority,
  }),
  fc.record({
    type: fc.constant('AllowedOperations' as const),
    tool: owner,
    operations: fc.subarray(['x', 'y', 'z'], { minLength: 1 }),
    priority,
  }),
)
const rules = fc.array(rule, { maxLength: 8 })

const past: fc.Arbitrary<PastCall> = fc
  .record({
    tool,
    ok: fc.boolean(),
    code: fc.constantFrom('execution_failed' as const, 'timeout' as const, 'rule_violation' as const),
    pass: fc.constantFrom('p1', 'p2'),
    turn: fc.constantFrom('t1', 't2'),
    at: fc.integer({ min: 0, max: 9000 }),
    argsDigest: fc.constantFrom('d0', 'd1'),
    rule: fc.constantFrom(null, 'StartConstraint' as const, 'RequiredBeforeExit' as const),
  })
  .map(({ ok, code, ...rest }) => {
    const isRefused = !ok && code === 'rule_violation'
    const more = { ok, code: ok ? null : code, hasRun: !isRefused, rule: isRefused ? rest.rule : null }
    return pastOf(rest.tool, { ...rest, ...more })
  })
const history = fc.array(past, { maxLength: 12 })

const facts: fc.Arbitrary<RuleFacts> = fc
  .record({
    tool,
    action: fc.constantFrom('x', 'y', 'w'),
    argsDigest: fc.constantFrom('d0', 'd1'),
    bareTools: fc.subarray(['a', 'b', 'c', 'd']).map((names) => new Set(names)),
    mayRunFirst: fc.boolean(),
  })
  .map(({ action, ...more }) => factsOf(more.tool, { ...more, args: { action } }))

const now = fc.integer({ min: 0, max: 20_000 })

function live(settings: readonly RuleSetting[], calls: readonly PastCall[]): RuleState {
  const book = createRuleBook(settings, LIMITS)
  return calls.reduce((state, call) => foldPastCall(state, call, book), NO_HISTORY)
}

function decide(
  settings: readonly RuleSetting[],
  state: RuleState,
  call: RuleFacts,
  at: number,
): RuleDecision {
  return decideByRules(judgeRules(createRuleBook(settings, LIMITS), state, call, at))
}

function isDuplicate(
  settings: readonly RuleSetting[],
  state: RuleState,
  call: RuleFacts,
  at: number,
): boolean {
  return !judgeDedupe(createRuleBook(settings, LIMITS), state, call, at).ok
}

describe('laws of rules', () => {
  it('another rule never allows more', () => {
    const law = fc.property(rules, rule, history, facts, now, (given, added, calls, call, at) => {
      fc.pre(!isLooseningRule(added))
      // A start tool is free to come among the first: that is what its rule says.
      fc.pre(added.type !== 'StartConstraint' || added.tool !== call.tool)
      const more = [...given, added]
      // Each set of rules remembers what it needs, from the same log.
      const before = decide(given, live(given, calls), call, at)
      const after = decide(more, live(more, calls), call, at)
      if (before.is === 'refused') expect(after.is).toBe('refused')
      else if (after.is === 'open') {
        expect(after.consents.length).toBeGreaterThanOrEqual(before.consents.length)
        expect(new Set(before.runFirst).isSubsetOf(new Set(after.runFirst))).toBe(true)
      }
      if (isDuplicate(given, live(given, calls), call, at)) {
        expect(isDuplicate(more, live(more, calls), call, at)).toBe(true)
      }
    })
    fc.assert(law, runs)
  })

  it('the order in which rules are written down changes nothing', () => {
    const shuffled = rules.chain((given) =>
      fc.tuple(
        fc.constant(given),
        fc.shuffledSubarray(given, { minLength: given.length, maxLength: given.length }),
      ),
    )
    const law = fc.property(shuffled, history, facts, now, ([given, other], calls, call, at) => {
      const bookOne = createRuleBook(given, LIMITS)
      const bookTwo = createRuleBook(other, LIMITS)
      expect(live(other, calls)).toEqual(live(given, calls))
      const state = live(given, calls)
      expect(judgeRules(bookTwo, state, call, at)).toEqual(judgeRules(bookOne, state, call, at))
      expect(judgeDedupe(bookTwo, state, call, at)).toEqual(judgeDedupe(bookOne, state, call, at))
    })
    fc.assert(law, runs)
  })

  it('an assumption never refuses what facts let through', () => {
    const effect = fc.constantFrom('read' as const, 'edit' as const)
    const assumed = fc.array(fc.record({ tool, effect }), { maxLength: 4 })
    const law = fc.property(rules, history, assumed, facts, now, (given, calls, guesses, call, at) => {
      const state = live(given, calls)
      const planned = guesses.reduce(assume, state)
      if (decide(given, state, call, at).is === 'open')
        expect(decide(given, planned, call, at).is).toBe('open')
      if (!isDuplicate(given, state, call, at)) expect(isDuplicate(given, planned, call, at)).toBe(false)
    })
    fc.assert(law, runs)
  })

  it('a refused call leaves the counters as they were', () => {
    const refusal = fc.constantFrom(
      'rule_violation' as const,
      'deduplicated' as const,
      'capability_denied' as const,
      'approval_denied' as const,
    )
    const law = fc.property(rules, history, tool, refusal, (given, calls, name, code) => {
      const book = createRuleBook(given, LIMITS)
      const before = beginPass(live(given, calls), 'p1')
      const refused = pastOf(name, { ok: false, code, hasRun: false, at: before.lasting.clockAt })
      const taken = claim(before, { ...refused })
      const after = foldPastCall(taken, refused, book)
      expect(release(taken, refused.execution)).toEqual(before)
      expect(after.pass).toEqual(before.pass)
      expect(after.lasting).toEqual(before.lasting)
      expect(after.claims).toEqual(before.claims)
      const { runs: counts, failures } = after.turns.get('t1') ?? {}
      expect(counts ?? new Map()).toEqual(before.turns.get('t1')?.runs ?? new Map())
      expect([...(failures ?? [])]).toEqual([...(before.turns.get('t1')?.failures ?? [])])
    })
    fc.assert(law, runs)
  })

  it('no interleaving of concurrent calls runs a tool more often than MaxCalls lets it', () => {
    const move = fc.record({ call: fc.nat(5), how: fc.constantFrom('begin', 'succeed', 'fail', 'deny') })
    const law = fc.property(fc.nat(3), fc.array(move, { maxLength: 60 }), (max, moves) => {
      const book = bookOf([{ tool: 'a', type: 'MaxCalls', max }], { maxIdenticalFailures: 0 })
      let state = NO_HISTORY
      let ran = 0
      const running = new Map<number, string>()
      for (const [index, { call, how }] of moves.entries()) {
        const execution = running.get(call)
        if (execution === undefined) {
          const wanted = factsOf('a', { execution: `x${index}` })
          if (how !== 'begin' || decideByRules(judgeRules(book, state, wanted, 0)).is === 'refused') continue
          state = claim(state, wanted)
          running.set(call, wanted.execution)
        } else if (how !== 'begin') {
          const code = how === 'succeed' ? null : how === 'fail' ? 'execution_failed' : 'approval_denied'
          state = foldPastCall(state, pastOf('a', { execution, ok: code === null, code }), book)
          running.delete(call)
          ran += how === 'deny' ? 0 : 1
        }
        expect(ran + running.size).toBeLessThanOrEqual(max)
        expect(countRuns(state, 't1', 'a', '')).toBe(ran + running.size)
      }
    })
    fc.assert(law, runs)
  })
})
