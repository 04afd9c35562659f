import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { ApprovalRequest } from '../../../src/core/approval.ts'
import { parseJson } from '../../../src/core/json/value.ts'
import { putRight } from '../../../src/pipeline/parse/put-right.ts'
import type { RunOptions, RuntimeOptions } from '../../../src/runtime/create-runtime.ts'
import { builtInTools } from '../../../src/tools/built-in.ts'
import { bench, errorOf, outputOf } from '../../bench-folder.ts'

const model: RunOptions = { origin: 'model' }
const agreed: Partial<RuntimeOptions> = { approve: (requests) => requests.map(() => 'once' as const) }
const FILES = { 'a.txt': 'one\ntwo\nthree\n', 'src/b.ts': 'let one\n' }

describe('slips of a model', () => {
  it.each([
    [
      'read_file',
      { path: 'a.txt', start_line: '2', end_line: '2' },
      /^two\n\n\[note: end_line was text and taken as a number\]\n\[note: start_line was text/,
    ],
    ['read_file', { file_path: 'a.txt' }, /\n\[note: file_path was taken as path\]$/],
    [
      'read_file',
      { path: 'a.txt', start_line: null },
      /^one\n.*\[note: start_line was null and left out\]$/s,
    ],
    [
      'glob',
      { pattern: '*.txt' },
      /^a\.txt\n\[note: pattern was taken as patterns\]\n\[note: patterns was one text/,
    ],
    [
      'glob',
      { patterns: '["*.txt", "src/*"]' },
      /^a\.txt\nsrc\/b\.ts\n\[note: patterns was a list in a text\]$/,
    ],
    ['search', { pattern: 'one', path: 'src', case_sensitive: 'True' }, /^src\/b\.ts\n1: let one\n\[note/],
    ['list_files', { path: 'src', max_depth: '1' }, /^src\/b\.ts\n\[note/],
    [
      'run_shell',
      { command: 'echo "a b" c' },
      /^a b c\n\[note: command was taken as cmd\]\n\[note: cmd was split into words: \["echo","a b","c"\]\]$/,
    ],
    [
      'run_shell',
      { cmd: 'echo a | tr a b' },
      /^b\n\[note: cmd uses a shell, so it became \["sh","-c","echo a \| tr a b"\]\]$/,
    ],
    ['run_shell', { cmd: 'echo $((1+1))' }, /^2\n\[note: cmd uses a shell/],
    ['run_shell', { cmd: '["echo", "x"]' }, /^x\n\[note: cmd was a list in a text\]$/],
  ])('are put right, with a note: %s %j', async (name, args, content) => {
    const result = await bench(FILES).call(name, args, agreed, model)
    expect(result.ok, result.content).toBe(true)
    expect(result.content).toMatch(content)
  })

  it('in an edit too: names, booleans, nested numbers', async () => {
    const b = bench(FILES)
    const runtime = await b.open(agreed)
    const results = await runtime.run(
      [
        { id: '1', name: 'read_file', args: { path: 'a.txt' } },
        {
          id: '2',
          name: 'edit_file',
          args: { file_path: 'a.txt', old_string: 'o', new_string: '0', replace_all: 'true' },
        },
        {
          id: '3',
          name: 'multi_edit',
          args: { edits: [{ path: 'a.txt', start_line: '3', end_line: '3', new_content: '3' }] },
        },
      ],
      model,
    )
    expect(results.map(({ ok }) => ok)).toEqual([true, true, true])
    expect((await b.call('read_file', { path: 'a.txt' })).content).toBe('0ne\ntw0\n3\n')
  })

  it('leave on record what was received, and its hash', async () => {
    const b = bench(FILES)
    const runtime = await b.open(agreed)
    const raw = { file_path: 'a.txt', start_line: '1' }
    await runtime.run([{ id: '1', name: 'read_file', args: raw }], { ...model, session: 's' })
    const entries = [...runtime.log({ session: 's' })].map(({ entry }) => entry)
    const batch = entries.find((entry) => entry.kind === 'batch')
    const [call] = batch?.kind === 'batch' ? batch.calls : []
    expect(call).toBeDefined()
    const [first] = await runtime.run([{ id: '1', name: 'read_file', args: raw }], { ...model, session: 's' })
    expect(first?.ok).toBe(true)
    const exact = await runtime.run([{ id: '1', name: 'read_file', args: raw }], { session: 's' })
    const last = [...runtime.log({ session: 's' })]
      .map(({ entry }) => entry)
      .findLast(({ kind }) => kind === 'batch')
    expect(errorOf(exact[0]).code).toBe('bad_args')
    expect(last?.kind === 'batch' ? last.calls[0]?.args : null).toBe(call?.args)
  })

  it('are asked about as what they became', async () => {
    const asked: ApprovalRequest[] = []
    const approve: RuntimeOptions['approve'] = (requests) => {
      asked.push(...requests)
      return requests.map(() => 'deny' as const)
    }
    const config = { 'tools.shell.ask': 'before' }
    await bench(FILES).call('run_shell', { command: 'rm a.txt && ls' }, { approve, config }, model)
    expect(asked[0]?.call.args).toEqual({ cmd: ['sh', '-c', 'rm a.txt && ls'] })
    expect(asked[0]?.summary).toContain("sh -c 'rm a.txt && ls'")
  })

  it('wait for an answer as what they became', async () => {
    const b = bench(FILES)
    const options = { durability: 'normal' as const, approve: 'later' as const }
    const runtime = await b.open(options)
    const args = { file_path: 'n.txt', contents: 'x\n' }
    const [row] = await runtime.run([{ id: '1', name: 'write_file', args }], { ...model, session: 's' })
    expect(errorOf(row).code).toBe('approval_required')
    const [open] = await runtime.pending({ session: 's' })
    expect(open?.call.args).toEqual({ path: 'n.txt', content: 'x\n' })
  })

  it.each([
    ['both names', 'read_file', { path: 'a.txt', file_path: 'b.txt' }],
    ['a number that is none', 'read_file', { path: 'a.txt', start_line: '2nd' }],
    ['a name nobody uses', 'read_file', { pth: 'a.txt' }],
    ['too many digits', 'read_file', { path: 'a.txt', start_line: '99999999999999999999' }],
  ])('that could mean anything are refused: %s', async (_what, name, args) => {
    expect(errorOf(await bench(FILES).call(name, args, agreed, model)).code).toBe('bad_args')
  })

  it.each<[string, RunOptions, NonNullable<RuntimeOptions['config']>]>([
    ['of a person', {}, {}],
    ['under exact', model, { 'tools.arguments': 'exact' }],
    ['under strict', model, { profile: 'strict', 'tools.mode': 'enabled' }],
  ])('are not put right in calls %s', async (_whose, run, config) => {
    const args = { file_path: 'a.txt' }
    expect(errorOf(await bench(FILES).call('read_file', args, { config }, run)).code).toBe('bad_args')
  })

  it('what fits is never touched', () => {
    for (const { inputSchema, slips } of builtInTools) {
      const empty = putRight({}, inputSchema, slips)
      expect(empty).toEqual({ args: {}, notes: [] })
    }
    const search = builtInTools.find(({ name }) => name === 'search')
    const args = { query: '10', include_paths: ['true'] }
    expect(putRight(args, search?.inputSchema ?? {}, search?.slips ?? {})).toEqual({ args, notes: [] })
  })

  it('names of other agents lead to arguments that exist', () => {
    for (const { name, inputSchema, slips } of builtInTools) {
      const properties = Object.keys(
        (parseJson(JSON.stringify(inputSchema)) as { properties: object }).properties,
      )
      for (const meant of Object.values(slips.names ?? {})) expect(properties, name).toContain(meant)
      for (const slip of Object.keys(slips.names ?? {})) expect(properties, name).not.toContain(slip)
    }
  })
})

describe('a wrong name', () => {
  it.each([
    ['grep', 'search'],
    ['Bash', 'run_shell'],
    ['str_replace', 'edit_file'],
    ['read_fil', 'read_file'],
  ])('of a tool, %s, gets the nearest: %s', async (name, meant) => {
    const error = errorOf(await bench().call(name, {}, agreed, model))
    expect(error.code).toBe('unknown_tool')
    expect(error.message).toContain(`Did you mean ${meant}?`)
  })

  it.each([
    ['b.ts', 'src/b.ts'],
    ['lib/b.ts', 'src/b.ts'],
    ['a.tx', 'a.txt'],
    ['src/c.ts', 'src/b.ts'],
  ])('of a file, %s, gets the nearest: %s', async (path, meant) => {
    const error = errorOf(await bench({ ...FILES, 'k.pem': '' }).call('read_file', { path }))
    expect(error.code).toBe('execution_failed')
    expect(error.content).toContain(`Did you mean ${meant}?`)
  })

  it('of a file gets it however the path is spelled, and in every tool that needs the file', async () => {
    const b = bench(FILES)
    const line = { start_line: 1, end_line: 1, new_content: '' }
    for (const path of ['./lib/b.ts', 'lib//./b.ts', join(b.root, 'lib/b.ts')]) {
      for (const [name, args] of [
        ['read_file', { path }],
        ['outline', { path }],
        ['edit_file', { path, old: 'a', new: 'b' }],
        ['edit_region', { path, ...line }],
        ['multi_edit', { edits: [{ path, ...line }] }],
      ] as const) {
        const error = errorOf(await b.call(name, args, agreed))
        expect(error.content, name).toContain('Did you mean src/b.ts?')
      }
    }
  })

  it('of a denied file is not offered', async () => {
    const error = errorOf(await bench({ 'k.pem': '' }).call('read_file', { path: 'k.pe' }))
    expect(error.content).not.toContain('k.pem')
  })
})

describe('words that only a shell knows', () => {
  it('are explained when the command fails', async () => {
    const b = bench(FILES)
    const piped = await b.call('run_shell', { cmd: ['cat', 'a.txt', '|', 'wc'] }, agreed)
    expect(piped.content).toMatch(
      /no shell reads these words, so \| reached cat as text; .*\["sh", "-c", "…"\]\]$/,
    )
    expect(outputOf(await b.call('run_shell', { cmd: ['echo', '|'] }, agreed))['notes']).toBeUndefined()
    const moved = errorOf(await b.call('run_shell', { cmd: ['cd', 'src'] }, agreed))
    expect(moved.content).toContain('cd is part of a shell, not a program. Give a folder as cwd')
  })
})
