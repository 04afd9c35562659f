import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { ApprovalAnswers } from '../../../src/core/approval.ts'
import type { Runtime } from '../../../src/runtime/create-runtime.ts'
import { bench } from '../../bench-folder.ts'
import type { Bench } from '../../bench-folder.ts'
import { batchOf, outcomes, outsider, writer } from '../sample-tools.ts'
import { inAnother, leave, settableClock, write, yes } from './waiting-bench.ts'

/** A tool that counts its starts and may be repeated, so that no other rule hides a second run. */
function counted() {
  const starts: string[] = []
  const tool = outsider(
    'counted',
    ({ word = '' }) => {
      starts.push(word)
      return { said: word }
    },
    { idempotent: true, repeatable: true },
  )
  return { starts, tool }
}

/** A runtime whose approver is being asked about a call, with what the approver was told and how it answers. */
async function askedAbout(b: Bench, calls: ReturnType<typeof batchOf>, more: Parameters<Bench['open']>[0]) {
  const asking = Promise.withResolvers<AbortSignal>()
  const answer = Promise.withResolvers<ApprovalAnswers>()
  const runtime = await b.open({
    durability: 'normal',
    approve: (_requests, { signal }) => {
      asking.resolve(signal)
      return answer.promise
    },
    ...more,
  })
  const running = runtime.run(calls, { session: 's' })
  return { runtime, running, signal: await asking.promise, answer: answer.resolve }
}

const kinds = (runtime: Runtime): readonly string[] => [...runtime.log()].map(({ entry }) => entry.kind)
const count = (all: readonly string[], kind: string): number => all.filter((one) => one === kind).length

describe('a question that the approver of this runtime is being asked', () => {
  it('may be answered by decide in the same runtime: the batch runs once, and both callers get its rows', async () => {
    const { starts, tool } = counted()
    const { runtime, running, signal, answer } = await askedAbout(
      bench(),
      batchOf(['counted', { word: 'x' }]),
      { tools: [tool] },
    )
    const [question] = await runtime.pending()
    const done = await runtime.decide([question?.id ?? ''], { ...yes, seconds: 60 })
    expect(signal.reason).toBe('elsewhere')
    answer(['deny'])
    expect([outcomes(done.results), outcomes(await running)]).toEqual([['ok'], ['ok']])
    expect(starts).toEqual(['x'])
    const all = kinds(runtime)
    expect(['answered', 'continued', 'settled'].map((kind) => count(all, kind))).toEqual([1, 1, 1])
    expect((await runtime.grants()).grants).toHaveLength(1)
  })

  it('stays with the approver where decide answers only some of the questions', async () => {
    const b = bench()
    const { runtime, running, answer } = await askedAbout(b, batchOf(write('a'), write('b')), {
      tools: [writer],
    })
    const [first] = await runtime.pending()
    const half = await runtime.decide([first?.id ?? ''], { isApproved: false, say: 'not that' })
    expect([outcomes(half.results), half.open.length]).toEqual([
      ['approval_required', 'approval_required'],
      1,
    ])
    answer(['once', 'once'])
    expect(outcomes(await running)).toEqual(['approval_denied', 'ok'])
    expect([existsSync(join(b.root, 'a')), existsSync(join(b.root, 'b'))]).toEqual([false, true])
  })

  it('is not ended by expire, and an answer of a person at hand counts for as long as it is waited for', async () => {
    const clock = settableClock()
    const { starts, tool } = counted()
    const { runtime, running, answer } = await askedAbout(bench(), batchOf(['counted', { word: 'x' }]), {
      tools: [tool],
      clock,
      config: { 'tools.approval.pending_seconds': 5 },
    })
    clock.aheadMs = 10_000
    await runtime.expire('s')
    answer(['once'])
    expect(outcomes(await running)).toEqual(['ok'])
    expect([starts, count(kinds(runtime), 'settled')]).toEqual([['x'], 1])
  })
})

describe('two answers at once in one runtime', () => {
  it('to the same question: one is recorded, one grant is made, and the batch runs once', async () => {
    const b = bench()
    const { starts, tool } = counted()
    const [question] = await leave(b, batchOf(['counted', { word: 'x' }]), { tools: [tool] })
    await inAnother(b, { tools: [tool] }, async (runtime) => {
      const decide = () => runtime.decide([question?.id ?? ''], { ...yes, seconds: 60 })
      const both = await Promise.all([decide(), decide()])
      expect(both.map(({ results, open }) => [outcomes(results), open])).toEqual([
        [['ok'], []],
        [['ok'], []],
      ])
      expect(count(kinds(runtime), 'answered')).toBe(1)
      expect((await runtime.grants()).grants).toHaveLength(1)
    })
    expect(starts).toEqual(['x'])
  })

  it.each([
    ['a no', { isApproved: false }, ''],
    ['the same yes', yes, ''],
    ['a yes for a time', { ...yes, seconds: 60 }, '; no grant was made'],
  ])('to one question of several: %s that comes second is told so', async (_what, second, end) => {
    const b = bench()
    const [first] = await leave(b, batchOf(write('a'), write('b')))
    const id = first?.id ?? ''
    await inAnother(b, {}, async (runtime) => {
      const given = await Promise.all([yes, second].map((answer) => runtime.decide([id], answer)))
      const why = `was already approved, and the first answer counts${end}`
      expect(given.map(({ faults }) => faults)).toEqual([[], [{ id, why }]])
      expect((await runtime.grants()).grants).toEqual([])
      expect(await runtime.pending()).toHaveLength(1)
    })
  })

  it('to a question that is being asked: the same yes that comes second is told so', async () => {
    const { starts, tool } = counted()
    const { runtime, running } = await askedAbout(bench(), batchOf(['counted', { word: 'x' }]), {
      tools: [tool],
    })
    const id = (await runtime.pending())[0]?.id ?? ''
    const given = await Promise.all([runtime.decide([id], yes), runtime.decide([id], yes)])
    const why = 'was already approved, and the first answer counts'
    expect(given.map(({ faults }) => faults)).toEqual([[], [{ id, why }]])
    expect(outcomes(await running)).toEqual(['ok'])
    expect(starts).toEqual(['x'])
  })

  it('to a question that is being asked: a yes for a time behind a plain one is told that it grants nothing', async () => {
    const { starts, tool } = counted()
    const { runtime, running } = await askedAbout(bench(), batchOf(['counted', { word: 'x' }]), {
      tools: [tool],
    })
    const id = (await runtime.pending())[0]?.id ?? ''
    const [first, second] = await Promise.all([
      runtime.decide([id], yes),
      runtime.decide([id], { ...yes, seconds: 60 }),
    ])
    const why = 'was already approved, and the first answer counts; no grant was made'
    expect([first.faults, second.faults]).toEqual([[], [{ id, why }]])
    expect(outcomes(await running)).toEqual(['ok'])
    expect((await runtime.grants()).grants).toEqual([])
    expect(starts).toEqual(['x'])
  })

  it('to a batch that only has to go on: it goes on once', async () => {
    const b = bench()
    const { starts, tool } = counted()
    const clock = settableClock()
    await leave(b, batchOf(['counted', { word: 'x' }], write('a')), { tools: [tool, writer] })
    await inAnother(b, { tools: [tool, writer], clock }, async (runtime) => {
      clock.aheadMs = 8 * 86_400_000
      await Promise.all([runtime.expire('s'), runtime.expire('s'), runtime.decide('all', yes)])
      expect(count(kinds(runtime), 'continued')).toBe(1)
      expect(count(kinds(runtime), 'settled')).toBe(2)
    })
    expect(starts).toEqual([])
  })
})
