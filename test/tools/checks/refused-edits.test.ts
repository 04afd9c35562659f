import { describe, expect, it } from 'vitest'
import { errorOf, outputOf } from '../../bench-folder.ts'
import { editBench } from '../edits/edit-bench.ts'

const SOUND = '(defun f ()\n  "Doc."\n  (g ?\\())\n'
const BROKEN = '(defun f ()\n  "Doc."\n  (g ?\\()\n'

const agree = (requests: readonly unknown[]) => requests.map(() => 'once' as const)

describe('an edit that breaks the syntax', () => {
  it('F-SAFE-PAREN: Emacs Lisp that does not balance is not saved, and the answer says where', async () => {
    const bench = await editBench({ 'a.el': SOUND })
    await bench.see('a.el')
    const result = await bench.run('write_file', { path: 'a.el', content: BROKEN })
    const error = errorOf(result)
    expect(error).toMatchObject({
      code: 'bad_args',
      type: 'validation-error',
      state: 'ROLLED_BACK',
      details: {
        path: 'a.el',
        problems: [
          {
            line: 1,
            column: 1,
            expected: '")" for the bracket that opens here',
            found: 'the end of the file',
            suggestion: 'Add ")" where this form should end.',
          },
        ],
      },
    })
    expect(result.content).toContain('a.el: line 1, column 1: expected ")"')
    expect(bench.raw('a.el')).toBe(SOUND)
    outputOf(await bench.run('write_file', { path: 'a.el', content: SOUND.replace('Doc', 'New') }))
    expect(bench.raw('a.el')).toContain('New')
  })

  it('F-TEST-write-validation: a new file that fails its check is not made', async () => {
    const bench = await editBench()
    for (const [path, content] of [
      ['a.el', BROKEN],
      ['b.json', '{"a": 1,}'],
      ['c.toml', 'a = \n'],
    ]) {
      const error = errorOf(await bench.run('write_file', { path, content }))
      expect(error).toMatchObject({ code: 'bad_args', type: 'validation-error', details: { path } })
    }
    expect(bench.tree()).toEqual({})
  })

  it('F-SAFE-PAREN: regions, patches and texts are held to the same', async () => {
    const bench = await editBench({ 'a.el': SOUND })
    await bench.see('a.el')
    const edits = [
      ['edit_region', { path: 'a.el', start_line: 3, end_line: 3, new_content: '  (g ?\\()' }],
      ['edit_file', { path: 'a.el', old: '?\\(', new: '?\\((' }],
    ] as const
    for (const [name, args] of edits) {
      expect(errorOf(await bench.run(name, args))).toMatchObject({
        code: 'bad_args',
        details: { path: 'a.el' },
      })
    }
    const patched = errorOf(await bench.patch('F a.el', 'R 1', '  (g ?\\())', '.', '  (g ?\\()', '.'))
    expect(patched).toMatchObject({ code: 'bad_args', state: 'ROLLED_BACK', details: { path: 'a.el' } })
    expect(bench.raw('a.el')).toBe(SOUND)
  })

  it('one broken file keeps the whole call from landing', async () => {
    const bench = await editBench({ 'a.txt': 'one\n', 'b.el': '(a)\n' })
    await bench.see('a.txt', 'b.el')
    const edits = [
      { path: 'a.txt', start_line: 1, end_line: 1, new_content: 'two' },
      { path: 'b.el', start_line: 1, end_line: 1, new_content: '(a' },
    ]
    expect(errorOf(await bench.run('multi_edit', { edits })).details).toMatchObject({ path: 'b.el' })
    expect(bench.raw('a.txt')).toBe('one\n')
  })

  it('nobody is asked about it, and a dry run says the same', async () => {
    let questions = 0
    const approve = (requests: readonly unknown[]) => {
      questions += requests.length
      return requests.map(() => 'once' as const)
    }
    const bench = await editBench({}, { config: { 'tools.approval.mode': 'prompt' }, approve })
    const args = { path: 'a.el', content: '(' }
    expect(errorOf(await bench.run('write_file', args))).toMatchObject({
      code: 'bad_args',
      state: 'ROLLED_BACK',
    })
    expect(questions).toBe(0)
    outputOf(await bench.run('write_file', { path: 'b.el', content: '()' }))
    expect(questions).toBe(1)
    expect(errorOf(await bench.run('write_file', { ...args, dry_run: true })).code).toBe('bad_args')
    expect(errorOf(await bench.run('write_file', args, { dryRun: true })).code).toBe('bad_args')
  })
})

