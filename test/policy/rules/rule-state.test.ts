import { describe, expect, it } from 'vitest'
import { findMissingExits } from '../../../src/policy/rules/kinds/exit-rules.ts'
import { judgeDedupe } from '../../../src/policy/rules/dedupe.ts'
import {
  beginPass,
  beginTurn,
  claim,
  completeTurn,
  foldBatch,
  foldPastCall,
  prune,
  release,
} from '../../../src/policy/rules/fold-history.ts'
import { judgeRules } from '../../../src/policy/rules/judge-rules.ts'
import { mayRunInParallel } from '../../../src/policy/rules/rule-book.ts'
import { countRuns, hasRun, hasSucceeded, NO_HISTORY } from '../../../src/policy/rules/rule-state.ts'
import type { RuleState } from '../../../src/policy/rules/rule-state.ts'
import { findMissingStarts } from '../../../src/policy/rules/kinds/order-rules.ts'
import { bookOf, factsOf, foldAll, loop, pastOf, refusalOf } from './rule-bench.ts'

describe('what a pass remembers', () => {
  it('P-STATE-PROCESS: history, start flag and exit list begin anew with each pass', () => {
    const worked = foldAll(loop, pastOf('start'), pastOf('a'), pastOf('b', { ok: false, code: 'crashed' }))
    expect(hasSucceeded(worked, 'a')).toBe(true)
    expect(hasSucceeded(worked, 'b')).toBe(false)
    expect(hasRun(worked, 'b', '')).toBe(true)
    expect(findMissingStarts(loop, worked)).toEqual([])
    const cleaned = foldPastCall(worked, pastOf('clean'), loop)
    expect([findMissingExits(loop, worked), findMissingExits(loop, cleaned)]).toEqual([['clean'], []])

    const next = beginPass(cleaned, 'p2')
    expect(hasSucceeded(next, 'a')).toBe(false)
    expect(hasRun(next, 'b', '')).toBe(false)
    expect(findMissingStarts(loop, next)).toEqual(['start'])
    expect(findMissingExits(loop, next)).toEqual(['clean'])
  })

  it('forgets refusals with the pass, so that the weight of the next begins at one', () => {
    const refused = { ok: false, code: 'rule_violation', hasRun: false, rule: 'StartConstraint' } as const
    const state = foldAll(loop, pastOf('a', refused), pastOf('a', refused))
    expect(state.pass.startRefusals).toBe(2)
    expect(beginPass(state, 'p2').pass.startRefusals).toBe(0)
    expect(beginPass(state, 'p1')).toBe(state)
  })
})

describe('what a turn remembers', () => {
  const book = bookOf([
    { tool: 'a', type: 'MaxCalls', max: 1 },
    { tool: '*', type: 'ExclusiveGroups', groups: [['b', 'c']] },
  ])

  it('P-STATE-BATCH: counts and picks go on through the passes of their turn, and count in no other turn', () => {
    const state = beginPass(foldAll(book, pastOf('a'), pastOf('b')), 'p2')
    expect(refusalOf(book, state, 'a', 2000)).toContain('once')
    expect(refusalOf(book, state, 'c', 2000)).toContain('b has been used')
    expect(refusalOf(book, state, 'b', 2000)).toBeNull()
    expect(refusalOf(book, state, 'a', 2000, 't2')).toBeNull()
    expect(refusalOf(book, state, 'c', 2000, 't2')).toBeNull()
  })

  it('P-COMPLETE: a turn that is over leaves nothing behind', () => {
    const state = foldAll(book, pastOf('a'), pastOf('x', { turn: 't2' }))
    const after = completeTurn(state, 't1')
    expect([...after.turns.keys()]).toEqual(['t2'])
    expect(refusalOf(book, after, 'a', 2000)).toBeNull()
    expect(completeTurn(after, 't1')).toBe(after)
  })

  it('lets go of the oldest turns that have come to rest, and keeps those that wait', () => {
    const begin = (state: RuleState, turn: string, calls: number): RuleState =>
      foldBatch(state, { turn, pass: turn, calls, at: 1000 }, book)
    const first = begin(NO_HISTORY, 't1', 2)
    const waiting = foldPastCall(first, pastOf('a', { pass: 't1' }), book)
    const second = begin(waiting, 't2', 1)
    expect([...second.turns.keys()]).toEqual(['t1', 't2'])
    const settled = foldPastCall(second, pastOf('b', { pass: 't1' }), book)
    let later = settled
    for (let index = 3; index < 40; index++) {
      const turn = `t${index}`
      later = foldPastCall(begin(later, turn, 1), pastOf('a', { turn, pass: turn }), book)
    }
    const kept = [...later.turns.keys()]
    expect([kept.includes('t1'), kept.includes('t2'), kept.includes('t39')]).toEqual([false, true, true])
    expect(kept.length).toBeLessThan(20)
    expect(beginTurn(settled, 't1', 5)).toBe(settled)
  })
})

