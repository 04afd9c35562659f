import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ApprovalAnswer } from '../../../src/core/approval.ts'
import { failure } from '../../../src/core/error.ts'
import type { ToolResult } from '../../../src/core/result.ts'
import type { Tool } from '../../../src/core/tool.ts'
import type { Runtime } from '../../../src/runtime/create-runtime.ts'
import { bench } from '../../bench-folder.ts'
import { echo, editor, findIllegal, outcomes, outsider, reader, waysOf } from '../sample-tools.ts'
import { roundsOf } from '../../harness/long-run.ts'

const LATE_MS = 20

/** What a call of a random batch does, and whether it is asked about. */
const KINDS = {
  fine: echo,
  throws: reader('throws', () => {
    throw new Error('boom')
  }),
  rejects: reader('rejects', async () => {
    throw failure('execution_failed', 'no')
  }),
  lies: reader('lies', () => ({ said: 5 })),
  late: reader('late', () => new Promise(() => undefined), { limits: { maxExecutionTimeMs: LATE_MS } }),
  writes: editor('writes', ({ word = '' }, { edits }) => {
    edits.write(`${word}.txt`, new Uint8Array(1))
    return { said: word }
  }),
  breaks: editor('breaks', (_args, { isDryRun }) => {
    if (isDryRun) return { said: '' }
    throw new Error('boom')
  }),
  acts: outsider('acts', () => ({ said: '' })),
  insists: reader('insists', () => ({ said: '' }), { requiresApproval: true }),
  unsayable: editor('unsayable', () => ({ said: '' }), {
    summary: () => {
      throw new Error('no words')
    },
  }),
} satisfies Record<string, Tool>

const NAMES = [...Object.values(KINDS).map(({ name }) => name), 'nope', 'run_command']

const someCall = fc.record({
  name: fc.constantFrom(...NAMES),
  id: fc.oneof({ weight: 12, arbitrary: fc.uuid() }, { weight: 1, arbitrary: fc.constant('same') }),
  args: fc.oneof(
    { weight: 8, arbitrary: fc.constantFrom({}, { word: 'a' }, { word: 'b' }) },
    { weight: 1, arbitrary: fc.constantFrom<unknown>({ word: 5 }, { odd: 1 }, 'text', null) },
  ),
})

const someAnswer = fc.constantFrom<ApprovalAnswer>('once', 'deny', { answer: 'deny', say: 'why' })

function checkRows(
  calls: readonly { readonly id: string; readonly name: string }[],
  results: readonly ToolResult[],
) {
  expect(results.map(({ id, name }) => [id, name])).toEqual(calls.map(({ id, name }) => [id, name]))
  expect(new Set(results.map(({ execution }) => execution.id)).size).toBe(calls.length)
}

/** How many results each call has on record, and the illegal moves in their ways. */
function readBack(runtime: Runtime, results: readonly ToolResult[]) {
  const counts = new Map<string, number>()
  const illegal: (string | null)[] = []
  for (const { entry } of runtime.log()) {
    if (entry.kind !== 'settled') continue
    counts.set(entry.execution, (counts.get(entry.execution) ?? 0) + 1)
    illegal.push(findIllegal(entry.moves.map(({ state }) => state)))
    const result = results.find(({ execution }) => execution.id === entry.execution)
    if (result !== undefined) expect(entry.moves.at(-1)?.state).toBe(result.execution.state)
  }
  return { counts: results.map(({ execution }) => counts.get(execution.id) ?? 0), illegal }
}

describe('laws of results', () => {
  it('NFR-REL-01: any mix of outcomes, answers and cancellations gives one result per call, in order, over legal moves', async () => {
    const b = bench()
    const law = fc.asyncProperty(
      fc.array(someCall, { maxLength: 8 }),
      fc.array(someAnswer, { minLength: 8, maxLength: 8 }),
      fc.option(fc.integer({ min: 0, max: 8 })),
      fc.boolean(),
      fc.boolean(),
      async (calls, answers, stopAfter, isStopping, isParallel) => {
        const stop = new AbortController()
        let ended = 0
        const runtime = await b.open({
          tools: Object.values(KINDS),
          approve: (requests) => {
            if (stopAfter === 0) stop.abort()
            return requests.map((_, index) => answers[index] ?? 'deny')
          },
          config: {
            'tools.on_execution_error': isStopping ? 'stop' : 'continue',
            'tools.allow_parallel': isParallel,
          },
        })
        const results = await runtime.run(calls as never, {
          signal: stop.signal,
          onEvent: (event) => {
            if (event.event === 'result' && ++ended === stopAfter) stop.abort()
          },
        })
        checkRows(calls, results)
        const { counts, illegal } = readBack(runtime, results)
        expect(counts).toEqual(calls.map(() => 1))
        expect(illegal.filter((fault) => fault !== null)).toEqual([])
        await runtime.close()
      },
    )
    await fc.assert(law, { numRuns: roundsOf(30, 150) })
  })

  it('a batch that waits gives one row per call too, and one result each once the last answer is in, whatever the answers', async () => {
    const b = bench()
    const law = fc.asyncProperty(
      fc.array(someCall, { minLength: 1, maxLength: 6 }),
      fc.array(fc.boolean(), { minLength: 6, maxLength: 6 }),
      async (calls, answers) => {
        const runtime = await b.open({ tools: Object.values(KINDS), approve: 'later' })
        const rows = await runtime.run(calls as never)
        checkRows(calls, rows)
        const pending = await runtime.pending()
        const waits = outcomes(rows).includes('approval_required')
        expect(pending.length > 0).toBe(waits)
        let last: readonly ToolResult[] = rows
        for (const [index, { id }] of pending.entries()) {
          const { results, open, faults } = await runtime.decide([id], {
            isApproved: answers[index] === true,
          })
          expect(faults).toEqual([])
          expect(open).toHaveLength(pending.length - index - 1)
          checkRows(calls, results)
          last = results
        }
        expect(outcomes(last)).not.toContain('approval_required')
        const { counts, illegal } = readBack(runtime, last)
        expect(counts).toEqual(calls.map(() => 1))
        expect(illegal.filter((fault) => fault !== null)).toEqual([])
        expect(await runtime.pending()).toEqual([])
        await runtime.close()
      },
    )
    await fc.assert(law, { numRuns: roundsOf(20, 100) })
  })

  it('these batches come to every kind of end, so that the laws are about something', async () => {
    const runtime = await bench().open({
      tools: Object.values(KINDS),
      approve: (requests) => requests.map(() => 'once'),
    })
    const calls = NAMES.map((name, index) => ({ id: String(index), name, args: { word: 'a' } }))
    const codes = new Set(outcomes(await runtime.run(calls)))
    expect([...codes].toSorted()).toEqual([
      'crashed',
      'denylisted',
      'execution_failed',
      'ok',
      'output_invalid',
      'timeout',
      'unknown_tool',
    ])
    expect(new Set([...waysOf(runtime).values()].map((way) => way.at(-1)))).toEqual(
      new Set(['COMPLETED', 'ROLLED_BACK', 'FAILED', 'DENIED']),
    )
  })

  it('an illegal way would be noticed', () => {
    expect(findIllegal(['DECLARED', 'EXECUTING'])).toBe('DECLARED -> EXECUTING')
    expect(findIllegal(['VALIDATED', 'DENIED'])).toBe('begins with VALIDATED')
    expect(findIllegal(['DECLARED', 'VALIDATED', 'DENIED'])).toBeNull()
  })
})
