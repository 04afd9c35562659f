import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { runInNewContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
import { failure } from '../../src/core/error.ts'
import type { CallContext } from '../../src/core/tool.ts'
import { bench, errorOf, outputOf } from '../bench-folder.ts'
import { asked, batchOf, echo, editor, outcomes, reader, waysOf, writer } from './sample-tools.ts'

const AUTO = { config: { 'tools.approval.mode': 'auto' } }
const never = () => new Promise<never>(() => undefined)
const QUICK = { limits: { maxExecutionTimeMs: 15 } }

describe('one after the other', () => {
  it('FR-EXE-01: calls run in call order, each after the one before has its result, and each gets exactly one', async () => {
    const happened: string[] = []
    const slow = editor('slow', async ({ word = '' }) => {
      happened.push(`${word} begins`)
      await new Promise((resolve) => setTimeout(resolve, word === '1' ? 10 : 1))
      happened.push(`${word} ends`)
      return { said: word }
    })
    const runtime = await bench().open({ ...AUTO, profile: 'strict', tools: [slow] })
    const results = await runtime.run(
      batchOf(['slow', { word: '1' }], ['slow', { word: '2' }], ['slow', { word: '3' }]),
      { onEvent: (event) => event.event === 'result' && happened.push(`${event.result.id} answered`) },
    )
    expect(results.map(({ id, ok }) => [id, ok])).toEqual([
      ['c1', true],
      ['c2', true],
      ['c3', true],
    ])
    expect(happened).toEqual([
      '1 begins',
      '1 ends',
      'c1 answered',
      '2 begins',
      '2 ends',
      'c2 answered',
      '3 begins',
      '3 ends',
      'c3 answered',
    ])
  })

  it('FR-EXE-02: after a failed call the batch goes on; only if so configured the rest is skipped', async () => {
    const bad = reader('bad', () => {
      throw failure('execution_failed', 'no')
    })
    const calls = batchOf(['echo'], ['bad'], ['echo'], ['nope'])
    const usual = await bench().open({ tools: [echo, bad] })
    expect(outcomes(await usual.run(calls))).toEqual(['ok', 'execution_failed', 'ok', 'unknown_tool'])
    // Neighbours that only read run side by side; these take turns.
    const inTurn = await bench().open({ tools: [echo, bad], config: { 'tools.allow_parallel': false } })
    expect(outcomes(await inTurn.run(calls))).toEqual(['ok', 'execution_failed', 'ok', 'unknown_tool'])
    const stopping = await bench().open({
      tools: [echo, bad],
      config: { 'tools.on_execution_error': 'stop' },
    })
    const results = await stopping.run(calls)
    expect(outcomes(results)).toEqual(['ok', 'execution_failed', 'skipped', 'skipped'])
    expect(errorOf(results[2])).toMatchObject({ class: 'StateError', state: 'FAILED' })
    const [why] = stopping.why(results[2]?.execution.id ?? '')
    expect(why).toMatchObject({ verdict: 'failed', gate: 'earlier calls' })
  })

  it('a batch that stops asks nobody about what comes after a refused call, whether that waits or not', async () => {
    for (const answer of [['once'], 'later'] as const) {
      const approve = asked(() => answer)
      const runtime = await bench().open({
        approve,
        tools: [echo, writer],
        config: { 'tools.on_execution_error': 'stop' },
      })
      const alone = await runtime.run(batchOf(['nope'], ['writer'], ['echo', { odd: 1 }]))
      expect(outcomes(alone)).toEqual(['unknown_tool', 'skipped', 'skipped'])
      expect(approve.questions).toEqual([])
      const before = await runtime.run(batchOf(['writer'], ['nope'], ['writer'], ['echo']))
      const first = answer === 'later' ? 'approval_required' : 'ok'
      expect(outcomes(before)).toEqual([first, 'unknown_tool', 'skipped', 'skipped'])
      expect(approve.questions).toMatchObject([[{ call: { id: 'c1' } }]])
    }
  })
})

describe('time', () => {
  it('FR-EXE-03: a tool has the time it declares, and else the configured one', async () => {
    const b = bench()
    const config = { 'tools.timeouts.default_seconds': 0.03 }
    const seen: number[] = []
    const hang = (more: object) =>
      reader(
        'hang',
        (_args, { timeoutMs }: CallContext) => {
          seen.push(timeoutMs)
          return never()
        },
        { ...more },
      )
    expect(errorOf(await b.call('hang', {}, { config, tools: [hang({})] })).code).toBe('timeout')
    expect(errorOf(await b.call('hang', {}, { config, tools: [hang(QUICK)] })).code).toBe('timeout')
    expect(seen).toEqual([30, 15])
  })

  it('FR-EXE-03: it is stopped by that time and by no other: not by a shorter default, nor only by a longer one', async () => {
    const slow = reader(
      'slow',
      async () => {
        await new Promise((done) => setTimeout(done, 60))
        return { said: 'done' }
      },
      { limits: { maxExecutionTimeMs: 60_000 } },
    )
    const short = { 'tools.timeouts.default_seconds': 0.01 }
    expect(outputOf(await bench().call('slow', {}, { config: short, tools: [slow] }))).toEqual({
      said: 'done',
    })
    const hang = reader('hang', never, QUICK)
    const long = { 'tools.timeouts.default_seconds': 3000 }
    const error = errorOf(await bench().call('hang', {}, { config: long, tools: [hang] }))
    expect(error).toMatchObject({ code: 'timeout', kind: 'Timeout', details: { timeout_ms: 15 } })
  })

  it('FR-EXE-03: a tool that names a kind of work has the time configured for that kind, and its own time counts, longer or shorter, up to the cap', async () => {
    const config = {
      'tools.timeouts.default_seconds': 20,
      'tools.timeouts.file_operations_seconds': 4,
      'tools.timeouts.shell_commands_seconds': 50,
      'tools.timeouts.max_seconds': 60,
    }
    const given = async (limits: object): Promise<number> => {
      let seen = 0
      const look = reader(
        'look',
        (_args, { timeoutMs }: CallContext) => {
          seen = timeoutMs
          return { said: '' }
        },
        { limits },
      )
      await bench().call('look', {}, { config, tools: [look] })
      return seen
    }
    expect(await given({})).toBe(20_000)
    expect(await given({ timeout: 'file_operations' })).toBe(4000)
    expect(await given({ timeout: 'shell_commands' })).toBe(50_000)
    expect(await given({ timeout: 'file_operations', maxExecutionTimeMs: 1500 })).toBe(1500)
    expect(await given({ timeout: 'file_operations', maxExecutionTimeMs: 9000 })).toBe(9000)
    expect(await given({ timeout: 'file_operations', maxExecutionTimeMs: 90_000_000 })).toBe(60_000)
  })

  it('NFR-REL-02: a tool that never comes back does not keep anybody waiting, and is told to stop', async () => {
    let reason: unknown
    const hang = reader(
      'hang',
      (_args, { signal }) => {
        signal.addEventListener('abort', () => (reason = signal.reason))
        return never()
      },
      QUICK,
    )
    const error = errorOf(await bench().call('hang', {}, { tools: [hang] }))
    expect(error).toMatchObject({
      code: 'timeout',
      kind: 'Timeout',
      class: 'TimeoutError',
      state: 'ROLLED_BACK',
    })
    expect(error.message).toContain('0.015 s')
    expect(reason).toMatchObject({ error: { code: 'timeout' } })
  })

  it('T-TMO-01: a call that ran out of time is an error of its own, and the next one runs', async () => {
    const runtime = await bench().open({ tools: [reader('hang', never, QUICK), echo] })
    expect(outcomes(await runtime.run(batchOf(['hang'], ['echo'])))).toEqual(['timeout', 'ok'])
  })

  it('RULE 5: what a tool does after its time is over reaches nothing', async () => {
    const b = bench()
    let writeLate = (): void => undefined
    const slow = editor(
      'slow',
      (_args, { edits }) => {
        edits.write('early.txt', new Uint8Array([1]))
        writeLate = () => edits.write('late.txt', new Uint8Array([1]))
        return never()
      },
      QUICK,
    )
    const runtime = await b.open({ ...AUTO, tools: [slow] })
    expect(outcomes(await runtime.run(batchOf(['slow'])))).toEqual(['timeout'])
    expect(writeLate).toThrow(/call has ended/)
    expect(['early.txt', 'late.txt'].map((name) => existsSync(join(b.root, name)))).toEqual([false, false])
    expect(waysOf(runtime).get('c1')).toEqual([
      'DECLARED',
      'VALIDATED',
      'AUTHORIZED',
      'EXECUTING',
      'ABORTED',
      'ROLLED_BACK',
    ])
  })
})

describe('cancelling', () => {
  it('FR-EXE-04: the running call is aborted, it and the rest read "Cancelled by user", and all of it is on record', async () => {
    const b = bench()
    const stop = new AbortController()
    let wasTold = false
    const slow = editor('slow', (_args, { signal, edits }) => {
      edits.write('half.txt', new Uint8Array(1))
      signal.addEventListener('abort', () => (wasTold = true))
      setTimeout(() => stop.abort(), 5)
      return never()
    })
    const runtime = await b.open({ ...AUTO, tools: [slow, echo] })
    const results = await runtime.run(batchOf(['echo'], ['slow'], ['echo'], ['nope']), {
      signal: stop.signal,
    })
    expect(outcomes(results)).toEqual(['ok', 'cancelled', 'cancelled', 'unknown_tool'])
    for (const result of results.slice(1, 3)) {
      expect(errorOf(result)).toMatchObject({
        message: 'Cancelled by user',
        kind: 'Cancelled',
        state: 'ROLLED_BACK',
      })
      expect(result.content).toBe('Cancelled by user')
    }
    expect(wasTold).toBe(true)
    expect(existsSync(join(b.root, 'half.txt'))).toBe(false)
    expect([...waysOf(runtime).keys()].toSorted()).toEqual(['c1', 'c2', 'c3', 'c4'])
    expect(waysOf(runtime).get('c3')).toEqual(['DECLARED', 'VALIDATED', 'ABORTED', 'ROLLED_BACK'])
  })

  it.each(['fails', 'returns what it has'])(
    'FR-EXE-04: a tool that %s the moment it is aborted is cancelled, and its edit is dropped',
    async (how) => {
      const b = bench()
      const stop = new AbortController()
      const heeding = editor('heeding', (_args, { signal, edits }) => {
        edits.write('half.txt', new Uint8Array(1))
        setTimeout(() => stop.abort(), 5)
        return new Promise<{ said: string }>((resolve, reject) => {
          signal.addEventListener('abort', () =>
            how === 'fails' ? reject(new Error('aborted')) : resolve({ said: 'half' }),
          )
        })
      })
      const runtime = await b.open({ ...AUTO, tools: [heeding, echo] })
      const results = await runtime.run(batchOf(['heeding'], ['echo']), { signal: stop.signal })
      expect(outcomes(results)).toEqual(['cancelled', 'cancelled'])
      expect(results[0]?.content).toBe('Cancelled by user')
      expect(existsSync(join(b.root, 'half.txt'))).toBe(false)
    },
  )

  it('T-CAN-01: what has finished stays finished, and nothing begins after the cancellation', async () => {
    const b = bench()
    const stop = new AbortController()
    const begun: string[] = []
    const step = editor('step', ({ word = '' }, { edits }) => {
      begun.push(word)
      edits.write(`${word}.txt`, new TextEncoder().encode(word))
      if (word === '2') stop.abort()
      return Promise.resolve({ said: word })
    })
    const runtime = await b.open({ ...AUTO, tools: [step] })
    const calls = batchOf(['step', { word: '1' }], ['step', { word: '2' }], ['step', { word: '3' }])
    const results = await runtime.run(calls, { signal: stop.signal })
    expect(results[0]?.ok).toBe(true)
    expect(outcomes(results).slice(2)).toEqual(['cancelled'])
    expect(begun).toEqual(['1', '2'])
    expect(readFileSync(join(b.root, '1.txt'), 'utf8')).toBe('1')
    // Whether the second call was a little quicker than its cancellation does not matter, as long as the result is true.
    expect(existsSync(join(b.root, '2.txt'))).toBe(results[1]?.ok)
  })

  it('calls that never wait for anything can still be cancelled between two of them, side by side or not', async () => {
    for (const tool of [reader, editor]) {
      const stop = new AbortController()
      const busy = tool('busy', () => {
        setImmediate(() => stop.abort())
        return { said: '' }
      })
      const runtime = await bench().open({ ...AUTO, tools: [busy] })
      const results = await runtime.run(batchOf(['busy'], ['busy'], ['busy']), { signal: stop.signal })
      // Side by side the second has begun by the time the first one speaks.
      const begun = tool === reader ? ['ok', 'ok'] : ['ok', 'cancelled']
      expect(outcomes(results)).toEqual([...begun, 'cancelled'])
    }
  })

  it('NFR-REL-03: a batch that is cancelled before it begins runs nothing, and the next one is not affected', async () => {
    const runtime = await bench().open({ tools: [echo] })
    const results = await runtime.run(batchOf(['echo'], ['echo']), { signal: AbortSignal.abort() })
    expect(outcomes(results)).toEqual(['cancelled', 'cancelled'])
    expect(outcomes(await runtime.run(batchOf(['echo'])))).toEqual(['ok'])
  })
})

describe('tools that break', () => {
  it('FR-EXE-04b: a tool that throws becomes an error of that call alone', async () => {
    const boom = reader('boom', () => {
      throw new TypeError('x is not a function')
    })
    const runtime = await bench().open({ tools: [boom, echo] })
    const results = await runtime.run(batchOf(['boom'], ['echo']))
    expect(errorOf(results[0])).toMatchObject({
      code: 'crashed',
      kind: 'ExecutionFailed',
      state: 'ROLLED_BACK',
    })
    expect(errorOf(results[0]).message).toContain('x is not a function')
    expect(results[1]?.ok).toBe(true)
  })

  it('FR-EXE-04b-2: what fails later is caught as well: rejected promises, those of another realm, and what is thrown after a while', async () => {
    const tools = [
      reader('rejects', () => Promise.reject(new Error('rejected'))),
      reader('foreign', () =>
        runInNewContext('new Promise((_, no) => no(why))', { why: new Error('from another realm') }),
      ),
      reader('later', async () => {
        await new Promise((resolve) => setTimeout(resolve, 1))
        throw new Error('after a while')
      }),
    ]
    const runtime = await bench().open({ tools })
    const results = await runtime.run(batchOf(['rejects'], ['foreign'], ['later']))
    expect(results.map((result) => errorOf(result).message.replace(/^.*: /, ''))).toEqual([
      'rejected',
      'from another realm',
      'after a while',
    ])
  })

  it('FR-EXE-04b-3: what a crash says is made harmless: no control characters, no secrets, not too long', async () => {
    const evil = reader('evil', () => {
      throw new Error(`\u001b]0;owned\u0007\n\u202etxt token=9f8e7d6c5b4a39281706f5e4 ${'x'.repeat(5000)}`)
    })
    const { message, content } = errorOf(await bench().call('evil', {}, { tools: [evil] }))
    for (const text of [message, ...content.split('\n')]) {
      expect(text).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202e]|9f8e7d6c5b4a39281706f5e4/)
      expect(text.length).toBeLessThan(400)
    }
  })
})
