import { readdirSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { Clock } from '../../../src/core/clock.ts'
import { failure } from '../../../src/core/error.ts'
import type { ErrorCode } from '../../../src/core/error.ts'
import { defineTool } from '../../../src/tools/define/define-tool.ts'
import { object, string } from '../../../src/schema/schema.ts'
import type { Effect, Tool } from '../../../src/core/tool.ts'
import type { RuntimeOptions } from '../../../src/runtime/create-runtime.ts'
import { bench, errorOf, outputOf } from '../../bench-folder.ts'

/** A clock that is moved by those who wait, and notes how long that was. */
function waitingClock(): Clock & { readonly waits: number[]; readonly pass: (ms: number) => void } {
  const waits: number[] = []
  let elapsed = 0
  const pass = (ms: number): void => {
    elapsed += ms
  }
  return {
    waits,
    pass,
    now: () => 1_700_000_000_000 + elapsed,
    elapsed: () => elapsed,
    async sleep(ms) {
      waits.push(ms)
      pass(ms)
    },
  }
}

const nothing = object({}, 'Nothing')
const said = object({ said: string('Words') }, 'Words')

/** A tool that fails with these codes, one attempt after the other, and then succeeds. */
function failing(
  codes: readonly ErrorCode[],
  more: { effect?: Effect; idempotent?: boolean; onStart?: (start: number) => void } = {},
) {
  const keys: string[] = []
  let starts = 0
  const tool: Tool = defineTool({
    name: 'tries',
    version: '1.0.0',
    description: 'Fails at first',
    effect: more.effect ?? 'read',
    idempotent: more.idempotent ?? true,
    input: nothing,
    output: said,
    run: (_args, powers) => {
      if (more.effect === 'external' && 'idempotencyKey' in powers) keys.push(powers.idempotencyKey)
      if (more.effect === 'edit' && 'edits' in powers)
        powers.edits.write(`staged-${starts}.txt`, new TextEncoder().encode('x'))
      const code = codes[starts++]
      more.onStart?.(starts)
      if (code !== undefined) throw failure(code, `attempt ${starts} failed`)
      return { said: 'done' }
    },
  })
  return { tool, keys, starts: () => starts }
}

async function runWith(tool: Tool, options: Partial<RuntimeOptions> = {}) {
  const b = bench({ 'a.txt': 'a\n' })
  const runtime = await b.open({
    tools: [tool],
    ...options,
    config: { 'tools.approval.mode': 'auto', ...options.config },
  })
  const [result] = await runtime.run([{ id: '1', name: 'tries', args: {} }])
  return { b, runtime, result }
}

describe('retries', () => {
  it('R-RETRY, R-FAIL-ResourceError: an idempotent call that ran out of resources is tried again, each wait twice the last', async () => {
    const clock = waitingClock()
    const t = failing(['resource_exhausted', 'resource_exhausted', 'resource_exhausted'])
    const { result, runtime } = await runWith(t.tool, { clock })
    expect(outputOf(result)).toEqual({ said: 'done' })
    expect(t.starts()).toBe(4)
    expect(clock.waits).toEqual([100, 200, 400])
    expect(result?.execution.attempts).toBe(4)
    const notes = [...runtime.log()].flatMap(({ entry }) => (entry.kind === 'note' ? [entry] : []))
    expect(notes).toMatchObject(
      [1, 2, 3].map((number) => ({
        about: 'attempt',
        execution: result?.execution.id,
        data: { number, code: 'resource_exhausted' },
      })),
    )
    const last = [...runtime.audit()].at(-1)
    expect(last).toMatchObject({
      state: 'COMPLETED',
      attempts: [{ number: 1 }, { number: 2 }, { class: 'ResourceError' }],
    })
  })

  it('R-RETRY: after three further attempts it gives up with the last error', async () => {
    const clock = waitingClock()
    const t = failing(Array.from({ length: 9 }, () => 'resource_exhausted' as const))
    expect(errorOf((await runWith(t.tool, { clock })).result)).toMatchObject({
      code: 'resource_exhausted',
      state: 'ROLLED_BACK',
      message: 'attempt 4 failed',
    })
    const once = failing(['resource_exhausted'])
    expect(errorOf((await runWith(once.tool, { config: { 'tools.retry.max': 0 } })).result).code).toBe(
      'resource_exhausted',
    )
    expect(once.starts()).toBe(1)
  })

  it('R-RETRY: a tool that is not idempotent, and any other failure, is never tried again', async () => {
    const unsafe = failing(['timeout', 'timeout'], { idempotent: false })
    expect(errorOf((await runWith(unsafe.tool)).result).code).toBe('timeout')
    expect(unsafe.starts()).toBe(1)
    for (const code of [
      'execution_failed',
      'bad_args',
      'stale_file',
      'capability_denied',
      'cancelled',
    ] as const) {
      const t = failing([code])
      expect(errorOf((await runWith(t.tool)).result).code).toBe(code)
      expect(t.starts()).toBe(1)
    }
  })

  it('R-FAIL-TimeoutError: a timeout aborts, rolls back and is tried again; all attempts share twice the timeout', async () => {
    let starts = 0
    const hangs = defineTool({
      name: 'tries',
      version: '1.0.0',
      description: 'Hangs',
      effect: 'edit',
      idempotent: true,
      input: nothing,
      output: said,
      run: async (_args, { edits }) => {
        edits.write('new.txt', new TextEncoder().encode('x'))
        starts++
        await new Promise(() => undefined)
        return { said: '' }
      },
    })
    const config = { 'tools.timeouts.default_seconds': 1, 'tools.retry.backoff_seconds': 0.01 }
    const began = performance.now()
    const { result, b } = await runWith(hangs, { config })
    expect(errorOf(result)).toMatchObject({ code: 'timeout', class: 'TimeoutError', state: 'ROLLED_BACK' })
    expect(starts).toBe(2)
    expect(performance.now() - began).toBeGreaterThanOrEqual(1_900)
    expect(result?.execution.duration_ms).toBeLessThan(20_000)
    expect(readdirSync(b.root).toSorted()).toEqual(['a.txt'])
  })

  it('R-FAIL-TimeoutError: what may not be repeated is stopped and taken back once, and not tried again', async () => {
    let starts = 0
    const hangs = defineTool({
      name: 'tries',
      version: '1.0.0',
      description: 'Hangs',
      effect: 'edit',
      idempotent: false,
      input: nothing,
      output: said,
      run: async (_args, { edits }) => {
        edits.write('new.txt', new TextEncoder().encode('x'))
        starts++
        await new Promise(() => undefined)
        return { said: '' }
      },
    })
    const config = { 'tools.timeouts.default_seconds': 0.05, 'tools.retry.backoff_seconds': 0.01 }
    const { result, b } = await runWith(hangs, { config })
    expect(errorOf(result)).toMatchObject({ code: 'timeout', class: 'TimeoutError', state: 'ROLLED_BACK' })
    expect(result?.execution).not.toHaveProperty('attempts')
    expect(starts).toBe(1)
    expect(readdirSync(b.root).toSorted()).toEqual(['a.txt'])
  })

  it('R-RETRY: no attempt begins once the shared time is over', async () => {
    const clock = waitingClock()
    const t = failing(['resource_exhausted', 'resource_exhausted', 'resource_exhausted'], {
      onStart: () => clock.pass(30_000),
    })
    expect(errorOf((await runWith(t.tool, { clock })).result).code).toBe('resource_exhausted')
    expect(t.starts()).toBe(2)
    expect(clock.waits).toEqual([100])
  })

  it('R-RETRY: what an attempt staged is gone before the next one', async () => {
    const t = failing(['resource_exhausted'], { effect: 'edit' })
    const { b, result } = await runWith(t.tool, { clock: waitingClock() })
    outputOf(result)
    expect(readdirSync(b.root).toSorted()).toEqual(['a.txt', 'staged-1.txt'])
  })

  it('R-RETRY: an external tool keeps its idempotency key, and its start is on record once', async () => {
    const t = failing(['timeout', 'resource_exhausted'], { effect: 'external' })
    const approve = (requests: readonly unknown[]) => requests.map(() => 'once' as const)
    const { result, runtime } = await runWith(t.tool, { clock: waitingClock(), approve })
    outputOf(result)
    expect(t.keys).toEqual(Array.from({ length: 3 }, () => result?.execution.id))
    expect([...runtime.log()].filter(({ entry }) => entry.kind === 'started')).toHaveLength(1)
  })

  it('an external tool that ran out of time may have acted, which is said', async () => {
    const t = failing(['timeout'], { effect: 'external', idempotent: false })
    const approve = (requests: readonly unknown[]) => requests.map(() => 'once' as const)
    const { result } = await runWith(t.tool, { clock: waitingClock(), approve })
    expect(errorOf(result)).toMatchObject({ code: 'timeout', details: { effects: 'unknown' } })
    expect(result?.content).toContain('It may have acted all the same.')
  })

  it('R-RETRY: however often it is tried, a call counts once', async () => {
    const t = failing(['timeout', 'timeout', 'timeout'])
    const rules = [{ tool: 'tries', type: 'MaxCalls', max: 2 }]
    const b = bench()
    const runtime = await b.open({ tools: [t.tool], clock: waitingClock(), config: { 'tools.rules': rules } })
    const results = await runtime.run(['1', '2', '3'].map((id) => ({ id, name: 'tries', args: {} })))
    expect(results.map(({ ok }) => ok)).toEqual([true, true, false])
    expect(errorOf(results[2]).code).toBe('rule_violation')
  })

  it('R-RETRY: who cancels while it waits has cancelled the call', async () => {
    const stop = new AbortController()
    const t = failing(['resource_exhausted', 'resource_exhausted'], {
      onStart: () => setTimeout(() => stop.abort(), 20),
    })
    const runtime = await bench().open({
      tools: [t.tool],
      config: { 'tools.retry.backoff_seconds': 60, 'tools.timeouts.default_seconds': 60 },
    })
    const began = performance.now()
    const [result] = await runtime.run([{ id: '1', name: 'tries', args: {} }], { signal: stop.signal })
    expect(errorOf(result)).toMatchObject({ code: 'cancelled', message: 'Cancelled by user' })
    expect(performance.now() - began).toBeLessThan(30_000)
    expect(t.starts()).toBe(1)
  })

  it('a process that was stopped is not started again, and a dry run tries once', async () => {
    const b = bench()
    const approve = (requests: readonly unknown[]) => requests.map(() => 'once' as const)
    const t = failing(['timeout'], { effect: 'spawn' })
    const runtime = await b.open({ tools: [t.tool], approve })
    const [spawned] = await runtime.run([{ id: '1', name: 'tries', args: {} }])
    expect(errorOf(spawned)).toMatchObject({ code: 'timeout', state: 'ABORTED' })
    expect(t.starts()).toBe(1)
    const dry = failing(['timeout'])
    const [shown] = await (
      await b.open({ tools: [dry.tool] })
    ).run([{ id: '1', name: 'tries', args: {} }], { dryRun: true })
    expect(errorOf(shown).code).toBe('timeout')
    expect(dry.starts()).toBe(1)
  })
})
