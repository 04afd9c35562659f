import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { failure } from '../../src/core/error.ts'
import { canMove } from '../../src/core/lifecycle.ts'
import { array, integer, object } from '../../src/schema/schema.ts'
import type { CallContext } from '../../src/core/tool.ts'
import { bench, errorOf, outputOf } from '../bench-folder.ts'
import { simpleTool } from '../harness/simple-tool.ts'
import { PAIR_SCHEMA } from '../schema/pair-schema.ts'
import { roundsOf } from '../harness/long-run.ts'

const failing = (message: string) => ({
  tools: [
    simpleTool('f', () => {
      throw failure('execution_failed', message)
    }),
  ],
})

const echo = simpleTool('echo', ({ word }) => ({ said: word ?? '' }), {
  present: { text: (output: { said: string }) => output.said, mayTruncate: true },
})

describe('one result for every call', () => {
  it('results come in call order, whatever happened to each call', async () => {
    const b = bench()
    const runtime = await b.open({
      tools: [
        echo,
        simpleTool('throws', () => {
          throw new Error('boom')
        }),
        simpleTool('rejects', async () => {
          throw new Error('later')
        }),
        simpleTool('refuses', () => {
          throw failure('execution_failed', 'cannot')
        }),
        simpleTool('lies', () => ({ said: 7 })),
        simpleTool('mumbles', () => 'text'),
      ],
    })
    const names = ['echo', 'throws', 'nope', 'rejects', 'refuses', 'lies', 'mumbles', 'echo']
    const results = await runtime.run(names.map((name, index) => ({ id: `c${index}`, name, args: {} })))
    expect(results.map(({ id }) => id)).toEqual(names.map((_, index) => `c${index}`))
    expect(results.map((result) => (result.ok ? 'ok' : result.error.code))).toEqual([
      'ok',
      'crashed',
      'unknown_tool',
      'crashed',
      'execution_failed',
      'output_invalid',
      'output_invalid',
      'ok',
    ])
  })

  it('any mix of outcomes gives one result per call, in order, over legal moves', async () => {
    const b = bench()
    const kinds = ['echo', 'throws', 'nope', 'refuses', 'lies'] as const
    const runtime = await b.open({
      tools: [
        echo,
        simpleTool('throws', () => {
          throw new Error('boom')
        }),
        simpleTool('refuses', async () => {
          throw failure('execution_failed', 'no')
        }),
        simpleTool('lies', () => null),
      ],
    })
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom(...kinds), { maxLength: 12 }),
        fc.boolean(),
        async (names, isCancelled) => {
          const stop = new AbortController()
          if (isCancelled) stop.abort()
          const states = new Map<string, string[]>()
          const results = await runtime.run(
            names.map((name, index) => ({ id: String(index), name, args: {} })),
            {
              signal: stop.signal,
              onEvent: (event) => {
                if (event.event === 'state')
                  states.set(event.execution, [...(states.get(event.execution) ?? []), event.state])
              },
            },
          )
          expect(results.map(({ id, name }) => [id, name])).toEqual(
            names.map((name, index) => [String(index), name]),
          )
          for (const { execution } of results) {
            const [first, ...rest] = states.get(execution.id) ?? []
            expect(first).toBe('DECLARED')
            let now = first
            for (const next of rest) {
              expect(canMove(now as never, next as never)).toBe(true)
              now = next
            }
          }
        },
      ),
      { numRuns: roundsOf(40, 200) },
    )
  })

  it('R-CHK-TOOL-10: nothing a tool throws gets out, however odd', async () => {
    const b = bench()
    const odd: readonly unknown[] = [
      undefined,
      null,
      7,
      Symbol('s'),
      {
        toString() {
          throw new Error('no')
        },
      },
      new Proxy(
        {},
        {
          get() {
            throw new Error('trap')
          },
        },
      ),
    ]
    for (const thing of odd) {
      const result = await b.call(
        'odd',
        {},
        {
          tools: [
            simpleTool('odd', () => {
              throw thing
            }),
          ],
        },
      )
      expect(errorOf(result)).toMatchObject({
        code: 'crashed',
        state: 'ROLLED_BACK',
        class: 'ExecutionError',
      })
    }
  })

  it('the words of a crash are made harmless before they are shown', async () => {
    const b = bench()
    const result = await b.call(
      'evil',
      {},
      {
        tools: [
          simpleTool('evil', () => {
            throw new Error('\u001b]0;owned\u0007\n\u202Etxt password=hunter22')
          }),
        ],
      },
    )
    const { message } = errorOf(result)
    expect(message).not.toMatch(/[\u0000-\u001f\u202e]/)
    expect(message).not.toContain('hunter22')
  })
})