describe('an edit that may stay', () => {
  it('an old error in the file passes with a note', async () => {
    const bench = await editBench({ 'a.el': '(a\n' })
    await bench.see('a.el')
    const result = await bench.run('write_file', { path: 'a.el', content: '(b\n' })
    outputOf(result)
    expect(result.warnings).toEqual([
      expect.stringContaining('a.el had a syntax error before, and has one still'),
    ])
    expect(bench.raw('a.el')).toBe('(b\n')
  })

  it('the setting turns refusals into warnings, or off', async () => {
    const config = { 'tools.edit.syntax_check': { el: 'warn', json: 'off' } }
    const bench = await editBench({}, { config })
    const warned = await bench.run('write_file', { path: 'a.el', content: '(' })
    expect(warned.warnings).toEqual([
      expect.stringContaining('a.el has a syntax error after this edit: line 1'),
    ])
    const silent = await bench.run('write_file', { path: 'a.json', content: '{' })
    expect(silent).toMatchObject({ ok: true })
    expect(silent.warnings).toBeUndefined()
    expect([bench.raw('a.el'), bench.raw('a.json')]).toEqual(['(', '{'])
  })

  it('in other languages a new error is only warned about', async () => {
    const bench = await editBench()
    const result = await bench.run('write_file', { path: 'a.ts', content: 'function f() {\n  return 1\n' })
    expect(result).toMatchObject({ ok: true })
    expect(result.warnings).toEqual([
      expect.stringMatching(/^a\.ts has a syntax error after this edit: line \d, .*expected "}".* Add "}"/),
    ])
    const sound = await bench.run('write_file', { path: 'b.ts', content: 'const a: number = 1\n' })
    expect(sound.warnings).toBeUndefined()
  })

  it('comments stay where they are usual', async () => {
    const bench = await editBench()
    outputOf(await bench.run('write_file', { path: 'tsconfig.json', content: '{\n  // yes\n}\n' }))
    expect(bench.raw('tsconfig.json')).toContain('// yes')
  })

  it('a broken file can be moved, and an edit that mended it taken back', async () => {
    const bench = await editBench({ 'a.el': '(a\n' }, { approve: agree })
    outputOf(await bench.run('move_path', { from: 'a.el', to: 'b.el' }))
    await bench.see('b.el')
    outputOf(await bench.run('write_file', { path: 'b.el', content: '(a)\n' }))
    expect((await bench.runtime.undo()).ok).toBe(true)
    expect(bench.raw('b.el')).toBe('(a\n')
  })
})

describe('multi_edit that goes on after an error', () => {
  const edit = (path: string, new_content: string) => ({ path, start_line: 1, end_line: 1, new_content })

  it('F-TOOL-multi_edit: a file whose syntax would break is left out, the others are kept whole', async () => {
    const b = await editBench({ 'a.json': '{"a": 1}\n', 'b.json': '{"b": 1}\n', 'c.txt': 'c\n' })
    await b.see('a.json', 'b.json', 'c.txt')
    const edits = [edit('a.json', '{"a": 2}'), edit('b.json', '{"b": '), edit('c.txt', 'new')]
    const result = await b.run('multi_edit', { edits, stop_on_error: false })
    expect(outputOf(result)).toMatchObject({ applied: 2, skipped: 1 })
    const { details } = outputOf(result) as { details: { error?: string; changed: boolean }[] }
    expect(details.map(({ changed }) => changed)).toEqual([true, false, true])
    expect(details[1]?.error).toContain('would break the syntax of b.json')
    expect([b.raw('a.json'), b.raw('b.json'), b.raw('c.txt')]).toEqual(['{"a": 2}\n', '{"b": 1}\n', 'new\n'])
    const stopped = errorOf(await b.run('multi_edit', { edits: [edit('a.json', '{}'), edit('b.json', '{')] }))
    expect(stopped).toMatchObject({ code: 'bad_args', state: 'ROLLED_BACK' })
    expect(stopped.message).toContain('Nothing was changed.')
    expect(b.raw('a.json')).toBe('{"a": 2}\n')
  })

  it('where every file would break, nothing changes and each says why', async () => {
    const b = await editBench({ 'a.json': '{}\n', 'b.toml': 'a = 1\n' })
    await b.see('a.json', 'b.toml')
    const edits = [edit('a.json', '{'), edit('b.toml', 'a = ')]
    expect(outputOf(await b.run('multi_edit', { edits, stop_on_error: false }))).toMatchObject({
      applied: 0,
      skipped: 2,
    })
    expect([b.raw('a.json'), b.raw('b.toml')]).toEqual(['{}\n', 'a = 1\n'])
  })

  it('F-SAFE-PAREN: any extension can be made to refuse, and one that refuses can be made to warn', async () => {
    const config = { 'tools.edit.syntax_check': { ts: 'refuse', json: 'warn' } }
    const b = await editBench({ 'a.ts': 'const a = 1\n', 'a.json': '{}\n' }, { config })
    await b.see('a.ts', 'a.json')
    expect(errorOf(await b.run('edit_region', edit('a.ts', 'const = = 1'))).code).toBe('bad_args')
    const warned = await b.run('edit_region', edit('a.json', '{'))
    outputOf(warned)
    expect(warned.warnings).toEqual([expect.stringContaining('a.json has a syntax error after this edit')])
  })
})
