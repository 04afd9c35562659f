import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { endingOf, ERRORS, failure, toolError } from '../../src/core/error.ts'
import type { ErrorCode } from '../../src/core/error.ts'
import type { Tool } from '../../src/core/tool.ts'
import type { ErrorReport } from '../../src/pipeline/error-report.ts'
import { presentFailure } from '../../src/pipeline/present.ts'
import type { RuntimeOptions } from '../../src/runtime/create-runtime.ts'
import { bench, errorOf, outputOf } from '../bench-folder.ts'
import { broken, echo, simpleTool } from '../harness/simple-tool.ts'

const boom = (): never => {
  throw new Error('boom at the tool')
}

/** Runs one call and keeps what the handler was told. */
async function reportsOf(name: string, tools: readonly Tool[], options: Partial<RuntimeOptions> = {}) {
  const reports: ErrorReport[] = []
  const runtime = await bench().open({ tools, onError: (report) => void reports.push(report), ...options })
  const [result] = await runtime.run([{ id: 'c1', name, args: {} }], { session: 's' })
  return { reports, result, runtime }
}

/** Every function that the author of a tool may write, throwing. */
const TRAPS: readonly [string, Readonly<Record<string, unknown>>][] = [
  ['run', { run: boom }],
  ['run, later', { run: () => Promise.reject(new Error('boom at the tool')) }],
  ['check', { check: boom }],
  ['claims', { claims: boom }],
  ['claims without a list', { claims: () => 5 }],
  ['effectOf', { effectOf: boom }],
  ['risk', { risk: boom }],
  ['requiresApproval', { requiresApproval: boom }],
  ['summary', { requiresApproval: true, summary: boom }],
  ['summary without a text', { requiresApproval: true, summary: () => 5 }],
  ['present.text', { present: { text: boom, mayTruncate: false } }],
  ['present.text without a text', { present: { text: () => undefined, mayTruncate: true } }],
  ['present.mayTruncate', { present: { text: () => '', mayTruncate: boom } }],
]

