import { spawnSync } from 'node:child_process'
import { pathToFileURL } from 'node:url'
import { join } from 'node:path'
import { metrics, trace } from '@opentelemetry/api'
import fc from 'fast-check'
import { describe, expect, it, onTestFinished } from 'vitest'
import { TOP } from '../../../scripts/run-tool.ts'
import { failure } from '../../../src/core/error.ts'
import type { ErrorReport } from '../../../src/pipeline/error-report.ts'
import type { RuntimeOptions } from '../../../src/runtime/create-runtime.ts'
import { bench, outputOf } from '../../bench-folder.ts'
import { fakeTelemetry } from '../../harness/fake-telemetry.ts'
import { broken, busy, BUSY_MS, echo, simpleTool } from '../../harness/simple-tool.ts'

const TOOLS = [
  echo,
  broken,
  simpleTool('denied', () => ({ said: '' })),
  simpleTool('slow', () => new Promise(() => undefined), { limits: { maxExecutionTimeMs: 5 } }),
  simpleTool('full', () => {
    throw failure('resource_exhausted', 'no room')
  }),
  simpleTool('lies', () => ({ said: 7 })),
]
const CONFIG = { tools: { approval: { denylist: ['denied'] } } }

/** Runs calls, one after the other, with a fake telemetry. */
async function observe(
  calls: readonly (readonly [name: string, args?: unknown])[],
  options: Partial<RuntimeOptions> = {},
) {
  const fake = fakeTelemetry()
  const runtime = await bench().open({ tools: TOOLS, config: CONFIG, telemetry: fake, ...options })
  const results = []
  for (const [name, args = {}] of calls)
    results.push(...(await runtime.run([{ id: `label-${name}`, name, args }], { session: 's' })))
  return { ...fake, results, runtime }
}

const statesOf = (events: readonly { readonly attributes: object }[]): unknown[] =>
  events.map(({ attributes }) => (attributes as Record<string, unknown>)['tongs.state'])

describe('a span for each call', () => {
  it('R-CHK-INT-3: it has the name and attributes that OpenTelemetry knows for tools, and ends with the result', async () => {
    const { spans, results } = await observe([['echo', { word: 'hi' }]])
    expect(spans).toHaveLength(1)
    expect(spans[0]).toMatchObject({
      name: 'execute_tool echo',
      options: { kind: 0 },
      ended: 1,
      status: null,
    })
    expect(spans[0]?.attributes).toEqual({
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': 'echo',
      'gen_ai.tool.call.id': 'label-echo',
      'gen_ai.tool.type': 'function',
      'gen_ai.tool.description': 'The tool echo',
      'tongs.execution.id': results[0]?.execution.id,
      'tongs.session': 's',
      'tongs.origin': 'person',
      'tongs.dry_run': false,
      'tongs.tool.version': '1.2.3',
      'tongs.tool.effect': 'read',
      'tongs.state': 'COMPLETED',
      'tongs.duration_ms': results[0]?.execution.duration_ms,
    })
  })

  it('R-EMIT-1: it has an event for each transition, in order, also for those at the end', async () => {
    const { spans, of } = await observe([['echo'], ['broken'], ['nope'], ['denied']])
    const expected = [
      ['DECLARED', 'VALIDATED', 'AUTHORIZED', 'EXECUTING', 'COMPLETED'],
      ['DECLARED', 'VALIDATED', 'AUTHORIZED', 'EXECUTING', 'ROLLED_BACK'],
      ['DECLARED', 'FAILED'],
      ['DECLARED', 'DENIED'],
    ]
    expect(spans.map(({ events }) => statesOf(events))).toEqual(expected)
    expect(statesOf(of('tongs.call.transitions'))).toEqual(expected.flat())
  })

  it('R-EMIT-5: it says how the call ended, good or bad, in a code and never in words', async () => {
    const { spans } = await observe([['echo'], ['broken'], ['denied']])
    expect(
      spans.map(({ ended, attributes, status }) => [
        ended,
        attributes['tongs.state'],
        attributes['error.type'],
        status,
      ]),
    ).toEqual([
      [1, 'COMPLETED', undefined, null],
      [1, 'ROLLED_BACK', 'crashed', { code: 2, message: 'crashed' }],
      [1, 'DENIED', 'denylisted', { code: 2, message: 'denylisted' }],
    ])
    expect(JSON.stringify(spans)).not.toContain('boom')
  })

  it('the spans of calls that run side by side do not mix', async () => {
    const fake = fakeTelemetry()
    const runtime = await bench().open({ tools: TOOLS, telemetry: fake })
    await runtime.run(['1', '2', '3'].map((id) => ({ id, name: 'echo', args: {} })))
    expect(fake.spans.map(({ attributes, ended }) => [attributes['gen_ai.tool.call.id'], ended])).toEqual([
      ['1', 1],
      ['2', 1],
      ['3', 1],
    ])
    for (const { events } of fake.spans) expect(events).toHaveLength(5)
  })

  it('a name that a model made up is neither the name of a span nor of anything counted', async () => {
    const { spans, measurements } = await observe([['made-up'.repeat(40)]])
    expect(spans[0]?.name).toBe('execute_tool')
    expect(String(spans[0]?.attributes['gen_ai.tool.name']).length).toBeLessThanOrEqual(64)
    expect(new Set(measurements.map(({ attributes }) => attributes['gen_ai.tool.name']))).toEqual(
      new Set(['_other']),
    )
  })

  it('a call that never gets a result has its span ended with the runtime', async () => {
    const fake = fakeTelemetry()
    const runtime = await bench().open({ tools: TOOLS, telemetry: fake })
    void runtime.run([{ id: '1', name: 'slow', args: {} }]).catch(() => undefined)
    while (fake.spans.length === 0) await new Promise((resolve) => setImmediate(resolve))
    await runtime.close()
    expect(fake.spans[0]?.ended).toBe(1)
  })
})