describe('arguments', () => {
  it('FR-VAL-01: arguments that do not fit end the call, and the tool is never entered', async () => {
    let entered = 0
    const counting = simpleTool('counting', () => {
      entered++
      return { said: '' }
    })
    const b = bench()
    const error = errorOf(await b.call('counting', { word: 5 }, { tools: [counting] }))
    expect(error).toMatchObject({ code: 'bad_args', kind: 'BadArgs', state: 'FAILED' })
    expect(entered).toBe(0)
  })

  it('R-T-001, R-CHK-RT-1: input is checked before the tool, its claims or its summary see it', async () => {
    const seen: string[] = []
    const spy = simpleTool(
      'spy',
      () => {
        seen.push('run')
        return { said: '' }
      },
      {
        claims: () => {
          seen.push('claims')
          return []
        },
        summary: () => {
          seen.push('summary')
          return ''
        },
        effectOf: () => {
          seen.push('effect')
          return 'read'
        },
      },
    )
    const b = bench()
    errorOf(await b.call('spy', { wrod: 'x' }, { tools: [spy] }))
    expect(seen).toEqual([])
  })

  it('RULE 1: what the schema forbids is refused, and what it allows passes', async () => {
    const b = bench()
    expect(outputOf(await b.call('echo', { word: 'hi' }, { tools: [echo] }))).toEqual({ said: 'hi' })
    expect(errorOf(await b.call('echo', { word: null }, { tools: [echo] })).code).toBe('bad_args')
  })

  it('R-CONTRACT-1: a tool receives exactly the arguments that fit', async () => {
    let received: unknown
    const b = bench()
    await b.call(
      'keep',
      { word: 'x' },
      {
        tools: [
          simpleTool('keep', (args) => {
            received = args
            return { said: '' }
          }),
        ],
      },
    )
    expect(received).toEqual({ word: 'x' })
  })

  it('R-IN-3: the message says what is wrong, where, and what was meant', async () => {
    const b = bench()
    expect(errorOf(await b.call('echo', { wrod: 'x' }, { tools: [echo] })).message).toMatch(
      /unknown property "wrod".*did you mean "word"/,
    )
    expect(errorOf(await b.call('echo', { word: 5 }, { tools: [echo] })).message).toMatch(
      /args\.word must be string, not number/,
    )
    expect(errorOf(await b.call('read_file', {})).message).toMatch(/args needs "path"/)
  })

  it('R-IN-5: nested structures are checked to the bottom', async () => {
    const nested = simpleTool('nested', () => ({ said: '' }), {
      input: object(
        { list: array(object({ n: integer('A number', { minimum: 1 }) }, 'One'), 'Many') },
        'Arguments',
      ),
    })
    const b = bench()
    const error = errorOf(
      await b.call('nested', { list: [{ n: 1 }, { n: 0, extra: 1 }] }, { tools: [nested] }),
    )
    expect(error.message).toMatch(/args\.list\[1\]\.n must be >= 1/)
    expect(error.message).toMatch(/args\.list\[1\] has the unknown property "extra"/)
  })

  it('R-IN-2, SRD/D-02, FR-VAL-01a: schemas are read as Draft 2020-12, where an array has prefixItems', async () => {
    const pair = simpleTool('pair', () => ({ said: '' }), {
      input: {
        $schema: 'https://json-schema.org/draft/2020-12/schema',
        type: 'object',
        properties: {
          pair: PAIR_SCHEMA,
        },
        required: ['pair'],
        additionalProperties: false,
      },
    })
    const b = bench()
    outputOf(await b.call('pair', { pair: ['a', 1] }, { tools: [pair] }))
    errorOf(await b.call('pair', { pair: [1, 'a'] }, { tools: [pair] }))
    errorOf(await b.call('pair', { pair: ['a', 1, 2] }, { tools: [pair] }))
  })

  it.each([
    ['a prototype key', JSON.parse('{"word":"x","__proto__":{"a":1}}')],
    ['an integer beyond 2^53', { word: 'x', n: 2 ** 60 }],
    [
      'a cycle',
      (() => {
        const loop: Record<string, unknown> = {}
        loop['word'] = loop
        return loop
      })(),
    ],
    ['a function', { word: () => 'x' }],
    [
      'nesting without end',
      (() => {
        let deep: unknown = 'x'
        for (let i = 0; i < 5000; i++) deep = [deep]
        return { word: deep }
      })(),
    ],
  ])('R-IN-4: %s is refused, and the refusal is on record', async (_what, args) => {
    const b = bench()
    expect(errorOf(await b.call('echo', args, { tools: [echo] }))).toMatchObject({
      code: 'bad_args',
      state: 'FAILED',
    })
  })

  it('FR-REG-02, NFR-MAIN-02: the summary, the claims and the run see one and the same parsed arguments', async () => {
    const seen: unknown[] = []
    const keep = simpleTool(
      'keep',
      (args) => {
        seen.push(args)
        return { said: '' }
      },
      {
        claims: (args: unknown) => {
          seen.push(args)
          return []
        },
        effectOf: (args: unknown) => {
          seen.push(args)
          return 'read'
        },
      },
    )
    const b = bench()
    await b.call('keep', { word: 'x', request_heartbeat: true }, { tools: [keep] })
    expect(seen.length).toBeGreaterThan(2)
    expect(new Set(seen).size).toBe(1)
    expect(seen[0]).toEqual({ word: 'x' })
  })

  it('FR-REG-01a: judging a call does not run it, and its summary reads nothing', async () => {
    const { readFile } = await import('../../src/tools/read-file.ts')
    expect(readFile.summary({ path: '/nowhere/at/all' })).toBe('Read /nowhere/at/all')
    expect(readFile.summary({ path: 'a', start_line: 2 })).toBe('Read a [lines 2-end]')
    const used: string[] = []
    const watched = simpleTool(
      'watched',
      () => {
        used.push('run')
        return { said: '' }
      },
      {
        summary: ({ word = '' }: { word?: string }) => {
          used.push(`summary of ${word}`)
          return `Say ${word}`
        },
        effect: 'external',
      },
    )
    const runtime = await bench().open({ tools: [watched] })
    const [judged] = await runtime.policy.check([{ id: 'c1', name: 'watched', args: { word: 'x' } }])
    expect(judged).toMatchObject({ name: 'watched' })
    const asked: string[] = []
    const waiting = await bench().open({
      tools: [watched],
      approve: (requests) => {
        asked.push(...requests.map(({ summary }) => summary))
        return 'later'
      },
    })
    await waiting.run([{ id: 'c1', name: 'watched', args: { word: 'x' } }])
    expect(asked).toEqual(['Say x'])
    expect(used).toContain('summary of x')
    expect(used).not.toContain('run')
  })
})

