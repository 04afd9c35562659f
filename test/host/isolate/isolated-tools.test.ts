import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, it } from 'vitest'
import { TOP } from '../../../scripts/run-tool.ts'
import { defineTool } from '../../../src/tools/define/define-tool.ts'
import type { IsolationSpec } from '../../../src/core/isolation.ts'
import { object, optional, string } from '../../../src/schema/schema.ts'
import type { Tool } from '../../../src/core/tool.ts'
import type { ErrorReport } from '../../../src/pipeline/error-report.ts'
import type { LiveEvent } from '../../../src/pipeline/engine.ts'
import type { RunOptions, RuntimeOptions } from '../../../src/runtime/create-runtime.ts'
import { bench, errorOf, outputOf } from '../../bench-folder.ts'
import { PATIENCE_MS } from '../../harness/patience.ts'

const MODULE = new URL('module.mjs', import.meta.url)
const MIB = 1024 ** 2

/** A tool that is a function of the module beside this file. */
function isolated(
  name: string,
  limits: Partial<IsolationSpec['limits']> = {},
  module: URL | string = MODULE,
): Tool {
  return defineTool({
    name,
    version: '1.0.0',
    description: `The function ${name}`,
    effect: 'read',
    input: object({ word: optional(string('A word')) }, 'Arguments'),
    output: object({ said: string('What was said') }, 'An answer'),
    isolate: {
      module,
      ...(name === 'run' ? {} : { export: name }),
      limits: { memoryBytes: 64 * MIB, timeoutMs: PATIENCE_MS, ...limits },
    },
  })
}

async function call(tool: Tool, options: Partial<RuntimeOptions> = {}, run: RunOptions = {}) {
  return bench().call(tool.name, { word: 'hi' }, { tools: [tool], ...options }, run)
}

/** Catches the number of a process that a tool prints. */
function listenForPid() {
  let text = ''
  const onEvent = (event: LiveEvent): void => {
    if (event.event === 'output') text += event.chunk
  }
  return { onEvent, pid: () => Number(/^\d+/.exec(text)?.[0]) }
}

async function isGone(pid: number): Promise<boolean> {
  expect(pid).toBeGreaterThan(1)
  for (const untilMs = performance.now() + PATIENCE_MS; performance.now() < untilMs;) {
    try {
      process.kill(pid, 0)
    } catch {
      return true
    }
    // A process that nobody has buried yet has ended all the same.
    if (existsSync(`/proc/${pid}/stat`) && / Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))) return true
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  return false
}