describe('what leaves the process', () => {
  const word = 'token=ghp_abcdefghijklmnop1234567890 and plain'

  it('no argument and no result is sent, whatever they are', async () => {
    const { spans, measurements, runtime } = await observe([])
    await fc.assert(
      fc.asyncProperty(fc.stringMatching(/^[a-z]{12,20}$/), async (secret) => {
        await runtime.run([{ id: '1', name: 'echo', args: { word: secret } }])
        expect(JSON.stringify([spans, measurements])).not.toContain(secret)
      }),
      { numRuns: 20 },
    )
  })

  it('arguments are sent if somebody asks for them, without what looks like a secret', async () => {
    const { spans } = await observe([['echo', { word }]], { config: { 'telemetry.arguments': true } })
    const sent = String(spans[0]?.attributes['gen_ai.tool.call.arguments'])
    expect(sent).toContain('and plain')
    expect(sent).not.toContain('ghp_')
  })
})

describe('counters and histograms', () => {
  it('R-CHK-RT-6: every metric has its kind and its unit', async () => {
    const { instruments } = await observe([['echo']])
    expect(Object.fromEntries(instruments)).toEqual({
      'tongs.calls': { kind: 'counter', unit: '{call}' },
      'tongs.call.transitions': { kind: 'counter', unit: '{transition}' },
      'tongs.authorizations': { kind: 'counter', unit: '{decision}' },
      'tongs.denials': { kind: 'counter', unit: '{call}' },
      'tongs.capability_denials': { kind: 'counter', unit: '{call}' },
      'tongs.rollbacks': { kind: 'counter', unit: '{call}' },
      'tongs.limit_violations': { kind: 'counter', unit: '{call}' },
      'tongs.validation_failures': { kind: 'counter', unit: '{call}' },
      'tongs.call.device_reads': { kind: 'counter', unit: '{operation}' },
      'tongs.call.device_writes': { kind: 'counter', unit: '{operation}' },
      'tongs.call.duration': { kind: 'histogram', unit: 's' },
      'tongs.call.cpu_time': { kind: 'histogram', unit: 's' },
      'tongs.process.peak_memory': { kind: 'histogram', unit: 'By' },
    })
  })

  it('calls are counted by tool and by the state they ended in', async () => {
    const { of } = await observe([['echo'], ['echo'], ['broken'], ['nope']])
    expect(of('tongs.calls').map(({ value, attributes }) => [value, attributes])).toEqual([
      [1, { 'gen_ai.tool.name': 'echo', 'tongs.state': 'COMPLETED' }],
      [1, { 'gen_ai.tool.name': 'echo', 'tongs.state': 'COMPLETED' }],
      [1, { 'gen_ai.tool.name': 'broken', 'tongs.state': 'ROLLED_BACK', 'error.type': 'crashed' }],
      [1, { 'gen_ai.tool.name': '_other', 'tongs.state': 'FAILED', 'error.type': 'unknown_tool' }],
    ])
  })

  it('R-EMIT-2: a call that is too long, too large or too much for the machine is a limit violation', async () => {
    const { of } = await observe([['slow'], ['full'], ['echo', { word: 'x'.repeat(300_000) }], ['broken']])
    expect(of('tongs.limit_violations').map(({ attributes }) => attributes)).toEqual([
      { 'gen_ai.tool.name': 'slow', 'error.type': 'timeout' },
      { 'gen_ai.tool.name': 'full', 'error.type': 'resource_exhausted' },
      { 'gen_ai.tool.name': 'echo', 'error.type': 'limit_exceeded' },
    ])
  })

  it('R-EMIT-3: each authorisation decision is counted, granted or denied with its reason', async () => {
    const { of } = await observe([['echo'], ['denied'], ['nope'], ['broken']])
    expect(of('tongs.authorizations').map(({ attributes }) => attributes)).toEqual([
      { 'gen_ai.tool.name': 'echo', 'tongs.decision': 'granted' },
      { 'gen_ai.tool.name': 'denied', 'tongs.decision': 'denied', 'error.type': 'denylisted' },
      { 'gen_ai.tool.name': 'broken', 'tongs.decision': 'granted' },
    ])
    const held = await observe([], { config: { tools: { mode: 'parse_only' } } })
    await held.runtime.run([{ id: '1', name: 'echo', args: {} }], { origin: 'model' })
    expect(held.of('tongs.authorizations')).toEqual([])
    expect(of('tongs.denials').map(({ attributes }) => attributes['error.type'])).toEqual(['denylisted'])
  })

  it('R-TEL-6: calls that lack a capability are counted, refused before they run or stopped while they do', async () => {
    const peeks = simpleTool('peeks', (_args, { store }) => ({ said: String(store.read('k')) }))
    const listens = simpleTool('listens', () => ({ said: '' }), { capabilities: ['network.listen'] })
    const { of } = await observe([['echo'], ['peeks'], ['listens'], ['denied']], {
      tools: [...TOOLS, peeks, listens],
    })
    expect(of('tongs.capability_denials').map(({ attributes }) => attributes)).toEqual([
      { 'gen_ai.tool.name': 'peeks', 'error.type': 'capability_denied' },
      { 'gen_ai.tool.name': 'listens', 'error.type': 'capability_denied' },
    ])
  })

  it('rollbacks are counted by what made them necessary', async () => {
    const { of } = await observe([['broken'], ['echo'], ['denied'], ['lies']])
    expect(of('tongs.rollbacks').map(({ attributes }) => attributes)).toEqual([
      { 'gen_ai.tool.name': 'broken', 'error.type': 'crashed' },
      { 'gen_ai.tool.name': 'lies', 'error.type': 'output_invalid' },
    ])
  })

  it('R-EMIT-4: input and output that do not fit their schema are validation failures', async () => {
    const { of } = await observe([['echo', { word: 5 }], ['lies'], ['echo'], ['broken'], ['denied']])
    expect(of('tongs.validation_failures').map(({ attributes }) => attributes)).toEqual([
      { 'gen_ai.tool.name': 'echo', 'error.type': 'bad_args' },
      { 'gen_ai.tool.name': 'lies', 'error.type': 'output_invalid' },
    ])
  })

  it('durations are those of calls that ran, in seconds', async () => {
    let elapsed = 0
    const clock = { now: () => 1, elapsed: () => elapsed }
    const takes = simpleTool('takes', () => {
      elapsed += 1500
      return { said: '' }
    })
    const { of } = await observe([['takes'], ['nope']], { tools: [takes], clock })
    expect(of('tongs.call.duration').map(({ value }) => value)).toEqual([1.5])
  })

  it('R-TEL-5: processor time, memory and device access of a call are measured', async () => {
    const { of } = await observe([['busy'], ['nope']], { tools: [busy] })
    expect(of('tongs.call.cpu_time').map(({ value }) => value >= BUSY_MS / 1000 && value < 5)).toEqual([true])
    expect(of('tongs.process.peak_memory').map(({ value }) => value > 10_000_000)).toEqual([true])
    for (const name of ['tongs.call.device_reads', 'tongs.call.device_writes'])
      expect(of(name).map(({ value }) => value >= 0)).toEqual([true])
  })
})