describe('whatever a tool throws', () => {
  it.each(TRAPS)('R-ERR-1: a throw in %s is caught, and the calls beside it run', async (_where, changes) => {
    const runtime = await bench().open({
      tools: [echo, simpleTool('trap', () => ({ said: '' }), changes)],
      approve: (requests) => requests.map(() => 'once'),
    })
    const results = await runtime.run([
      { id: '1', name: 'echo', args: {} },
      { id: '2', name: 'trap', args: {} },
      { id: '3', name: 'echo', args: {} },
    ])
    expect(results.map((result) => (result.ok ? 'ok' : result.error.code))).toEqual(['ok', 'crashed', 'ok'])
  })

  it('R-ERR-4: an effect that can only be asked about once does not get out either', async () => {
    let asked = 0
    const fickle = simpleTool('fickle', () => ({ said: '' }), {
      effectOf: () => {
        asked++
        if (asked > 1) throw new Error('boom at the tool')
        return 'read'
      },
    })
    const { result } = await reportsOf('fickle', [fickle])
    expect(errorOf(result).code).toBe('crashed')
    expect(asked).toBeGreaterThan(1)
  })

  const circle: unknown[] = []
  circle.push(circle)

  it.each([
    ['a number too large for JSON', [1n]],
    ['a circle', circle],
  ])('R-ERR-4: a result that cannot be written down, such as %s, becomes an error', async (_what, list) => {
    const odd = {
      ...simpleTool('odd', () => ({ list })),
      outputSchema: { type: 'object' },
      present: { text: () => '', mayTruncate: false },
    }
    const { result } = await reportsOf('odd', [odd])
    expect(errorOf(result)).toMatchObject({ code: 'crashed', state: 'ROLLED_BACK' })
  })

  it('R-ERR-4: an error that is not made of our parts is a crash, and details that are no JSON are left out', async () => {
    const wrong = simpleTool('wrong', () => {
      throw failure('nonsense' as ErrorCode, 'x')
    })
    expect(errorOf((await reportsOf('wrong', [wrong])).result).code).toBe('crashed')
    const details = { circle } as never
    const odd = simpleTool('odd', () => {
      throw failure('execution_failed', 'meant', details, 'hint' as never)
    })
    const { result } = await reportsOf('odd', [odd])
    expect(errorOf(result)).toMatchObject({
      code: 'execution_failed',
      message: 'meant',
      details: {},
      recovery: [],
    })
  })

  it('R-ERR-4: whoever watches cannot stop a call by throwing', async () => {
    const reports: ErrorReport[] = []
    const runtime = await bench().open({ tools: [echo], onError: (report) => void reports.push(report) })
    const watchers = [
      () => {
        throw new Error('eyes closed')
      },
      async () => {
        throw new Error('eyes closed')
      },
    ]
    for (const onEvent of watchers) {
      const [result] = await runtime.run([{ id: '1', name: 'echo', args: {} }], { onEvent })
      expect(outputOf(result)).toEqual({ said: '' })
    }
    expect(reports.length).toBeGreaterThan(0)
    expect(new Set(reports.map(({ phase }) => phase))).toEqual(new Set(['watching']))
  })

  it('R-ERR-4: whoever should answer a question and throws instead has not agreed, and the handler hears of it', async () => {
    const asks = simpleTool('asks', () => ({ said: '' }), { requiresApproval: true })
    const { reports, result } = await reportsOf('asks', [asks], { approve: boom })
    expect(errorOf(result)).toMatchObject({ code: 'approval_denied', state: 'DENIED' })
    expect(reports.map(({ phase }) => phase)).toEqual(['asking', 'before'])
    expect(reports[0]?.stack).toContain('boom at the tool')
  })

  it('R-ERR-5: the caller gets an error with a code, a class, words and a way on', async () => {
    const { result } = await reportsOf('broken', [broken])
    expect(result).toMatchObject({
      ok: false,
      error: {
        code: 'crashed',
        kind: 'ExecutionFailed',
        type: 'file-error',
        class: 'ExecutionError',
        message: 'Tool panicked: boom',
        details: { tool: 'broken' },
        recovery: [expect.any(String)],
      },
    })
  })
})

