import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, it, vi } from 'vitest'
import type { BatchEntry, StoredEntry } from '../../../src/journal/entries/entry.ts'
import type { Runtime } from '../../../src/runtime/create-runtime.ts'
import { runs, stage, tool, tools } from '../../pipeline/plan/rule-stage.ts'
import { PATIENCE_MS } from '../../harness/patience.ts'

function ownBatches(runtime: Runtime): readonly BatchEntry[] {
  return [...runtime.log({ session: 's' })].flatMap(({ entry }: StoredEntry) =>
    entry.kind === 'batch' && entry.origin === 'runtime' ? [entry] : [],
  )
}

/** Waits for something that has no event of its own; the timers look at most a second ahead. */
async function until(isSo: () => boolean): Promise<void> {
  await vi.waitUntil(isSo, { timeout: PATIENCE_MS, interval: 10 })
}

describe('calls by the clock', () => {
  it('P-RULE-Periodic: comes when its time is over by the clock, in a pass of its own in the newest turn, and not before', async () => {
    const s = await stage([{ tool: 'b', type: 'Periodic', seconds: 60 }])
    await s.turn(['a'], { turn: 't1' })
    s.clock.goOn(59_999)
    await pause(1100)
    expect(ownBatches(s.runtime())).toEqual([])
    s.clock.goOn(1)
    await until(() => ownBatches(s.runtime()).length === 1)
    const [own] = ownBatches(s.runtime())
    expect(own).toMatchObject({ turn: 't1', calls: [{ name: 'b', id: 'runtime:b' }] })
    expect(own?.pass).not.toBe('t1')
    const explained = () => s.runtime().why(own?.calls[0]?.execution ?? '')[0]
    // Its batch is on record before it runs.
    await until(() => explained()?.state === 'COMPLETED')
    expect(explained()).toMatchObject({ verdict: 'allowed' })
    await pause(50)
    expect(ownBatches(s.runtime())).toHaveLength(1)
  })

  it('comes in a session that was opened to be looked at before somebody worked in it', async () => {
    const s = await stage([{ tool: 'b', type: 'Periodic', seconds: 60 }])
    await s.runtime().tasks({ session: 's' })
    await s.turn(['a'])
    s.clock.goOn(60_000)
    await until(() => ownBatches(s.runtime()).length === 1)
  })

  it('counts from the last run, whoever called it', async () => {
    const s = await stage([{ tool: 'b', type: 'Periodic', seconds: 60 }])
    await s.turn(['b'])
    s.clock.goOn(40_000)
    await s.turn(['b'])
    s.clock.goOn(40_000)
    await pause(1100)
    expect(ownBatches(s.runtime())).toEqual([])
    s.clock.goOn(20_000)
    await until(() => ownBatches(s.runtime()).length === 1)
  })

  it('is judged like any other call, and a refusal is not tried again at once', async () => {
    const s = await stage([
      { tool: 'b', type: 'Periodic', seconds: 0.02 },
      { tool: 'b', type: 'MaxCalls', max: 0 },
    ])
    await s.turn(['a'])
    s.clock.goOn(20)
    await until(() => ownBatches(s.runtime()).length === 1)
    await pause(100)
    expect(ownBatches(s.runtime())).toHaveLength(1)
    expect(s.runtime().why(ownBatches(s.runtime())[0]?.calls[0]?.execution ?? '')[0]).toMatchObject({
      verdict: 'denied',
      gate: 'rules',
    })
  })

  it('waits while the session is at work, never overtakes itself, and stops with the runtime', async () => {
    let running = 0
    let most = 0
    const started: AbortSignal[] = []
    const slow = tool('slow', {
      run: async (_args: object, { signal }: { readonly signal: AbortSignal }) => {
        started.push(signal)
        running += 1
        most = Math.max(most, running)
        await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
        running -= 1
        return { done: 'slow' }
      },
    })
    const rule = { tool: 'slow', type: 'Periodic', seconds: 0.01 }
    const held = tool('held', {
      run: async () => (s.clock.goOn(50), await pause(100), { done: `${started.length}` }),
    })
    const s = await stage([rule], { tools: [...tools, slow, held] })
    await s.turn(['held'])
    expect(s.rows()[0]).toMatchObject({ result: { done: '0' } })
    await until(() => started.length === 1)
    s.clock.goOn(1000)
    await pause(50)
    expect([started.length, most]).toEqual([1, 1])
    await s.runtime().close()
    expect([started[0]?.aborted, running]).toEqual([true, 0])
  })

  it('a runtime that was told not to leaves the clock alone', async () => {
    runs.length = 0
    const s = await stage([{ tool: 'b', type: 'Periodic', seconds: 0.001 }], { periodic: false })
    await s.turn(['a'])
    s.clock.goOn(1000)
    await pause(50)
    expect(runs).toEqual(['a'])
  })
})
