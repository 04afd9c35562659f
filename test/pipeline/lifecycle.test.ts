import { describe, expect, it } from 'vitest'
import { canMove, NEXT } from '../../src/core/lifecycle.ts'
import type { State } from '../../src/core/lifecycle.ts'
import { auditEvents } from '../../src/journal/folds/audit.ts'
import type { Runtime } from '../../src/runtime/create-runtime.ts'
import { bench, errorOf } from '../bench-folder.ts'
import { agreeing, asked, batchOf, echo, editor, reader, waysOf, writer } from './sample-tools.ts'

const RUN = ['DECLARED', 'VALIDATED', 'AUTHORIZED', 'EXECUTING'] as const

/** Runs one call and gives the way it went, from the log. */
async function wayOf(
  call: readonly [name: string, args?: unknown],
  options: Parameters<ReturnType<typeof bench>['open']>[0] = {},
): Promise<readonly State[]> {
  const runtime = await bench({ 'a.txt': 'a' }).open(options)
  await runtime.run(batchOf(call))
  return waysOf(runtime).get('c1') ?? []
}

function entriesOf(runtime: Runtime) {
  return [...runtime.log()].map(({ entry }) => entry)
}

describe('states', () => {
  it('R-LC-DECLARED: a call is declared with its name, id and arguments before anything of it is judged or run', async () => {
    let declared: unknown
    const b = bench()
    const peek = reader('peek', () => {
      declared = entriesOf(runtime).at(-1)
      return { said: '' }
    })
    const runtime = await b.open({ tools: [peek] })
    const [result] = await runtime.run([{ id: 'mine', name: 'peek', args: { word: 'x' } }])
    expect(declared).toMatchObject({
      kind: 'batch',
      calls: [
        {
          execution: result?.execution.id,
          id: 'mine',
          name: 'peek',
          args: expect.stringMatching(/^[0-9a-f]{64}$/),
        },
      ],
    })
    const [first] = auditEvents(runtime.log())
    expect(first).toMatchObject({ state: 'DECLARED', toolId: 'peek', executionId: result?.execution.id })
  })

  it('R-LC-VALIDATED: a call counts as validated once its arguments fit, and never if they do not', async () => {
    expect(await wayOf(['echo', { word: 5 }], { tools: [echo] })).toEqual(['DECLARED', 'FAILED'])
    expect(await wayOf(['echo', { word: 'x' }], { tools: [echo] })).toEqual([...RUN, 'COMPLETED'])
    const runtime = await bench().open({ approve: 'later', tools: [writer] })
    const [row] = await runtime.run(batchOf(['writer', { word: 'x' }]))
    expect(row?.execution.state).toBe('VALIDATED')
  })

  it('R-LC-COMPLETED: a call is completed only if its result fits the output schema', async () => {
    const liar = reader('liar', () => ({ said: 5 }))
    expect(await wayOf(['liar'], { tools: [liar] })).toEqual([...RUN, 'ROLLED_BACK'])
    expect(await wayOf(['echo'], { tools: [echo] })).toEqual([...RUN, 'COMPLETED'])
  })

  it.for([
    ['limit_exceeded', ['echo', { word: 'x'.repeat(300) }]],
    ['unknown_tool', ['nope']],
    ['bad_args', ['echo', { word: 5 }]],
    ['patch_failed', ['apply_patch', { patch: 'LP1\nF a\nQ\nEND\n' }]],
  ] as const)(
    'R-LC-FAILED: a call that is not valid goes straight from declared to failed, with details: %s',
    async ([code, call]) => {
      const options = { tools: [echo], config: { 'tools.max_tool_args_bytes': 200 } }
      expect(await wayOf(call, options)).toEqual(['DECLARED', 'FAILED'])
      const runtime = await bench().open(options)
      const error = errorOf((await runtime.run(batchOf(call)))[0])
      expect(error.code).toBe(code)
      expect(Object.keys(error.details)).not.toEqual([])
      expect(entriesOf(runtime).at(-1)).toMatchObject({ kind: 'settled', error: { code } })
    },
  )

  it.for([
    ['disabled', ['echo'], { config: { 'tools.mode': 'disabled' } }, ['DECLARED', 'DENIED']],
    ['denylisted', ['run_command', { command: 'x' }], {}, ['DECLARED', 'DENIED']],
    ['path_outside_sandbox', ['writer', { path: '../x' }], {}, ['DECLARED', 'VALIDATED', 'DENIED']],
    [
      'not_allowed',
      ['echo'],
      { config: { 'tools.approval.mode': 'deny' } },
      ['DECLARED', 'VALIDATED', 'DENIED'],
    ],
    ['not_allowed', ['writer'], { preset: 'plan' }, ['DECLARED', 'VALIDATED', 'DENIED']],
    ['approval_denied', ['writer'], {}, ['DECLARED', 'VALIDATED', 'DENIED']],
    ['approval_denied', ['writer'], { approve: () => ['deny'] }, ['DECLARED', 'VALIDATED', 'DENIED']],
  ] as const)(
    'R-LC-DENIED: what policy or people refuse is denied, after validation where that came first: %s',
    async ([code, call, options, way]) => {
      expect(await wayOf(call, { tools: [echo, writer], ...options } as never)).toEqual(way)
      const runtime = await bench().open({ tools: [echo, writer], ...options } as never)
      const [result] = await runtime.run(batchOf(call))
      expect(errorOf(result)).toMatchObject({ code, state: 'DENIED', class: 'AuthorizationError' })
      const [why] = runtime.why(result?.execution.id ?? '')
      expect(why).toMatchObject({ verdict: 'denied', error: code })
      expect(why?.gates.at(-1)).toMatchObject({ verdict: 'deny', fact: expect.stringMatching(/\w+ \w+/) })
    },
  )

  it('R-LC-ABORTED: timeout and cancellation abort a running call, with the reason on record, and then roll it back', async () => {
    const hang = editor('hang', () => new Promise(() => undefined), { limits: { maxExecutionTimeMs: 10 } })
    const auto = { tools: [hang], config: { 'tools.approval.mode': 'auto' } }
    expect(await wayOf(['hang'], auto)).toEqual([...RUN, 'ABORTED', 'ROLLED_BACK'])
    const runtime = await bench().open(auto)
    await runtime.run(batchOf(['hang']))
    const events = [...auditEvents(runtime.log())]
    expect(events.map(({ state }) => state).slice(-2)).toEqual(['ABORTED', 'ROLLED_BACK'])
    expect(events.at(-1)?.error).toMatchObject({ code: 'timeout' })
    const stop = new AbortController()
    const patient = editor('patient', () => {
      queueMicrotask(() => stop.abort())
      return new Promise(() => undefined)
    })
    const cancelled = await bench().open({ ...auto, tools: [patient] })
    await cancelled.run([{ id: 'second', name: 'patient', args: {} }], { signal: stop.signal })
    expect(waysOf(cancelled).get('second')).toEqual([...RUN, 'ABORTED', 'ROLLED_BACK'])
    expect([...auditEvents(cancelled.log())].at(-1)?.error).toMatchObject({ code: 'cancelled' })
  })

  it('an ending is an ending, except that what was aborted can still be rolled back', () => {
    const states = Object.keys(NEXT) as readonly State[]
    for (const end of ['COMPLETED', 'FAILED', 'DENIED', 'ROLLED_BACK'] as const)
      for (const next of states) expect(canMove(end, next)).toBe(false)
    expect(NEXT.ABORTED).toEqual(['ROLLED_BACK'])
  })
})