describe('switching it on', () => {
  it('a tracer or meter that throws changes nothing for a call, and the error handler hears of it', async () => {
    const fake = fakeTelemetry()
    const reports: ErrorReport[] = []
    const runtime = await bench().open({
      tools: TOOLS,
      onError: (report) => void reports.push(report),
      telemetry: {
        ...fake,
        tracer: {
          ...fake.tracer,
          startSpan: () => {
            throw new Error('no collector')
          },
        },
      },
    })
    const [result] = await runtime.run([{ id: '1', name: 'echo', args: {} }])
    expect(outputOf(result)).toEqual({ said: '' })
    expect(reports).toMatchObject([
      { phase: 'watching', error: { message: expect.stringContaining('no collector') } },
    ])
  })

  it('R-CHK-INT-3: the setting sends everything to the SDK that the process has registered', async () => {
    const fake = fakeTelemetry()
    const scopes: string[] = []
    trace.setGlobalTracerProvider({
      getTracer: (name) => {
        scopes.push(name)
        return fake.tracer
      },
    })
    metrics.setGlobalMeterProvider({ getMeter: () => fake.meter })
    onTestFinished(() => {
      trace.disable()
      metrics.disable()
    })
    const b = bench()
    await b.call('echo', {}, { tools: TOOLS })
    expect(fake.spans).toHaveLength(0)
    await b.call('echo', {}, { tools: TOOLS, config: { telemetry: { enabled: true } } })
    expect(scopes).toEqual(['tongs'])
    expect(fake.spans.map(({ name }) => name)).toEqual(['execute_tool echo'])
    expect(fake.of('tongs.calls', 'echo')).toHaveLength(1)
  })

  it('nothing of it is loaded unless it is wanted', () => {
    const b = bench({ 'a.txt': 'a' })
    const code = `
      import { registerHooks } from 'node:module'
      const loaded = []
      registerHooks({ resolve: (name, context, next) => { loaded.push(name); return next(name, context) } })
      const { createRuntime } = await import(${JSON.stringify(pathToFileURL(join(TOP, 'src/index.ts')).href)})
      for (const enabled of [false, true]) {
        const runtime = await createRuntime({ root: ${JSON.stringify(b.root)}, stateDir: ${JSON.stringify(b.stateDir)}, durability: 'memory', config: { telemetry: { enabled } } })
        const [result] = await runtime.run([{ id: '1', name: 'read_file', args: { path: 'a.txt' } }])
        await runtime.close()
        console.log(result.ok, loaded.some((name) => name.includes('opentelemetry')))
      }`
    const end = spawnSync(process.execPath, ['--input-type=module', '--eval', code], {
      encoding: 'utf8',
      cwd: TOP,
    })
    expect(end).toMatchObject({ stderr: '', stdout: 'true false\ntrue true\n' })
  })
})
