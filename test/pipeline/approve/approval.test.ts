import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { failure } from '../../../src/core/error.ts'
import { bench, errorOf, outputOf } from '../../bench-folder.ts'
import {
  agreeing,
  asked,
  batchOf,
  echo,
  editor,
  outcomes,
  outsider,
  reader,
  writer,
} from '../sample-tools.ts'

const write = (path: string, word = 'w') => ['writer', { path, word }] as const

describe('questions', () => {
  it('T-APR-01: all questions of a mixed batch come at once, before anything of it runs', async () => {
    const happened: string[] = []
    const note = reader('note', ({ word = '' }) => {
      happened.push(word)
      return { said: word }
    })
    const approve = asked((requests) => {
      happened.push(`asked about ${requests.map(({ call }) => call.id).join()}`)
      return requests.map(() => 'once' as const)
    })
    const runtime = await bench().open({ approve, tools: [note, writer] })
    const results = await runtime.run(
      batchOf(['note', { word: '1' }], write('a'), ['note', { word: '3' }], write('b')),
    )
    expect(outcomes(results)).toEqual(['ok', 'ok', 'ok', 'ok'])
    expect(happened).toEqual(['asked about c2,c4', '1', '3'])
  })

  it('T-APR-02: of the calls that were asked about only the selected ones run', async () => {
    const b = bench()
    const approve = asked((requests) => requests.map(({ call }) => (call.id === 'c2' ? 'once' : 'deny')))
    const runtime = await b.open({ approve, tools: [writer] })
    const results = await runtime.run(batchOf(write('a'), write('b'), write('c')))
    expect(outcomes(results)).toEqual(['approval_denied', 'ok', 'approval_denied'])
    expect(['a', 'b', 'c'].map((name) => existsSync(join(b.root, name)))).toEqual([false, true, false])
  })

  it('FR-APR-03: a question names the call, its tool, a summary and one of three risks; answers are all, some or none', async () => {
    const b = bench()
    const tools = (['Low', 'Medium', 'High'] as const).map((risk) =>
      editor(`tool_${risk}`, () => ({ said: '' }), { risk, summary: () => `Does ${risk}` }),
    )
    const approve = asked((requests) => requests.map(() => 'deny' as const))
    const runtime = await b.open({ approve, tools })
    const calls = batchOf(['tool_Low'], ['tool_Medium'], ['tool_High'])
    expect(outcomes(await runtime.run(calls))).toEqual([
      'approval_denied',
      'approval_denied',
      'approval_denied',
    ])
    expect(
      approve.questions[0]?.map(({ call, summary, risk }) => [call.id, call.name, summary, risk]),
    ).toEqual([
      ['c1', 'tool_Low', 'Does Low', 'Low'],
      ['c2', 'tool_Medium', 'Does Medium', 'Medium'],
      ['c3', 'tool_High', 'Does High', 'High'],
    ])
    const all = await b.open({ approve: agreeing(), tools })
    expect(outcomes(await all.run(calls))).toEqual(['ok', 'ok', 'ok'])
  })

  it('FR-APR-01: a summary is made of the parsed arguments, without secrets, in one line of at most 200 characters', async () => {
    const approve = agreeing()
    const seen: unknown[] = []
    const talker = editor('talker', () => ({ said: '' }), {
      summary: (args: { readonly word: string }) => {
        seen.push(args)
        return args.word
      },
    })
    const word = `Run\n\u001b[31mcurl\u202e${' '.repeat(300)}password=ghp_aB3dE6gH9jK2mN5paB3d ${'x'.repeat(300)} at the end`
    await bench().call('talker', { word, request_heartbeat: true }, { approve, tools: [talker] })
    const summary = approve.questions[0]?.[0]?.summary ?? ''
    // Drawn for the question, and again to compare what runs with it.
    expect(seen).toEqual([{ word }, { word }])
    expect(summary.length).toBeLessThanOrEqual(200)
    expect(summary).toMatch(
      /^Run⏎\\u\{1B\}\[31mcurl\\u\{202E\}⟨300 blanks⟩password=\[redacted: GitHub token, 24 characters\] x+…x+ at the end$/,
    )
  })

  it('FR-APR-06: the summary is asked for after the schema, and one that fails settles the call without a question', async () => {
    const approve = agreeing()
    let summaries = 0
    const bad = editor('bad', () => ({ said: '' }), {
      summary: () => {
        summaries++
        throw failure('bad_args', 'cannot say what this does')
      },
    })
    const runtime = await bench().open({ approve, tools: [bad, writer] })
    const results = await runtime.run(batchOf(['bad', { word: 5 }], ['bad'], write('a')))
    expect(outcomes(results)).toEqual(['bad_args', 'bad_args', 'ok'])
    expect(summaries).toBe(1)
    expect(approve.questions.flat().map(({ call }) => call.id)).toEqual(['c3'])
  })

  it.for([
    ['write_file', { path: 'new.txt', content: 'hello\n' }, '+hello'],
    ['apply_patch', { patch: 'LP1\nF a.txt\nR\ngreen\n.\nteal\n.\nEND\n' }, '-green\n+teal'],
    ['edit_file', { path: 'a.txt', old: 'green', new: 'teal' }, '-green\n+teal'],
    ['edit_region', { path: 'a.txt', start_line: 2, end_line: 2, new_content: 'teal\n' }, '-green\n+teal'],
  ] as const)(
    'F-SAFE-APPROVE: %s shows what it would change, and changes it only after a yes',
    async ([name, args, change]) => {
      const b = bench({ 'a.txt': 'red\ngreen\nblue\n' })
      const before = readFileSync(join(b.root, 'a.txt'), 'utf8')
      const approve = asked((requests) => {
        expect(readFileSync(join(b.root, 'a.txt'), 'utf8')).toBe(before)
        expect(existsSync(join(b.root, 'new.txt'))).toBe(false)
        return requests.map(() => 'once' as const)
      })
      const runtime = await b.open({ approve })
      await runtime.run([{ id: 'r', name: 'read_file', args: { path: 'a.txt' } }])
      const [result] = await runtime.run([{ id: 'c', name, args }])
      outputOf(result)
      expect(approve.questions[0]?.[0]?.diff).toContain(change)
    },
  )

  it('NFR-WR-SEC-02: write_file goes by the policy: asked about, refused, or let through', async () => {
    const b = bench()
    const run = async (config: object, approve = agreeing()) => {
      const result = await b.call(
        'write_file',
        { path: 'w', content: 'w' },
        { config: { ...config }, approve },
      )
      return [approve.questions.length, outcomes([result])[0]]
    }
    const no = asked((requests) => requests.map(() => 'deny' as const))
    expect(await run({}, no)).toEqual([1, 'approval_denied'])
    expect(await run({ 'tools.approval.mode': 'deny' })).toEqual([0, 'not_allowed'])
    expect(existsSync(join(b.root, 'w'))).toBe(false)
    expect(await run({ 'tools.approval.allowlist': ['write_file'] })).toEqual([0, 'ok'])
  })
})

describe('answers', () => {
  it('words of a denial reach the model', async () => {
    const approve = asked(() => [{ answer: 'deny', say: 'use b.txt' }])
    const error = errorOf(await bench().call('writer', { path: 'a' }, { approve, tools: [writer] }))
    expect(error).toMatchObject({
      message: 'Denied by the user: use b.txt',
      details: { reason: 'denied', say: 'use b.txt' },
    })
    expect(error.content).toContain('use b.txt')
  })

  it('nobody to ask means no', async () => {
    const error = errorOf(await bench().call('writer', {}, { tools: [writer] }))
    expect(error).toMatchObject({ code: 'approval_denied', details: { reason: 'nobody' }, state: 'DENIED' })
  })

  it.for([
    ['too few answers', []],
    ['too many answers', ['once', 'once']],
    ['no list', 'once'],
    ['nothing', undefined],
    ['null', [null]],
    ['a word nobody knows', ['yes']],
    ['an object nobody knows', [{ answer: 'sure' }]],
    ['a duration that is none', [{ answer: 'duration', seconds: 'ten' }]],
    ['a scope nobody knows', [{ answer: 'scope', scope: { kind: 'everything' } }]],
  ] as const)('an answer that makes no sense means no: %s', async ([, answer]) => {
    const approve = () => answer as never
    const error = errorOf(await bench().call('writer', {}, { approve, tools: [writer] }))
    expect(error).toMatchObject({ code: 'approval_denied', details: { reason: 'unclear' } })
  })

  it('fewer or more answers than questions approve none of them, because it is not certain whose they are', async () => {
    const b = bench()
    for (const answers of [['once'], ['deny', 'once', 'once'], ['once', 'once', 'once']]) {
      const runtime = await b.open({ approve: () => answers as never, tools: [writer] })
      const calls = ['x', 'y'].map((path) => ({ id: path, name: 'writer', args: { path } }))
      const results = await runtime.run(calls, { session: `s${answers.length}${answers[0]}` })
      for (const result of results) expect(errorOf(result).details).toMatchObject({ reason: 'unclear' })
      expect(['x', 'y'].map((path) => existsSync(join(b.root, path)))).toEqual([false, false])
      await runtime.close()
    }
  })

  it('a denial with odd words is a denial without words', async () => {
    const approve = () => [{ answer: 'deny', say: 5 }] as never
    const error = errorOf(await bench().call('writer', {}, { approve, tools: [writer] }))
    expect(error).toMatchObject({ message: 'Denied by the user.', details: { reason: 'denied' } })
  })

  it('whoever answers by throwing has said no', async () => {
    for (const approve of [
      () => {
        throw new Error('broken')
      },
      async () => {
        throw new Error('broken later')
      },
    ]) {
      const error = errorOf(await bench().call('writer', {}, { approve, tools: [writer] }))
      expect(error).toMatchObject({ code: 'approval_denied', details: { reason: 'broken' } })
    }
  })

  it('whoever is asked and stays silent for too long has said no, and is told so', async () => {
    let ending: unknown
    const approve = (_requests: unknown, { signal, seconds }: { signal: AbortSignal; seconds: number }) =>
      new Promise<never>(() => {
        expect(seconds).toBe(0.02)
        signal.addEventListener('abort', () => (ending = signal.reason))
      })
    const config = { 'tools.permission_timeout_seconds': 0.02 }
    const error = errorOf(await bench().call('writer', {}, { approve, config, tools: [writer] }))
    expect(error).toMatchObject({ code: 'approval_denied', details: { reason: 'silence' } })
    expect(ending).toBe('silence')
  })

  it('cancelling while somebody is asked cancels the whole batch, and nothing runs', async () => {
    const b = bench()
    const stop = new AbortController()
    const approve = () => {
      stop.abort()
      return new Promise<never>(() => undefined)
    }
    const runtime = await b.open({ approve, tools: [writer, echo] })
    const results = await runtime.run(batchOf(['echo'], write('a')), { signal: stop.signal })
    expect(outcomes(results)).toEqual(['cancelled', 'cancelled'])
    expect(existsSync(join(b.root, 'a'))).toBe(false)
  })
})

describe('a batch that is cancelled beforehand', () => {
  it('asks nobody', async () => {
    const approve = agreeing()
    const ping = outsider('ping', () => ({ said: '' }))
    const runtime = await bench().open({ approve, tools: [ping, writer] })
    const results = await runtime.run(batchOf(['ping'], write('a')), { signal: AbortSignal.abort() })
    expect(outcomes(results)).toEqual(['cancelled', 'cancelled'])
    expect(approve.questions).toEqual([])
  })
})