describe('what is not valid', () => {
  it('R-FAIL-ValidationError: is rejected at once and never tried again, however idempotent the tool', async () => {
    let runs = 0
    const liar = reader(
      'liar',
      () => {
        runs++
        return { said: 5 }
      },
      { idempotent: true },
    )
    const runtime = await bench().open({ tools: [liar], config: { 'tools.retry.max': 3 } })
    const [bad, invalid] = await runtime.run(batchOf(['liar', { word: 5 }], ['liar']))
    expect(errorOf(bad)).toMatchObject({ code: 'bad_args', class: 'ValidationError', state: 'FAILED' })
    expect(errorOf(invalid)).toMatchObject({ code: 'output_invalid', class: 'ValidationError' })
    expect(runs).toBe(1)
  })
})

describe('why', () => {
  it('tells every gate of a call that waits, asked about or not', async () => {
    const runtime = await bench().open({ approve: 'later', tools: [writer, echo] })
    const [free, asking] = await runtime.run(batchOf(['echo'], ['writer']))
    const [about] = runtime.why(asking?.execution.id ?? '')
    expect(about).toMatchObject({ verdict: 'waiting', gate: 'approval', state: 'VALIDATED', name: 'writer' })
    expect(about?.gates.map(({ gate }) => gate)).toContain('sandbox')
    expect(about?.gates.filter(({ verdict }) => verdict === 'ask').map(({ gate }) => gate)).toEqual([
      'approval mode',
      'approval',
    ])
    const [other] = runtime.why(free?.execution.id ?? '')
    expect(other).toMatchObject({ verdict: 'waiting', name: 'echo' })
    expect(other?.gates.at(-1)?.fact).toContain('other calls')
  })

  it('tells that a person approved a call, and what they were asked for', async () => {
    const runtime = await bench().open({ approve: agreeing(), tools: [writer] })
    const [result] = await runtime.run(batchOf(['writer']))
    const [about] = runtime.why(result?.execution.id ?? '')
    expect(about).toMatchObject({ verdict: 'allowed', gate: 'approval' })
    expect(about?.gates.at(-1)).toMatchObject({ verdict: 'pass', fact: expect.stringContaining('approved') })
  })

  it('tells cancelled calls apart from denied ones', async () => {
    const approve = asked((requests) => requests.map(() => 'deny' as const))
    const runtime = await bench().open({ tools: [echo, writer], approve })
    const [stopped] = await runtime.run(batchOf(['echo']), { signal: AbortSignal.abort() })
    const [denied] = await runtime.run(batchOf(['writer']))
    expect(errorOf(stopped).code).toBe('cancelled')
    expect(runtime.why(stopped?.execution.id ?? '')[0]).toMatchObject({
      verdict: 'failed',
      gate: 'cancellation',
    })
    expect(runtime.why(denied?.execution.id ?? '')[0]).toMatchObject({ verdict: 'denied', gate: 'approval' })
  })
})