describe('the error handler', () => {
  it('R-ERR-2: it hears of every error once, whoever found it, and of nothing else', async () => {
    const reports: ErrorReport[] = []
    const runtime = await bench().open({
      tools: [
        echo,
        broken,
        simpleTool('lies', () => ({ said: 7 })),
        simpleTool('asks', () => ({ said: '' }), { requiresApproval: true }),
        simpleTool('denied', () => ({ said: '' })),
      ],
      config: { tools: { approval: { denylist: ['denied'] } } },
      onError: (report) => void reports.push(report),
    })
    const names = ['echo', 'broken', 'nope', 'lies', 'asks', 'denied', 'echo']
    const results = await runtime.run(names.map((name, index) => ({ id: String(index), name, args: {} })))
    const failed = results.filter((result) => !result.ok)
    expect(failed).toHaveLength(5)
    expect(reports.map(({ execution, error }) => [execution, error])).toEqual(
      failed.map(({ execution, error }) => [execution.id, error]),
    )
  })

  it('R-CHK-TOOL-9: an error that a tool throws on purpose is reported like one it did not mean', async () => {
    const refuses = simpleTool('refuses', () => {
      throw failure('execution_failed', 'no')
    })
    for (const [tool, code] of [
      [refuses, 'execution_failed'],
      [broken, 'crashed'],
    ] as const) {
      const { reports } = await reportsOf(tool.name, [tool])
      expect(reports).toMatchObject([{ error: { code }, tool: tool.name, phase: 'running' }])
    }
  })

  it('R-ERR-3: a report says which call, tool, session and state it is about, and has the stack of the throw', async () => {
    const { reports, result } = await reportsOf('deep', [
      simpleTool('deep', function atTheBottom() {
        throw new RangeError('too deep')
      }),
    ])
    expect(reports).toHaveLength(1)
    const [report] = reports
    expect(report).toMatchObject({
      session: 's',
      execution: result?.execution.id,
      id: 'c1',
      tool: 'deep',
      version: '1.2.3',
      phase: 'running',
      state: 'ROLLED_BACK',
    })
    expect(report?.stack).toMatch(/RangeError: too deep\n\s+at .*atTheBottom/)
    expect(report?.cause).toBeInstanceOf(RangeError)
  })

  it.each([
    ['while planning', { check: boom }],
    ['while being asked about', { requiresApproval: true, summary: boom }],
    ['while being shown', { present: { text: boom, mayTruncate: false } }],
  ])('R-ERR-3: a throw %s has its stack too', async (_when, changes) => {
    const { reports } = await reportsOf('trap', [simpleTool('trap', () => ({ said: '' }), changes)], {
      approve: (requests) => requests.map(() => 'once'),
    })
    expect(reports.map(({ stack }) => stack)).toEqual([expect.stringContaining('boom at the tool')])
  })

  it('R-ERR-3: what a gate finds was never thrown, so it has context and no stack', async () => {
    const { reports } = await reportsOf('nope', [])
    expect(reports).toMatchObject([{ tool: 'nope', version: null, phase: 'before', stack: null }])
  })

  it('neither stack nor thrown value reaches the model, the result or the log', async () => {
    const secret = 'where-it-was-thrown'
    const named = { [secret]: () => boom() }
    const { result, runtime } = await reportsOf('trap', [simpleTool('trap', () => named[secret]?.())])
    expect(JSON.stringify(result)).not.toContain(secret)
    expect(JSON.stringify([...runtime.log()])).not.toContain(secret)
  })

  it.each([
    ['throws', () => boom()],
    ['rejects', () => Promise.reject(new Error('handler'))],
  ])('R-CHK-INT-2: a handler that %s changes nothing for the call', async (_how, onError) => {
    const { result } = await reportsOf('broken', [broken], { onError })
    expect(errorOf(result).message).toBe('Tool panicked: boom')
  })

  it('R-CHK-INT-2: it hears when a whole run fails, which no call could tell', async () => {
    const b = bench()
    const reports: ErrorReport[] = []
    const runtime = await b.open({ onError: (report) => void reports.push(report) })
    await expect(runtime.run([], { session: '' })).rejects.toThrow()
    expect(reports).toMatchObject([{ phase: 'internal', execution: null, stack: expect.any(String) }])
  })
})

describe('two forms of one error', () => {
  const codes = Object.keys(ERRORS) as ErrorCode[]

  it('F-SAFE-ERR: the words for people and the object for programs are made of one error, for every code', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...codes),
        fc.constantFrom('before', 'running', 'process'),
        fc.string({ minLength: 1 }).filter((text) => !text.trimStart().startsWith('{')),
        (code, phase, message) => {
          const error = toolError(code, message, { n: 1 }, ['do this'])
          const execution = { id: 'e', state: endingOf(code, phase), duration_ms: 0 }
          const result = presentFailure({ id: 'i', name: 'tool' }, { error, phase }, execution)
          expect(result).toMatchObject({ ok: false, id: 'i', name: 'tool', execution })
          expect(result.error).toMatchObject({ code, message, details: { n: 1 }, recovery: ['do this'] })
          expect(result.content).toContain(message)
          expect(JSON.parse(JSON.stringify(result))).toEqual(result)
        },
      ),
    )
  })

  it('F-SAFE-ERR: nowhere else in the corridor is a failed result put together', () => {
    const top = dirname(dirname(import.meta.dirname))
    const makers = globSync('src/pipeline/**/*.ts', { cwd: top }).filter((file) =>
      /\bok: false,\s*error: viewError|viewError\(/.test(readFileSync(join(top, file), 'utf8')),
    )
    expect(makers).toEqual(['src/pipeline/present.ts'])
  })
})