describe('results', () => {
  it('RULE 9, R-OUT-1: a result is checked after the tool has run', async () => {
    let ran = false
    const b = bench()
    const error = errorOf(
      await b.call(
        'lies',
        {},
        {
          tools: [
            simpleTool('lies', () => {
              ran = true
              return { said: 5 }
            }),
          ],
        },
      ),
    )
    expect(ran).toBe(true)
    expect(error).toMatchObject({ code: 'output_invalid', class: 'ValidationError', state: 'ROLLED_BACK' })
    expect(error.message).toMatch(/result\.said must be string, not number/)
  })

  it('R-CHK-RT-4: a tool cannot answer with nothing', async () => {
    const b = bench()
    for (const nothing of [undefined, null, [], 'x']) {
      expect(errorOf(await b.call('none', {}, { tools: [simpleTool('none', () => nothing)] })).code).toBe(
        'output_invalid',
      )
    }
  })

  it('R-OUT-5: a property too many makes a result invalid', async () => {
    const b = bench()
    expect(
      errorOf(await b.call('more', {}, { tools: [simpleTool('more', () => ({ said: '', extra: 1 }))] }))
        .message,
    ).toContain('extra')
  })

  it('R-OUT-4, R-OUT-2: nested results are checked to the bottom, as Draft 2020-12', async () => {
    const output = object({ list: array(object({ n: integer('A number') }, 'One'), 'Many') }, 'Result')
    const b = bench()
    expect(
      errorOf(
        await b.call(
          'deep',
          {},
          { tools: [simpleTool('deep', () => ({ list: [{ n: 1 }, { n: 'x' }] }), { output })] },
        ),
      ).message,
    ).toContain('result.list[1].n')
  })

  it('R-CONTRACT-2: a result that fits is handed on unchanged', async () => {
    const b = bench()
    expect(outputOf(await b.call('echo', { word: 'same' }, { tools: [echo] }))).toEqual({ said: 'same' })
  })

  it('FR-ERR-JSON-TOOL-01: a failure message that is a JSON object goes through verbatim, any other gets a prefix', async () => {
    const b = bench()
    const json = '{ "why": "because",\n "n": 1 }'
    expect(errorOf(await b.call('f', {}, failing(json))).content).toBe(json)
    expect(errorOf(await b.call('f', {}, failing('plain'))).content).toBe('f failed: plain')
    expect(errorOf(await b.call('f', {}, failing('[1]'))).content).toBe('f failed: [1]')
    expect(errorOf(await b.call('f', {}, failing('{broken'))).content).toBe('f failed: {broken')
  })

  it('FR-ERR-JSON-TOOL-02: passed JSON keeps every byte, escape sequences and all; over the limit it is plain text', async () => {
    const b = bench()
    const json = JSON.stringify({ text: '\u001b[31m\u202e', big: 'x'.repeat(100) })
    expect(errorOf(await b.call('f', {}, failing(json))).content).toBe(json)
    const { content } = errorOf(
      await b.call('f', {}, { ...failing(json), config: { tools: { output: { max_bytes: 64 } } } }),
    )
    expect(Buffer.byteLength(content)).toBeLessThanOrEqual(64)
    expect(content).toMatch(/^f failed: /)
    expect(content).toMatch(/\.\.\. \[output truncated\]$/)
  })

  it('FR-OUT-04: an answer is cut to the smaller of the output limit and what the conversation has room for', async () => {
    const b = bench()
    const long = { word: 'y'.repeat(500) }
    const limited = async (max: number, capacity: number) =>
      (
        await b.call('echo', long, {
          tools: [echo],
          config: { tools: { output: { max_bytes: max, capacity_bytes: capacity } } },
        })
      ).content.length
    expect(await limited(200, 300)).toBe(200)
    expect(await limited(300, 200)).toBe(200)
    expect(await limited(500, 0)).toBe(500)
  })

  it('the room of a conversation shrinks over a batch', async () => {
    const b = bench()
    const runtime = await b.open({ tools: [echo], config: { tools: { output: { capacity_bytes: 250 } } } })
    const results = await runtime.run(
      ['1', '2', '3'].map((id) => ({ id, name: 'echo', args: { word: 'z'.repeat(100) } })),
    )
    expect(results.map(({ content }) => content.length)).toEqual([100, 100, 50])
  })
})