describe('a tool in a process of its own', () => {
  it('gets its arguments and a few facts, and gives its answer', async () => {
    expect(outputOf(await call(isolated('run')))).toEqual({
      said: 'hi callId executionId timeoutMs isDryRun',
    })
  })

  it('RULE 5: an endless loop that never gives way is stopped when its time is over', async () => {
    const { onEvent, pid } = listenForPid()
    // On a busy machine it may take longer until it is in its loop.
    for (let timeoutMs = 600; timeoutMs < 20_000 && Number.isNaN(pid()); timeoutMs *= 4) {
      const error = errorOf(await call(isolated('announceAndLoop', { timeoutMs }), {}, { onEvent }))
      expect(error).toMatchObject({ code: 'timeout', class: 'TimeoutError', state: 'ROLLED_BACK' })
    }
    expect(await isGone(pid())).toBe(true)
  })

  it('RULE 5: so is one that waits for ever, and a call may lower the time', async () => {
    const runtime = await bench().open({ tools: [isolated('wait')] })
    const [result] = await runtime.run([{ id: '1', name: 'wait', args: {}, meta: { timeout: 0.3 } }])
    expect(errorOf(result)).toMatchObject({ code: 'timeout', details: { timeout_ms: 300 } })
  })

  it('is stopped when the call is cancelled', async () => {
    const stop = new AbortController()
    const { onEvent, pid } = listenForPid()
    const onOutput = (event: LiveEvent): void => {
      onEvent(event)
      if (event.event === 'output') stop.abort()
    }
    const options = { signal: stop.signal, onEvent: onOutput }
    expect(errorOf(await call(isolated('announceAndLoop'), {}, options))).toMatchObject({
      code: 'cancelled',
      message: 'Cancelled by user',
    })
    expect(await isGone(pid())).toBe(true)
  })

  it.each(['grow', 'buffer'])(
    'R-CHK-RT-3: memory has a limit that holds, for objects and for buffers: %s',
    async (name) => {
      const error = errorOf(await call(isolated(name)))
      expect(error).toMatchObject({
        code: 'resource_exhausted',
        class: 'ResourceError',
        state: 'ROLLED_BACK',
        details: { limit: 'memory', memory_bytes: 64 * MIB },
      })
    },
  )

  it('R-CONTRACT-3: processor time has a limit of its own', async () => {
    const error = errorOf(await call(isolated('loop', { cpuSeconds: 1 })))
    expect(error).toMatchObject({ code: 'resource_exhausted', details: { limit: 'cpu', cpu_seconds: 1 } })
  })

  it('an answer has a limit as well', async () => {
    const error = errorOf(await call(isolated('shout', { memoryBytes: 1024 * MIB })))
    expect(error).toMatchObject({ code: 'resource_exhausted', details: { limit: 'answer' } })
  })

  it('an error that it throws on purpose arrives as it was meant', async () => {
    expect(errorOf(await call(isolated('fail')))).toMatchObject({
      code: 'execution_failed',
      message: 'no such page',
      details: { page: 3 },
      recovery: ['Try 2.'],
    })
  })

  it.each([
    ['crash', 'boom in the module'],
    ['later', 'boom much later'],
    ['lie', 'it failed in an unknown way'],
    ['leave', 'its process ended with exit code 7 without an answer'],
    ['die', 'its process ended by SIGSEGV without an answer'],
    ['forget', 'its process ended with exit code 0 without an answer'],
    ['circle', 'circular'],
    ['absent', 'its module exports no function named absent'],
  ])('what goes wrong in it is a crash and takes nothing else down: %s', async (name, words) => {
    const error = errorOf(await call(isolated(name)))
    expect(error).toMatchObject({ code: 'crashed', state: 'ROLLED_BACK' })
    expect(error.message).toContain(words)
  })

  it('a module that is not there is a crash that names it', async () => {
    const error = errorOf(await call(isolated('run', {}, new URL('nowhere.mjs', import.meta.url))))
    expect(error.code).toBe('crashed')
    expect(error.message).toContain('nowhere.mjs')
  })

  it('what it writes where its answer belongs is not believed', async () => {
    expect(errorOf(await call(isolated('forge', { timeoutMs: 400 }))).code).toBe('timeout')
  })

  it('one that has answered is not waited for', async () => {
    expect(outputOf(await call(isolated('linger')))).toEqual({ said: 'answered' })
  })

  it('the stack that it had there reaches the error handler', async () => {
    const reports: ErrorReport[] = []
    const onError = (report: ErrorReport): void => void reports.push(report)
    await call(isolated('crash'), { onError })
    await call(isolated('fail'), { onError })
    for (const { stack } of reports) expect(stack).toContain('module.mjs')
    expect(reports).toHaveLength(2)
  })

  it('finds an empty folder of its own, which is gone afterwards, and only the variables that children get', async () => {
    process.env['SECRET_TOKEN'] = 'do not tell'
    process.env['NODE_OPTIONS_OF_MINE'] = 'x'
    try {
      const { said } = outputOf(await call(isolated('look')))
      const { cwd, env, argv } = JSON.parse(String(said)) as {
        cwd: string
        env: Record<string, string>
        argv: number
      }
      expect(cwd).toMatch(/tongs-isolated-/)
      expect(existsSync(cwd)).toBe(false)
      expect(argv).toBe(1)
      for (const name of Object.keys(env))
        expect(name).toMatch(/^(?:PATH|HOME|LANG|LC_.*|TMPDIR|USER|SHELL|TERM)$/)
      expect(env['TERM']).toBe('dumb')
    } finally {
      delete process.env['SECRET_TOKEN']
      delete process.env['NODE_OPTIONS_OF_MINE']
    }
  })

  it('what it prints goes to whoever watches, and not into the answer', async () => {
    const chunks: unknown[] = []
    const onEvent = (event: LiveEvent): void => {
      if (event.event === 'output') chunks.push([event.stream, event.chunk])
    }
    expect(outputOf(await call(isolated('talk'), {}, { onEvent }))).toEqual({ said: '' })
    expect(chunks).toEqual(
      expect.arrayContaining([
        ['stdout', 'out\n'],
        ['stderr', 'err\n'],
      ]),
    )
  })

  it('what it has started ends with it, however it ends', async () => {
    const { said } = outputOf(await call(isolated('breed')))
    expect(await isGone(Number(said))).toBe(true)
    const { onEvent, pid } = listenForPid()
    expect(errorOf(await call(isolated('abandon'), {}, { onEvent })).message).toContain('exit code 3')
    expect(await isGone(pid())).toBe(true)
  })

  it('ends by itself when whoever started it is killed', async () => {
    const b = bench()
    const code = `
      import { createRuntime, defineTool, schema } from ${JSON.stringify(pathToFileURL(join(TOP, 'src/index.ts')).href)}
      const limits = { memoryBytes: ${64 * MIB} }
      const { object, string } = schema
      const tool = defineTool({ name: 'x', version: '1.0.0', description: 'x', effect: 'read', input: object({}, 'None'),
        output: object({ said: string('Said') }, 'Said'), isolate: { module: ${JSON.stringify(MODULE.href)}, export: 'announce', limits } })
      const runtime = await createRuntime({ root: ${JSON.stringify(b.root)}, stateDir: ${JSON.stringify(b.stateDir)}, durability: 'memory', tools: [tool] })
      await runtime.run([{ id: '1', name: 'x', args: {} }], { onEvent: (event) => event.event === 'output' && process.stdout.write(event.chunk) })`
    const parent = spawn(process.execPath, ['--input-type=module', '--eval', code], { cwd: TOP })
    const [pid] = (await once(parent.stdout, 'data')) as [Buffer]
    parent.kill('SIGKILL')
    expect(await isGone(Number(pid.toString()))).toBe(true)
  })

  it('its answer is held to the output schema like any other', async () => {
    const tool = { ...isolated('run'), outputSchema: { type: 'object', required: ['more'] } }
    expect(errorOf(await call(tool)).code).toBe('output_invalid')
  })
})

