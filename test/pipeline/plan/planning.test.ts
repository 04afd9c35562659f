import { describe, expect, it } from 'vitest'
import { MAX_BATCH_CALLS } from '../../../src/config/keys/loop-keys.ts'
import { builtInTools } from '../../../src/tools/built-in.ts'
import { bench, errorOf, outputOf } from '../../bench-folder.ts'
import { agreeing, asked, batchOf, echo, editor, outcomes, reader, writer } from '../sample-tools.ts'

const LIMIT = 262_144

/** Arguments whose JSON has exactly so many bytes. */
function argsOf(bytes: number): { readonly word: string } {
  return { word: 'x'.repeat(bytes - '{"word":""}'.length) }
}

describe('limits', () => {
  it('FR-LIM-01: strict takes eight calls from a batch and refuses the ninth', async () => {
    const runtime = await bench().open({ profile: 'strict', tools: [echo] })
    const run = async (count: number) =>
      outcomes(await runtime.run(batchOf(...Array.from({ length: count }, () => ['echo'] as const))))
    expect(await run(8)).toEqual(Array.from({ length: 8 }, () => 'ok'))
    expect(await run(9)).toEqual([...Array.from({ length: 8 }, () => 'ok'), 'limit_exceeded'])
  })

  it('T-LIM-01: every call beyond the limit is refused by itself, with the limit and what to do', async () => {
    const runtime = await bench().open({ tools: [echo], config: { 'tools.max_tool_calls_per_batch': 2 } })
    const results = await runtime.run(batchOf(['echo'], ['echo'], ['echo'], ['echo']))
    expect(outcomes(results)).toEqual(['ok', 'ok', 'limit_exceeded', 'limit_exceeded'])
    expect(errorOf(results[3])).toMatchObject({
      kind: 'SandboxViolation',
      class: 'ValidationError',
      state: 'FAILED',
      details: { reason: 'LimitsExceeded', limit: 2, position: 4 },
    })
    expect(errorOf(results[3]).message).toMatch(/max_tool_calls_per_batch is 2.*further batch/)
  })

  it('a batch longer than any may be is rejected as a whole, and nothing of it is on record', async () => {
    const runtime = await bench().open({ tools: [echo], durability: 'memory' })
    const calls = batchOf(...Array.from({ length: MAX_BATCH_CALLS + 1 }, () => ['echo'] as const))
    await expect(runtime.run(calls)).rejects.toMatchObject({
      error: { code: 'limit_exceeded', details: { limit: MAX_BATCH_CALLS, calls: MAX_BATCH_CALLS + 1 } },
    })
    expect([...runtime.log()]).toEqual([])
    expect(await runtime.run(calls.slice(1))).toHaveLength(MAX_BATCH_CALLS)
  })

  it('FR-LIM-03: arguments of 256 KB pass, one byte more does not, and the bytes are those of UTF-8', async () => {
    const b = bench()
    const swallow = { profile: 'strict', tools: [reader('swallow', () => ({ said: '' }))] } as const
    outputOf(await b.call('swallow', argsOf(LIMIT), swallow))
    const error = errorOf(await b.call('swallow', argsOf(LIMIT + 1), swallow))
    expect(error).toMatchObject({ code: 'limit_exceeded', details: { bytes: LIMIT + 1, limit: LIMIT } })
    const wide = { word: 'ä'.repeat(LIMIT / 2) }
    expect(errorOf(await b.call('swallow', wide, swallow)).code).toBe('limit_exceeded')
  })

  it('what was measured is on record: an argument with a limit of its own apart from the others', async () => {
    const runtime = await bench({ 'a.txt': 'a\n' }).open()
    const [patched] = await runtime.run(batchOf(['apply_patch', { patch: 'x'.repeat(300_000) }]))
    const limit = (execution = '') =>
      runtime.why(execution)[0]?.gates.find(({ gate }) => gate === 'argument limit')
    expect(limit(patched?.execution.id)).toMatchObject({
      fact: 'patch of 300000 bytes, at most 524288; other arguments of 2 bytes, at most 262144',
      verdict: 'pass',
    })
    const [read] = await runtime.run(batchOf(['read_file', { path: 'a.txt' }]))
    expect(limit(read?.execution.id)?.fact).toBe('arguments of 16 bytes, at most 262144')
    const bad = JSON.parse('{"path":"a.txt","__proto__":1}') as object
    const [unread] = await runtime.run(batchOf(['read_file', bad]))
    expect(limit(unread?.execution.id)?.fact).toBe('arguments that cannot be read are not measured')
  })

  it('FR-LIM-06: a call over a limit is refused with a clear message, and the others still run', async () => {
    const runtime = await bench().open({ tools: [echo] })
    const results = await runtime.run(batchOf(['echo'], ['echo', argsOf(LIMIT + 1)], ['echo']))
    expect(outcomes(results)).toEqual(['ok', 'limit_exceeded', 'ok'])
    expect(errorOf(results[1]).message).toMatch(/262145 bytes.*max_tool_args_bytes allows 262144/)
  })

  it('arguments nested deeper than is configured are refused, one level less is not', async () => {
    const tool = reader('nest', () => ({ said: '' }), { input: { type: 'object' } })
    const config = { 'tools.max_tool_args_depth': 2 }
    const b = bench()
    outputOf(await b.call('nest', { a: { b: 1 } }, { config, tools: [tool] }))
    const error = errorOf(await b.call('nest', { a: { b: {} } }, { config, tools: [tool] }))
    expect(error).toMatchObject({ code: 'bad_args', state: 'FAILED' })
    expect(error.message).toContain('deeper than 2 levels at args.a.b')
  })

  it('a patch and a content have limits of their own, and do not count as arguments', async () => {
    const b = bench()
    const config = { 'tools.approval.mode': 'auto', 'tools.max_tool_args_bytes': 100 }
    const write = (bytes: number) =>
      b.call('write_file', { path: 'a', content: 'x'.repeat(bytes) }, { config })
    outputOf(await write(524_288))
    expect(errorOf(await write(524_289))).toMatchObject({ code: 'limit_exceeded', state: 'FAILED' })
  })
})