describe('the context of a call', () => {
  it('FR-REG-04: it has the files, a signal, an output channel, limits, the id and the folder', async () => {
    let context: (CallContext & { files?: unknown }) | undefined
    const b = bench()
    const chunks: unknown[] = []
    await b.call(
      'look',
      {},
      {
        tools: [
          simpleTool('look', (_args, given) => {
            context = given
            given.emit('stdout', 'piece')
            return { said: '' }
          }),
        ],
      },
      {
        onEvent: (event) => {
          if (event.event === 'output') chunks.push(event.chunk)
        },
      },
    )
    expect(context).toMatchObject({
      callId: 'c1',
      timeoutMs: 30_000,
      maxOutputBytes: 102_400,
      capacityBytes: null,
      cwd: '.',
      isDryRun: false,
    })
    expect(context?.signal).toBeInstanceOf(AbortSignal)
    expect(context?.files).toBeDefined()
    expect(chunks).toEqual(['piece'])
  })

  it('FR-REG-04a: no two calls share one', async () => {
    const contexts: CallContext[] = []
    const b = bench()
    const runtime = await b.open({
      tools: [
        simpleTool('look', (_args, given) => {
          contexts.push(given)
          return { said: '' }
        }),
      ],
    })
    await runtime.run([
      { id: '1', name: 'look', args: {} },
      { id: '2', name: 'look', args: {} },
    ])
    const [one, two] = contexts
    expect(one).not.toBe(two)
    expect(one?.signal).not.toBe(two?.signal)
    expect([one?.callId, two?.callId]).toEqual(['1', '2'])
  })

  it('CFG-TMO-01a: a tool takes its time from the configured timeout of its kind, and a call may only lower it', async () => {
    const seen: number[] = []
    const b = bench()
    const look = (limits: object) =>
      simpleTool(
        'look',
        (_args, given) => {
          seen.push(given.timeoutMs)
          return { said: '' }
        },
        { limits },
      )
    const config = { tools: { timeouts: { default_seconds: 7, file_operations_seconds: 8 } } }
    await b.call('look', {}, { config, tools: [look({})] })
    await b.call('look', {}, { config, tools: [look({ timeout: 'file_operations' })] })
    for (const timeout of [2, 100]) {
      const runtime = await b.open({ config, tools: [look({})] })
      await runtime.run([{ id: '1', name: 'look', args: {}, meta: { timeout } }])
    }
    expect(seen).toEqual([7000, 8000, 2000, 7000])
  })

  it('a reader is not handed the power to edit', async () => {
    let powers: object = {}
    const b = bench()
    await b.call(
      'look',
      {},
      {
        tools: [
          simpleTool('look', (_args, given) => {
            powers = given
            return { said: '' }
          }),
        ],
      },
    )
    expect(Object.keys(powers)).not.toContain('edits')
  })
})

