import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { findHarmlessRow } from '../../../src/core/command/harmless/harmless-commands.ts'
import type { Grant, GrantScope } from '../../../src/core/grant.ts'
import type { CallFacts } from '../../../src/policy/facts.ts'
import type { GrantCall } from '../../../src/policy/grants/cover.ts'
import { grantFor, indexGrants } from '../../../src/policy/grants/find-grant.ts'
import { judge } from '../../../src/policy/judge.ts'
import { randomFacts } from '../random-facts.ts'
import { settingsWith } from '../sample-facts.ts'
import { roundsOf } from '../../harness/long-run.ts'

const NOW = 1_000_000
const STRICTNESS = { run: 0, ask: 1, settle: 2 } as const

const path = fc.constantFrom('a.ts', 'src/a.ts', 'src/b/c.ts', 'lib/a.ts', '.env')
const words = fc.array(fc.constantFrom('git', 'log', 'logout', '-p', 'ls', 'rm'), {
  minLength: 1,
  maxLength: 3,
})
const digest = fc.constantFrom('d1', 'd2')
const call: fc.Arbitrary<GrantCall> = fc.record({
  tool: fc.constantFrom('one', 'two'),
  argsDigest: digest,
  paths: fc.array(path, { maxLength: 2 }),
  command: fc.option(fc.record({ kind: fc.constant('words' as const), words })),
})
const scope: fc.Arbitrary<GrantScope> = fc.oneof(
  fc.constant({ kind: 'tool' } as const),
  fc.record({
    kind: fc.constant('path' as const),
    glob: fc.constantFrom('**', 'src/**', 'src/*', '*.ts', 'a.ts'),
  }),
  fc.record({ kind: fc.constant('arguments' as const), digest }),
  fc.record({ kind: fc.constant('command' as const), words }),
)
const grant: fc.Arbitrary<Grant> = fc.record({
  id: fc.uuid(),
  tool: fc.constantFrom('one', 'two'),
  scope,
  sentence: fc.constant('It may.'),
  granted_by: fc.constant('ada'),
  granted_at: fc.constantFrom(NOW - 10, NOW, NOW + 1),
  expires_at: fc.constantFrom(null, NOW - 1, NOW, NOW + 1),
  used: fc.constant(0),
  revoked_at: fc.constantFrom(null, null, NOW - 1),
})
const grants = fc.array(grant, { maxLength: 6 })
const settings = await settingsWith({ 'tools.run_command.enabled': true })
const consents = [
  { is: 'consent', rule: 'RequiresConsent', sentence: 'It asks.', reason: 'consent', scope: null } as const,
]
/** Any facts, with and without a rule that wants consent. */
const anyFacts: fc.Arbitrary<CallFacts> = fc.tuple(randomFacts, fc.boolean()).map(([facts, isRuled]) => ({
  ...facts,
  rules: isRuled
    ? { dedupe: { ok: true, fact: 'new' }, decision: { is: 'open', runFirst: [], consents } }
    : null,
}))

/** How strictly the gates judge a call with what the grants make of it. */
function strictness(facts: CallFacts, asked: GrantCall, given: readonly Grant[]): number {
  const found = grantFor(indexGrants(given), asked, NOW)
  return STRICTNESS[judge({ ...facts, grant: found }, settings).verdict]
}

describe('grants at the gates', () => {
  it('law: a grant only ever turns a question into a yes; what settles a call settles it with every grant', () => {
    fc.assert(
      fc.property(anyFacts, call, grants, (facts, asked, given) => {
        const [without, with_] = [strictness(facts, asked, []), strictness(facts, asked, given)]
        expect(with_).toBe(without === STRICTNESS.ask ? Math.min(with_, without) : without)
      }),
      { numRuns: roundsOf(100, 1000) },
    )
  })

  it('law: a narrower grant in the place of a wider one never allows more', () => {
    fc.assert(
      fc.property(anyFacts, call, grants, grant, scope, (facts, asked, given, wide, narrow) => {
        const wider = [...given, { ...wide, scope: { kind: 'tool' } as const }]
        const narrower = [...given, { ...wide, scope: narrow }]
        expect(strictness(facts, asked, narrower)).toBeGreaterThanOrEqual(strictness(facts, asked, wider))
      }),
      { numRuns: roundsOf(100, 1000) },
    )
    fc.assert(
      fc.property(words, fc.string(), call, (prefix, more, asked) => {
        // Outside the table a prefix covers just its own words, so more words are not narrower but others.
        fc.pre(findHarmlessRow(prefix) !== null)
        const of = (list: readonly string[]): Grant => ({
          ...STANDING,
          scope: { kind: 'command', words: list },
        })
        const isWide = grantFor(indexGrants([of(prefix)]), { ...asked, tool: 'one' }, NOW) !== null
        const isNarrow =
          grantFor(indexGrants([of([...prefix, more])]), { ...asked, tool: 'one' }, NOW) !== null
        expect(isWide || !isNarrow).toBe(true)
      }),
      { numRuns: roundsOf(100, 1000) },
    )
  })

  it('law: what has expired, was revoked or comes from the future allows nothing', () => {
    const ended = fc.tuple(grants, fc.constantFrom('expired', 'revoked', 'future')).map(([given, how]) =>
      given.map((one): Grant => {
        if (how === 'expired') return { ...one, expires_at: NOW }
        return how === 'revoked' ? { ...one, revoked_at: NOW - 5 } : { ...one, granted_at: NOW + 1 }
      }),
    )
    fc.assert(
      fc.property(anyFacts, call, ended, (facts, asked, given) => {
        expect(strictness(facts, asked, given)).toBe(strictness(facts, asked, []))
      }),
      { numRuns: roundsOf(100, 1000) },
    )
  })

  it('law: a grant for one tool allows nothing to another', () => {
    fc.assert(
      fc.property(anyFacts, call, grants, (facts, asked, given) => {
        const others = given.filter(({ tool }) => tool !== asked.tool)
        expect(strictness(facts, asked, others)).toBe(strictness(facts, asked, []))
      }),
    )
  })
})

const STANDING: Grant = {
  id: 'g',
  tool: 'one',
  scope: { kind: 'tool' },
  sentence: 'It may.',
  granted_by: 'ada',
  granted_at: NOW,
  expires_at: null,
  used: 0,
  revoked_at: null,
}