describe('before anybody is asked', () => {
  it('FR-VAL-02: existence, schema, limits and sandbox are checked first, and what fails is no question', async () => {
    const approve = agreeing()
    const runtime = await bench().open({ approve, tools: [writer] })
    const results = await runtime.run([
      { id: '1', name: 'nope', args: {} },
      { id: '2', name: 'writer', args: { word: 5 } },
      { id: '3', name: 'writer', args: argsOf(LIMIT + 1) },
      { id: '4', name: 'writer', args: { path: '../x', word: '' } },
      { id: '5', name: 'writer', args: { path: 'k.pem', word: '' } },
      { id: '6', name: 'writer', args: { path: 'fine', word: '' } },
    ])
    expect(outcomes(results)).toEqual([
      'unknown_tool',
      'bad_args',
      'limit_exceeded',
      'path_outside_sandbox',
      'denied_pattern',
      'ok',
    ])
    expect(approve.questions.map((group) => group.map(({ call }) => call.id))).toEqual([['6']])
  })

  it('FR-VAL-02a: every call that carries a duplicate id is refused, and none of them runs', async () => {
    const ran: string[] = []
    const note = reader('note', ({ word = '' }) => {
      ran.push(word)
      return { said: word }
    })
    const runtime = await bench().open({ tools: [note] })
    const results = await runtime.run([
      { id: 'a', name: 'note', args: { word: '1' } },
      { id: 'b', name: 'note', args: { word: '2' } },
      { id: 'a', name: 'note', args: { word: '3' } },
    ])
    expect(outcomes(results)).toEqual(['duplicate_tool_call_id', 'ok', 'duplicate_tool_call_id'])
    expect(ran).toEqual(['2'])
    const again = await runtime.run([{ id: 'a', name: 'note', args: { word: '4' } }])
    expect(outcomes(again)).toEqual(['ok'])
    expect(ran).toEqual(['2', '4'])
  })

  it('T-VAL-01: an unknown tool is refused with what was meant, and nobody is asked', async () => {
    const approve = agreeing()
    const error = errorOf(await bench().call('raed_file', { path: 'a' }, { approve }))
    expect(error).toMatchObject({ code: 'unknown_tool', kind: 'UnknownTool', state: 'FAILED' })
    expect(error.message).toContain('Did you mean read_file?')
    expect(approve.questions).toEqual([])
  })

  it('T-VAL-02: arguments that do not fit are refused, the tool is not entered and nobody is asked', async () => {
    let entered = 0
    const count = editor('count', () => {
      entered++
      return { said: '' }
    })
    const approve = agreeing()
    const error = errorOf(await bench().call('count', { word: 5 }, { approve, tools: [count] }))
    expect(error).toMatchObject({ code: 'bad_args', state: 'FAILED' })
    expect(entered).toBe(0)
    expect(approve.questions).toEqual([])
  })

  it('FR-APR-02: a batch is sorted into what runs, what is asked about and what is refused', async () => {
    const approve = asked(() => 'later')
    const runtime = await bench().open({ approve, tools: [echo, writer] })
    const results = await runtime.run(batchOf(['echo'], ['writer'], ['nope']))
    expect(outcomes(results)).toEqual(['approval_required', 'approval_required', 'unknown_tool'])
    const approvals = results.map((result) => (result.ok ? '' : result.error.details['approval']))
    expect(approvals).toEqual([null, approve.questions[0]?.[0]?.id, undefined])
  })
})

