import { describe, expect, it } from 'vitest'
import type { SettledEntry, StoredEntry } from '../../../src/journal/entries/entry.ts'
import { countEntries } from '../../../src/journal/folds/statistics.ts'
import { bench } from '../../bench-folder.ts'
import { broken, busy, BUSY_MS, echo, simpleTool } from '../../harness/simple-tool.ts'

/** A log of calls that ran for these times. */
function ran(durations: readonly number[]): readonly StoredEntry[] {
  return durations.map((durationMs, index) => {
    const moves = (['DECLARED', 'VALIDATED', 'AUTHORIZED', 'EXECUTING', 'COMPLETED'] as const).map(
      (state) => ({
        state,
        at: 0,
      }),
    )
    const entry: SettledEntry = {
      kind: 'settled',
      batch: 'b',
      turn: 't',
      execution: `e${index}`,
      name: 'x',
      version: '1.0.0',
      effect: 'read',
      moves,
      error: null,
      result: '',
      output: null,
      capabilities: [],
      changes: [],
      gates: [],
      durationMs,
    }
    return { session: { root: '/r', name: 's' }, seq: index + 1, at: 0, hash: '', entry }
  })
}

const TOOLS = [echo, broken, simpleTool('denied', () => ({ said: '' }))]

async function statsOf(names: readonly string[]) {
  const runtime = await bench().open({
    tools: TOOLS,
    config: { tools: { approval: { denylist: ['denied'] }, allow_parallel: false } },
  })
  await runtime.run(names.map((name, index) => ({ id: String(index), name, args: {} })))
  return runtime.stats()
}

describe('the log in numbers', () => {
  it('R-TEL-1: it counts calls, in all and by tool', async () => {
    const stats = await statsOf(['echo', 'echo', 'broken', 'nope'])
    expect(stats.calls).toBe(4)
    expect(
      Object.fromEntries(Object.entries(stats.by_tool).map(([name, { calls }]) => [name, calls])),
    ).toEqual({
      broken: 1,
      echo: 2,
      nope: 1,
    })
  })

  it('R-TEL-2: the success rate is the share of calls that completed', async () => {
    const stats = await statsOf(['echo', 'echo', 'echo', 'broken'])
    expect(stats.success_rate).toBe(0.75)
    expect(stats.by_tool['echo']?.success_rate).toBe(1)
    expect((await statsOf([])).success_rate).toBeNull()
  })

  it('R-TEL-3: the failure rate is the share that did not, for whatever reason', async () => {
    const stats = await statsOf(['echo', 'broken', 'denied', 'nope'])
    expect(stats.failure_rate).toBe(0.75)
    expect(stats.by_tool['broken']?.failure_rate).toBe(1)
    expect(stats.by_error).toEqual({ crashed: 1, denylisted: 1, unknown_tool: 1 })
  })

  it('R-TEL-4: half, 95 and 99 of a hundred calls took no longer than P50, P95 and P99', () => {
    const hundred = Array.from({ length: 100 }, (_, index) => ((index * 37) % 100) + 1)
    expect(countEntries(ran(hundred)).duration_ms).toEqual({ p50: 50, p95: 95, p99: 99, max: 100 })
    expect(countEntries(ran([7])).duration_ms).toEqual({ p50: 7, p95: 7, p99: 7, max: 7 })
    expect(countEntries(ran([1, 2, 3, 1000])).duration_ms).toEqual({
      p50: 2,
      p95: 1000,
      p99: 1000,
      max: 1000,
    })
  })

  it('R-TEL-4: a call that did not run has no duration to count', async () => {
    expect((await statsOf(['denied', 'nope'])).duration_ms).toEqual({
      p50: null,
      p95: null,
      p99: null,
      max: null,
    })
  })

  it('R-TEL-5: what calls used of the processor, the memory and the devices is added up, in all and by tool', async () => {
    const runtime = await bench().open({ tools: [busy, echo] })
    for (const name of ['busy', 'echo', 'busy', 'nope']) await runtime.run([{ id: '1', name, args: {} }])
    const { resources, by_tool: byTool } = runtime.stats()
    expect(resources?.measured).toBe(3)
    expect(byTool['busy']?.resources?.cpu_ms).toBeGreaterThanOrEqual(2 * BUSY_MS)
    expect(resources?.cpu_ms).toBeGreaterThanOrEqual(byTool['busy']?.resources?.cpu_ms ?? Infinity)
    expect(resources?.max_rss_bytes).toBeGreaterThan(10_000_000)
    expect(resources).toMatchObject({ fs_reads: expect.any(Number), fs_writes: expect.any(Number) })
    expect(byTool['nope']?.resources).toBeNull()
  })

  it('R-TEL-5: calls that ran side by side cannot be told apart, so neither is measured, nor any where that is switched off', async () => {
    const runtime = await bench().open({ tools: TOOLS })
    await runtime.run(['1', '2'].map((id) => ({ id, name: 'echo', args: {} })))
    expect(runtime.stats().resources).toBeNull()
    const off = await bench().open({ tools: TOOLS, config: { journal: { resource_usage: false } } })
    await off.run([{ id: '1', name: 'echo', args: {} }])
    expect(off.stats().resources).toBeNull()
  })

  it('R-TEL-7: rollbacks are counted, and denials are not among them', async () => {
    expect(await statsOf(['broken', 'denied', 'broken', 'echo'])).toMatchObject({ rolled_back: 2, denied: 1 })
  })
})
