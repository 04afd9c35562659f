import { setTimeout as pause } from 'node:timers/promises'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Edits } from '../../../src/core/powers.ts'
import type { Runtime } from '../../../src/runtime/create-runtime.ts'
import type { GivenRule } from '../../../src/runtime/configure/load-rules.ts'
import { bench } from '../../bench-folder.ts'
import { standingClock, tool } from './rule-stage.ts'
import { roundsOf } from '../../harness/long-run.ts'

const NAMES = ['a', 'b', 'c', 'd'] as const
const name = fc.constantFrom(...NAMES)
const names = fc.uniqueArray(name, { minLength: 1, maxLength: 2 })

/** Rules that say something about single calls, all of one priority. */
const rule: fc.Arbitrary<GivenRule> = fc.oneof(
  fc.record({ tool: name, type: fc.constant('MaxCalls'), max: fc.nat(3) }),
  fc.record({ tool: name, type: fc.constant('Cooldown'), seconds: fc.integer({ min: 1, max: 4 }) }),
  fc.record({ tool: fc.constant('*'), type: fc.constant('ExclusiveGroups'), groups: fc.tuple(names) }),
  fc.record({ tool: name, type: fc.constant('RequiresFollowingTools'), tools: names }),
  fc.record({ tool: name, type: fc.constantFrom('AlwaysDedupe', 'NeverDedupe', 'RequiresConsent') }),
)

const step = fc.record({
  calls: fc.array(name, { minLength: 1, maxLength: 4 }),
  seconds: fc.integer({ min: -3, max: 5 }),
  turn: fc.constantFrom('t1', 't2'),
})

type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

async function open(rules: readonly GivenRule[], extra: readonly string[] = []) {
  const clock = standingClock()
  const runtime = await bench().open({
    tools: [...NAMES, ...extra].map((one) => tool(one)),
    rules,
    clock,
    config: { 'tools.approval.mode': 'auto' },
    approve: (requests) => requests.map(() => 'once' as const),
    periodic: false,
  })
  return { runtime, clock }
}

/** How each call ends, the rows of some tools left out. */
async function play(
  rules: readonly GivenRule[],
  steps: readonly Step[],
  spoil: (calls: readonly string[]) => readonly string[] = (calls) => calls,
): Promise<readonly string[]> {
  const { runtime, clock } = await open(rules, ['z'])
  const rows: string[] = []
  for (const { calls, seconds, turn } of steps) {
    clock.goOn(seconds * 1000)
    const made = spoil(calls).map((one, index) => ({ id: `c${index}`, name: one, args: {} }))
    const results = await runtime.run(made, { session: 's', turn })
    for (const row of results)
      if (row.name !== 'z')
        rows.push(`${row.name} ${row.ok ? 'ok' : String(row.error.details['rule'] ?? row.error.code)}`)
  }
  await runtime.close()
  return rows
}

describe('what holds whatever the rules and the calls are', () => {
  it('verdicts do not depend on the order of rules with equal priority', async () => {
    const shuffled = fc
      .uniqueArray(rule, { maxLength: 5, selector: (one) => JSON.stringify(one) })
      .chain((rules) => fc.tuple(fc.constant(rules), fc.shuffledSubarray(rules, { minLength: rules.length })))
    const sample = fc.asyncProperty(
      shuffled,
      fc.array(step, { maxLength: 4 }),
      async ([rules, other], steps) => {
        expect(await play(other, steps)).toEqual(await play(rules, steps))
      },
    )
    await fc.assert(sample, { numRuns: roundsOf(10, 30) })
  })

  it('a refused call leaves everything as it was for the others', async () => {
    const forbidden: readonly GivenRule[] = [
      { tool: 'z', type: 'MaxCalls', max: 0 },
      { tool: '*', type: 'ExclusiveGroups', groups: [['z', 'a']] },
      { tool: 'b', type: 'RequiresFollowingTools', tools: ['z'] },
    ]
    const sample = fc.asyncProperty(
      fc.array(rule, { maxLength: 4 }),
      fc.array(step, { maxLength: 4 }),
      fc.nat(4),
      async (rules, steps, at) => {
        const all = [...forbidden, ...rules]
        const spoiled = await play(all, steps, (calls) => [...calls.slice(0, at), 'z', ...calls.slice(at)])
        expect(spoiled).toEqual(await play(all, steps))
      },
    )
    await fc.assert(sample, { numRuns: roundsOf(10, 30) })
  })

  it('P-RULE-MaxCalls: the most calls of a turn are never exceeded, however they come side by side', async () => {
    const sample = fc.asyncProperty(
      fc.nat(4),
      fc.array(
        fc.record({
          calls: fc.integer({ min: 1, max: 4 }),
          turn: fc.constantFrom('t1', 't2'),
          lateMs: fc.nat(3),
        }),
        { minLength: 2, maxLength: 6 },
      ),
      async (max, runs) => {
        const ran = new Map<string, number>()
        const slow = tool('slow', {
          run: async ({ word = '' }: { readonly word?: string }) => {
            ran.set(word, (ran.get(word) ?? 0) + 1)
            await pause(1)
            return { done: word }
          },
        })
        const runtime: Runtime = await bench().open({
          tools: [slow],
          rules: [{ tool: 'slow', type: 'MaxCalls', max }],
        })
        const outcomes = await Promise.all(
          runs.map(async ({ calls, turn, lateMs }) => {
            await pause(lateMs)
            const made = Array.from({ length: calls }, (_, index) => ({
              id: `c${index}`,
              name: 'slow',
              args: { word: turn },
            }))
            return runtime.run(made, { session: 's', turn })
          }),
        )
        for (const turn of ['t1', 't2']) {
          const wanted = runs.reduce((sum, one) => sum + (one.turn === turn ? one.calls : 0), 0)
          const letIn = outcomes.flat().filter((row) => row.ok && row.result['done'] === turn).length
          expect([ran.get(turn) ?? 0, letIn]).toEqual([Math.min(max, wanted), Math.min(max, wanted)])
        }
        await runtime.close()
      },
    )
    await fc.assert(sample, { numRuns: 25 })
  })

  it('what another call took between the judgement at the door and the start is gone', async () => {
    let ran = 0
    const write = tool('write', {
      effect: 'edit',
      repeatable: true,
      run: async (
        { word = '' }: { readonly word?: string },
        { edits, isDryRun }: { readonly edits: Edits; readonly isDryRun: boolean },
      ) => {
        // Both calls are looked at once more at their doors, which takes a while.
        if (isDryRun) await pause(20)
        else ran += 1
        edits.write(`${word}.txt`, new Uint8Array(1))
        return { done: word }
      },
    })
    const runtime = await bench().open({
      tools: [write],
      rules: [{ tool: 'write', type: 'MaxCalls', max: 1 }],
      approve: (requests) => requests.map(() => 'once' as const),
    })
    const rows = await Promise.all(
      ['x', 'y'].map((word) =>
        runtime.run([{ id: word, name: 'write', args: { word } }], { session: 's', turn: 't1' }),
      ),
    )
    const outcomes = rows.flat().map((row) => (row.ok ? 'ok' : row.error.code))
    expect([ran, outcomes.toSorted()]).toEqual([1, ['ok', 'rule_violation']])
  })
})