describe('the policy holds for every built-in tool', () => {
  const named = builtInTools.map(({ name }) => name)

  it.for([
    ['read_file', (path: string) => ({ path })],
    ['write_file', (path: string) => ({ path, content: '' })],
    ['apply_patch', (path: string) => ({ patch: `LP1\nF ${path}\nT\nx\n.\nEND\n` })],
    ['edit_file', (path: string) => ({ path, old: 'a', new: 'b' })],
    ['edit_region', (path: string) => ({ path, start_line: 1, end_line: 1, new_content: 'b' })],
    ['delete_path', (path: string) => ({ path })],
  ] as const)(
    'R-CHK-INT-5: %s gets neither out of the root nor at a secret, and nobody is asked',
    async ([name, argsFor]) => {
      const b = bench({ 'a.txt': 'a', 'k.pem': 'secret' })
      const approve = agreeing()
      const run = async (path: string) => outcomes([await b.call(name, argsFor(path), { approve })])
      expect(await run('../out')).toEqual(['path_outside_sandbox'])
      expect(await run('k.pem')).toEqual(['denied_pattern'])
      expect(await run('/etc/passwd')).toEqual(['path_outside_sandbox'])
      expect(approve.questions).toEqual([])
    },
  )

  it('FR-LD-DEF-05: list_directory obeys the switch, the denylist and mode deny like every other tool', async () => {
    const b = bench({ 'a.txt': 'a' })
    const list = (config: object) => b.call('list_directory', { path: '.' }, { config: { ...config } })
    outputOf(await list({}))
    expect(outcomes([await list({ 'tools.mode': 'disabled' })])).toEqual(['disabled'])
    expect(outcomes([await list({ 'tools.approval.denylist': ['list_directory'] })])).toEqual(['denylisted'])
    expect(outcomes([await list({ 'tools.approval.mode': 'deny' })])).toEqual(['not_allowed'])
    const listed = { 'tools.approval.mode': 'deny', 'tools.approval.allowlist': ['list_directory'] }
    outputOf(await list(listed))
    expect(errorOf(await b.call('list_directory', { path: '..' }, { config: listed })).code).toBe(
      'path_outside_sandbox',
    )
  })

  it('a tool that is denied is denied before its arguments are looked at', async () => {
    for (const name of named) {
      const config = { 'tools.approval.denylist': [name] }
      expect([name, outcomes([await bench().call(name, { odd: 1 }, { config })])[0]]).toEqual([
        name,
        'denylisted',
      ])
    }
  })
})