describe('side by side', () => {
  it('SRD/C-03: neighbouring calls that only read run at the same time when that is allowed, and one by one when not', async () => {
    const b = bench()
    for (const [isAllowed, most] of [
      [true, 3],
      [false, 1],
    ] as const) {
      let running = 0
      let highest = 0
      const all = Promise.withResolvers<void>()
      const slow = simpleTool('slow', async () => {
        running++
        highest = Math.max(highest, running)
        if (running === most) all.resolve()
        await all.promise
        await new Promise((resolve) => setTimeout(resolve, 5))
        running--
        return { said: '' }
      })
      const runtime = await b.open({ tools: [slow], config: { tools: { allow_parallel: isAllowed } } })
      await runtime.run(['1', '2', '3'].map((id) => ({ id, name: 'slow', args: {} })))
      expect(highest).toBe(most)
    }
  })
})

describe('deprecated tools', () => {
  it('R-DEP-3: using one warns, and the warning is recorded with the result', async () => {
    const b = bench()
    const old = simpleTool('old', () => ({ said: '' }), {
      deprecated: { since: '1.1.0', use: 'echo', removedIn: '2.0.0' },
    })
    const result = await b.call('old', {}, { tools: [old] })
    expect(result.warnings).toEqual([
      'old is deprecated since 1.1.0 and will be removed in 2.0.0; use echo instead.',
    ])
  })
})
