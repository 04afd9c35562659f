import * as fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import type { Settings } from '../../src/config/keys.ts'
import type { CallFacts } from '../../src/policy/facts.ts'
import { createFindingCache, judge } from '../../src/policy/judge.ts'
import type { FindingCache } from '../../src/policy/judge.ts'
import { roundsOf } from '../harness/long-run.ts'
import { randomFacts } from './random-facts.ts'
import { settingsWith } from './sample-facts.ts'

let settings: readonly Settings[]
beforeAll(async () => {
  settings = await Promise.all([
    settingsWith(),
    settingsWith({ 'tools.max_tool_calls_per_batch': 3, 'tools.max_tool_args_bytes': 1024 }),
    settingsWith({ 'tools.approval.denylist': ['src'], 'tools.capabilities.granted': ['filesystem.read'] }),
    settingsWith({}, 'strict'),
  ])
})

/** Facts that come again and again, and differ in what sentences are about. */
const facts: fc.Arbitrary<CallFacts> = fc
  .tuple(randomFacts, fc.constantFrom('a', 'b'), fc.constantFrom('1.0.0', '1.0.1'))
  .map(([one, name, version]) => (one.tool === null ? one : { ...one, tool: { ...one.tool, name, version } }))

const turns = fc
  .array(facts, { minLength: 2, maxLength: 4 })
  .chain((pool) => fc.array(fc.tuple(fc.constantFrom(...pool), fc.nat(3)), { minLength: 2, maxLength: 12 }))

/** Whether calls judged one after the other read as if each were the only one. */
function readAlike(calls: readonly (readonly [CallFacts, number])[], cache: FindingCache): boolean {
  return calls.every(([one, at]) => {
    const chosen = settings[at]
    if (chosen === undefined) throw new Error('no such settings')
    return JSON.stringify(judge(one, chosen, { cache })) === JSON.stringify(judge(one, chosen))
  })
}

describe('the sentences that calls share', () => {
  it('are never handed out for other facts or other settings', () => {
    fc.assert(
      fc.property(turns, (calls) => readAlike(calls, createFindingCache())),
      { numRuns: roundsOf(500, 10_000) },
    )
  })

  it.each([
    ['the first of two values', (known: Asked, now: Asked) => known.one === now.one],
    ['the second of two values', (known: Asked, now: Asked) => known.other === now.other],
  ])('control: a memory that looks only at %s is found', (_, isSame) => {
    const found = fc.check(
      fc.property(turns, (calls) => readAlike(calls, { ...createFindingCache(), recall: forgetful(isSame) })),
      { numRuns: 2000 },
    )
    expect(found.failed).toBe(true)
  })

  it('are made once for the same two values, and again for others', () => {
    const { recall } = createFindingCache()
    const made: string[] = []
    const make = (one: string, other: number): string => {
      made.push(`${one} ${other}`)
      return `${one} of ${other}`
    }
    const asked = [1, 1, 2, 2, 1].map((other) => recall(make, 'call', other))
    expect(asked).toEqual(['call of 1', 'call of 1', 'call of 2', 'call of 2', 'call of 1'])
    expect(made).toEqual(['call 1', 'call 2', 'call 1'])
    // What one function made is not what another makes of the same values.
    expect(recall((one: string, other: number) => one.length + other, 'call', 1)).toBe(5)
  })
})

interface Asked {
  readonly one: unknown
  readonly other: unknown
}

function forgetful(isSame: (known: Asked, now: Asked) => boolean): FindingCache['recall'] {
  const recalled = new Map<unknown, Asked & { readonly made: unknown }>()
  return (make, one, other) => {
    const known = recalled.get(make)
    if (known !== undefined && isSame(known, { one, other })) return known.made as ReturnType<typeof make>
    const made = make(one, other)
    recalled.set(make, { one, other, made })
    return made
  }
}
