import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { LP1_CODES } from '../../../src/tools/lp1/lp1-error.ts'
import { errorOf } from '../../bench-folder.ts'
import { editBench } from '../edits/edit-bench.ts'

interface ParseCase {
  readonly patch: string
  readonly line: number
  readonly column: number
  readonly file?: string
}

const PARSE: Readonly<Record<(typeof LP1_CODES.parse)[number], ParseCase>> = {
  missing_header: { patch: '', line: 1, column: 1 },
  invalid_header: { patch: '\n LP2\nEND\n', line: 2, column: 2 },
  missing_end: { patch: 'LP1\nF f.txt', line: 2, column: 8 },
  trailing_garbage: { patch: 'LP1\nF f.txt\nEND\nx\n', line: 4, column: 1 },
  expected_file_section: { patch: 'LP1\nT\nx\n.\nEND\n', line: 2, column: 1 },
  missing_path: { patch: 'LP1\nF\nEND\n', line: 2, column: 2 },
  bad_quoted_path_escape: { patch: 'LP1\nF "a\\n"\nEND\n', line: 2, column: 5 },
  unterminated_quoted_path: { patch: 'LP1\nF "a\nEND\n', line: 2, column: 3 },
  unexpected_text: { patch: 'LP1\nF f.txt\nN + x\nEND\n', line: 3, column: 5, file: 'f.txt' },
  unknown_op: { patch: 'LP1\nF f.txt\nQ\nEND\n', line: 3, column: 1, file: 'f.txt' },
  invalid_occ: { patch: 'LP1\nF f.txt\nR x\nEND\n', line: 3, column: 3, file: 'f.txt' },
  occ_zero: { patch: 'LP1\nF a\nF f.txt\nR 0\na\n.\nb\n.\nEND\n', line: 4, column: 3, file: 'f.txt' },
  invalid_n_flag: { patch: 'LP1\nF f.txt\nN *\nEND\n', line: 3, column: 3, file: 'f.txt' },
  bad_dot_stuffing: { patch: 'LP1\nF f.txt\nT\nF no.txt\n.env\n.\nEND\n', line: 5, column: 1, file: 'f.txt' },
  unterminated_block: { patch: 'LP1\nF f.txt\nT\ny\nEND\n', line: 3, column: 1, file: 'f.txt' },
}

describe('a patch that does not parse', () => {
  it.for(Object.entries(PARSE))('%s', async ([code, { patch, line, column, file }]) => {
    const bench = await editBench({ 'f.txt': 'a\n' })
    const error = errorOf(await bench.run('apply_patch', { patch }))
    expect(error).toMatchObject({
      code: 'patch_failed',
      kind: 'PatchFailed',
      type: 'validation-error',
      class: 'ValidationError',
      state: 'FAILED',
    })
    expect(error.details).toEqual({ ...(file === undefined ? {} : { file }), lp1: code, line, column })
    expect(error.message).toContain(`patch line ${line}, column ${column}: `)
    expect(error.content).toBe([error.message, ...error.recovery].join('\n'))
    expect(bench.raw('f.txt')).toBe('a\n')
  })

  it('text that no file could hold is refused before anything runs', async () => {
    const bench = await editBench()
    const cr = errorOf(await bench.patch('F n.txt', 'T', 'a\rb', '.'))
    expect(cr).toMatchObject({
      state: 'FAILED',
      details: { file: 'n.txt', lp1: 'bare_cr', line: 4, column: 2 },
    })
    const half = errorOf(await bench.patch('F n.txt', 'T', 'a\uD800', '.'))
    expect(half).toMatchObject({ state: 'FAILED', details: { lp1: 'invalid_utf8', line: 4, column: 2 } })
    expect(bench.tree()).toEqual({})
  })
})

const APPLY: Readonly<Record<string, readonly [lines: readonly string[], line: number, file: string]>> = {
  match_not_found: [['F f.txt', 'R', 'Red', '.', 'x', '.'], 3, 'f.txt'],
  match_not_unique: [['F f.txt', 'E', 'green', '.', 'E', 'red', '.'], 6, 'f.txt'],
  occ_out_of_range: [['F f.txt', 'E 3', 'red', '.'], 3, 'f.txt'],
  empty_find: [['F f.txt', '', 'E', '.'], 4, 'f.txt'],
  missing_file_for_match_op: [['F n.txt', 'T', 'a', '.', 'E', 'a', '.'], 6, 'n.txt'],
  is_directory: [['F folder', 'T', 'a', '.'], 3, 'folder'],
  file_too_large: [['F big.txt', '# why', 'T', 'a', '.'], 4, 'big.txt'],
  bare_cr: [['F cr.txt', 'T', 'a', '.'], 3, 'cr.txt'],
  invalid_utf8: [['F latin.txt', 'T', 'a', '.'], 3, 'latin.txt'],
  mixed_eol: [['F mixed.txt', 'T', 'a', '.'], 3, 'mixed.txt'],
}