describe('claims', () => {
  const book = bookOf([
    { tool: 'a', type: 'MaxCalls', max: 1 },
    { tool: 'b', type: 'Cooldown', seconds: 10 },
    { tool: 'c', type: 'RequiresFollowingTools', tools: ['a'] },
  ])
  const taken = claim(NO_HISTORY, { execution: 'x', turn: 't1', tool: 'a', argsDigest: 'd0' })

  it('a call that is running counts, and one that is refused after all gives it back', () => {
    expect(refusalOf(book, taken, 'a', 0)).not.toBeNull()
    expect(refusalOf(book, taken, 'c', 0)).not.toBeNull()
    expect(refusalOf(book, release(taken, 'x'), 'a', 0)).toBeNull()
    expect(release(taken, 'x')).toEqual(NO_HISTORY)
    const running = claim(NO_HISTORY, { execution: 'x', turn: 't1', tool: 'b', argsDigest: 'd0' })
    expect(refusalOf(book, running, 'b', 0)).toBe('cooldown: 10 s left')
  })

  it('does not count against the call itself', () => {
    expect(judgeRules(book, taken, factsOf('a', { execution: 'x' }), 0)).toEqual([])
  })

  it('a call with effects that is running is not started a second time', () => {
    const running = claim(NO_HISTORY, { execution: 'x', turn: 't1', tool: 'send', argsDigest: 'd0' })
    expect(judgeDedupe(book, running, factsOf('send'), 0)).toMatchObject({
      ok: false,
      error: { details: { of: 'x' } },
    })
    expect(judgeDedupe(book, running, factsOf('send', { argsDigest: 'd1' }), 0).ok).toBe(true)
    expect(judgeDedupe(book, running, factsOf('send', { execution: 'x' }), 0).ok).toBe(true)
  })

  it('the result takes its place', () => {
    const state = foldPastCall(taken, pastOf('a', { execution: 'x' }), book)
    expect(state.claims.size).toBe(0)
    expect(countRuns(state, 't1', 'a', '')).toBe(1)
  })

  it('an approval that turned out not to hold gives back what the call had taken', () => {
    const state = foldPastCall(
      taken,
      pastOf('a', { execution: 'x', ok: false, code: 'approval_denied' }),
      book,
    )
    expect(refusalOf(book, state, 'a', 2000)).toBeNull()
  })
})

describe('what outlasts turns', () => {
  const book = bookOf([{ tool: 'a', type: 'Cooldown', seconds: 60 }])

  it('last runs and successes are known in later passes and turns', () => {
    const state = completeTurn(beginPass(foldAll(book, pastOf('a')), 'p2'), 't1')
    expect(refusalOf(book, state, 'a', 2000, 't2')).toBe('cooldown: 59 s left')
    expect(judgeDedupe(book, state, factsOf('a', { turn: 't2' }), 2000).ok).toBe(false)
  })

  it('P-PRUNE: what no rule can look at any more is let go, and no verdict changes by it', () => {
    const state = foldAll(
      book,
      pastOf('a', { at: 1000 }),
      pastOf('b', { at: 200_000, turn: 't2', argsDigest: 'd1' }),
    )
    const pruned = prune(state, book, 301_000)
    expect([...pruned.lasting.lastRunAt.keys()]).toEqual([])
    expect([...pruned.lasting.dedupe.successes].map(([key]) => key)).toEqual(['b|d1|0'])
    expect(pruned.turns.size).toBe(2)
    expect(prune(state, book, 604_801_000).turns.keys().toArray()).toEqual(['t2'])
    for (const tool of ['a', 'b']) {
      const facts = factsOf(tool, { argsDigest: tool === 'a' ? 'd0' : 'd1' })
      expect(judgeRules(book, pruned, facts, 301_000)).toEqual(judgeRules(book, state, facts, 301_000))
      expect(judgeDedupe(book, pruned, facts, 301_000)).toEqual(judgeDedupe(book, state, facts, 301_000))
    }
  })

  it('stays small over a long session', () => {
    let state = NO_HISTORY
    for (let index = 0; index < 5000; index++) {
      const turn = `t${index}`
      const at = index * 1000
      state = foldBatch(state, { turn, pass: turn, calls: 1, at }, book)
      const argsDigest = index.toString(16).padStart(4, '0')
      const more = {
        turn,
        pass: turn,
        at,
        argsDigest,
        ok: index % 3 > 0,
        code: index % 3 > 0 ? null : 'crashed',
      } as const
      state = foldPastCall(state, pastOf('a', more), book)
    }
    const remembered = state.lasting.dedupe.successes.size
    expect(state.turns.size).toBeLessThan(20)
    expect(state.lasting.lastRunAt.size).toBe(1)
    expect(remembered).toBeLessThanOrEqual(300 + 60)
  })

  it('keeps only what was done since the workspace last changed', () => {
    const digests = Array.from({ length: 100 }, (_, index) => `d${index}`)
    const state = foldAll(
      book,
      ...digests.map((argsDigest, workspaceCounter) => pastOf('e', { argsDigest, workspaceCounter })),
    )
    expect(state.lasting.dedupe.counter).toBe(99)
    expect(state.lasting.dedupe.successes.size).toBe(1)
  })

  it('tools without a rule that looks back may run side by side', () => {
    expect([mayRunInParallel(book, 'a'), mayRunInParallel(book, 'b'), mayRunInParallel(loop, 'b')]).toEqual([
      false,
      true,
      false,
    ])
    expect(mayRunInParallel(bookOf([{ tool: 'b', type: 'AlwaysDedupe' }]), 'b')).toBe(false)
    expect(mayRunInParallel(bookOf([{ tool: 'b', type: 'AllowedOperations', operations: ['x'] }]), 'b')).toBe(
      true,
    )
  })
})