const declare = (changes: Readonly<Record<string, unknown>>): unknown =>
  defineTool({
    name: 'x',
    version: '1.0.0',
    description: 'x',
    effect: 'read',
    input: object({}, 'None'),
    output: object({}, 'None'),
    isolate: { module: MODULE, limits: { memoryBytes: 64 * MIB } },
    ...changes,
  } as never)
const isolate = (changes: object, limits: object = {}) => ({
  isolate: { module: MODULE, limits: { memoryBytes: 64 * MIB, ...limits }, ...changes },
})

describe('the declaration of an isolated tool', () => {
  it.each([
    ['both run and isolate', { run: () => ({}) }, /either run or isolate/],
    ['neither', { isolate: undefined }, /either run or isolate/],
    ['a bare module name', isolate({ module: 'left-pad' }), /absolute path; write new URL/],
    ['too little memory', isolate({}, { memoryBytes: 1000 }), /memoryBytes must be .* at least 16777216/],
    ['no memory limit', isolate({}, { memoryBytes: undefined }), /memoryBytes/],
    ['no time', isolate({}, { timeoutMs: 0 }), /timeoutMs must be a positive number/],
    ['no processor time', isolate({}, { cpuSeconds: -1 }), /cpuSeconds must be a positive number/],
    ['an effect that needs powers', { effect: 'edit' }, /its effect is read or external/],
  ])('%s is refused with the reason', (_what, changes, why) => {
    expect(() => declare(changes)).toThrow(why)
  })

  it('shows its limits to the outside', () => {
    expect(isolated('run', { timeoutMs: 1234 }).limits).toEqual({
      maxMemoryBytes: 64 * MIB,
      maxExecutionTimeMs: 1234,
    })
  })
})