describe('a patch that does not apply', () => {
  const files = {
    'f.txt': 'red\ngreen\nred\n',
    'folder/x': 'x\n',
    'big.txt': 'x'.repeat(201),
    'cr.txt': 'a\rb\n',
    'latin.txt': Buffer.from([0x61, 0xe9, 0x0a]),
    'mixed.txt': 'a\r\nb\n',
  }
  const config = { 'tools.edit.max_file_bytes': 200, 'tools.apply_patch.strict_eol': true }

  it('each code of the language is among the cases', () => {
    expect(Object.keys(APPLY).toSorted()).toEqual([...LP1_CODES.apply, ...LP1_CODES.content].toSorted())
  })

  it.for(Object.entries(APPLY))('%s', async ([code, [lines, line, file]]) => {
    const bench = await editBench(files, { config })
    await bench.see('f.txt', 'cr.txt', 'latin.txt', 'mixed.txt')
    const before = bench.tree()
    const error = errorOf(await bench.patch(...lines))
    expect(error).toMatchObject({
      code: 'patch_failed',
      kind: 'PatchFailed',
      type: 'validation-error',
      class: 'ExecutionError',
      state: 'ROLLED_BACK',
      details: { file, lp1: code, line },
    })
    expect(error.message).toMatch(new RegExp(`^${file}: patch line ${line}: .`))
    expect(bench.tree()).toEqual(before)
  })

  it('a match that is not unique lists all its lines, so that the next try can number it', async () => {
    const bench = await editBench({ 'f.txt': 'x\na\nx\nb\nx\n' })
    await bench.see('f.txt')
    const { details } = errorOf(await bench.patch('F f.txt', 'R', 'x', '.', 'y', '.'))
    expect(details).toMatchObject({ lp1: 'match_not_unique', matches: [1, 3, 5], match_count: 3 })
    await bench.patch('F f.txt', 'R 2', 'x', '.', 'y', '.')
    expect(bench.raw('f.txt')).toBe('x\na\ny\nb\nx\n')
  })

  it('a great many matches are counted, not all listed', async () => {
    const bench = await editBench({ 'f.txt': '\n'.repeat(5000) })
    await bench.see('f.txt')
    const { details } = errorOf(await bench.patch('F f.txt', 'E', '', '.'))
    expect(details['match_count']).toBe(5000)
    expect(details['matches']).toHaveLength(1000)
  })

  it('a near miss is named with its line', async () => {
    const bench = await editBench({ 'f.txt': 'one\n\tgreen grass\n' })
    await bench.see('f.txt')
    const { details, message } = errorOf(await bench.patch('F f.txt', 'E', '  green grass', '.'))
    expect(details).toMatchObject({ lp1: 'match_not_found', nearest: { line: 2, text: '\tgreen grass' } })
    expect(message).toContain('Nearest is line 2')
    expect(message).toContain('differs only in white space')
  })

  it('mixed line endings are an error only where the settings say so', async () => {
    const bench = await editBench({ 'mixed.txt': 'a\r\nb\n' })
    await bench.see('mixed.txt')
    expect((await bench.patch('F mixed.txt', 'T', 'c', '.')).ok).toBe(true)
  })

  it('a file of exactly the editing limit is patched, and may not grow over it', async () => {
    const bench = await editBench({ 'big.txt': `a\n${'x'.repeat(198)}` }, { config })
    await bench.see('big.txt')
    const error = errorOf(await bench.patch('F big.txt', 'R', 'a', '.', 'bb', '.'))
    expect(error).toMatchObject({ code: 'limit_exceeded', state: 'ROLLED_BACK', details: { limit: 200 } })
    expect((await bench.patch('F big.txt', 'R', 'a', '.', 'b', '.')).ok).toBe(true)
  })

  it('a named pipe is refused at once', async () => {
    const bench = await editBench()
    execFileSync('mkfifo', [join(bench.root, 'pipe')])
    const error = errorOf(await bench.patch('F pipe', 'T', 'a', '.'))
    expect(error).toMatchObject({ code: 'execution_failed', state: 'ROLLED_BACK', details: { path: 'pipe' } })
  })
})
