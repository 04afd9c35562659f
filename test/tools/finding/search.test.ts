import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { ToolResult } from '../../../src/core/result.ts'
import { bench, errorOf, outputOf } from '../../bench-folder.ts'
import type { Bench } from '../../bench-folder.ts'
import { matchesOf, placesOf } from './found.ts'

/** The search program, and the search that needs none, must find the same. */
describe.each(['auto', 'built_in'])('search (engine %s)', (engine) => {
  const search = (b: Bench, args: Readonly<Record<string, unknown>>): Promise<ToolResult> =>
    b.call('search', args, { config: { 'tools.search.engine': engine } })

  it('F-TOOL-search: gives path, line, column, the match and the rest of its line', async () => {
    const b = bench({ 'src/a.ts': 'let y\nconst x = 1 // end\n', 'b.txt': 'nothing' })
    const result = await search(b, { query: 'x =' })
    expect(matchesOf(result)).toEqual([
      { path: 'src/a.ts', line: 2, column: 7, match_text: 'x =', before: 'const ', after: ' 1 // end' },
    ])
    expect(outputOf(result)['truncated']).toBe(false)
    expect(result.content).toBe('src/a.ts\n2: const x = 1 // end')
  })

  it('F-TOOL-search: gives each match of a line a row, by path, line and column', async () => {
    const b = bench({ 'b/z': 'aXa\nX', 'b.txt': 'X', a: 'XX X' })
    expect(placesOf(await search(b, { query: 'X', case_sensitive: true }))).toEqual([
      'a:1:1',
      'a:1:2',
      'a:1:4',
      'b.txt:1:1',
      'b/z:1:2',
      'b/z:2:1',
    ])
  })

  it('shows the lines around matches if asked, each once', async () => {
    const b = bench({
      'a.txt': '\uFEFFone\r\ntwo\r\nX three X\r\nfour\r\nX five\r\nsix\r\nseven\r\neight\r\n\r\nX ten',
      'b.txt': `X\n${'y'.repeat(2_000)}\n`,
    })
    const result = await search(b, { query: 'X', case_sensitive: true, include_context: 2 })
    expect(result.content).toBe(
      `a.txt\n1- one\n2- two\n3: X three X\n4- four\n5: X five\n6- six\n7- seven\n8- eight\n9- \n10: X ten\n\nb.txt\n1: X\n2- ${'y'.repeat(500)} …`,
    )
    expect(matchesOf(result).map(({ line, context = [] }) => [line, context.map((one) => one.line)])).toEqual(
      [
        [3, [1, 2, 4, 5]],
        [3, []],
        [5, [6, 7]],
        [10, [8, 9]],
        [1, [2]],
      ],
    )
    const apart = await search(b, { query: 'X (three|ten)', is_regex: true, include_context: 1 })
    expect(apart.content).toBe('a.txt\n2- two\n3: X three X\n4- four\n--\n9- \n10: X ten')
    expect((await search(b, { query: 'one', include_context: 3, mode: 'files' })).content).toBe('a.txt')
  })

  it('F-TOOL-search: takes the query as it is, unless it is a regular expression', async () => {
    const b = bench({ f: 'a.c (x|y)* $1 [z] \\d\nabc 42' })
    expect(placesOf(await search(b, { query: 'a.c' }))).toEqual(['f:1:1'])
    expect(placesOf(await search(b, { query: '(x|y)* $1 [z] \\d' }))).toEqual(['f:1:5'])
    expect(placesOf(await search(b, { query: 'a.c', is_regex: true }))).toEqual(['f:1:1', 'f:2:1'])
    expect(placesOf(await search(b, { query: '^abc \\d+$', is_regex: true }))).toEqual(['f:2:1'])
    expect(placesOf(await search(b, { query: '-e' }))).toEqual([])
  })

  it('F-TOOL-search: case counts only if asked', async () => {
    const b = bench({ f: 'Wort WORT wort ÄRGER ärger' })
    expect(placesOf(await search(b, { query: 'wort' }))).toEqual(['f:1:1', 'f:1:6', 'f:1:11'])
    expect(placesOf(await search(b, { query: 'wort', case_sensitive: true }))).toEqual(['f:1:11'])
    expect(placesOf(await search(b, { query: 'Ä[r]', is_regex: true }))).toEqual(['f:1:16', 'f:1:22'])
    expect(placesOf(await search(b, { query: 'Ärger' }))).toEqual(['f:1:16', 'f:1:22'])
  })

  it('F-TOOL-search: counts columns in characters', async () => {
    const b = bench({ f: 'ä😀\tx' })
    expect(matchesOf(await search(b, { query: 'x' }))).toMatchObject([
      { column: 4, before: 'ä😀\t', after: '' },
    ])
    expect(matchesOf(await search(b, { query: '😀' }))).toMatchObject([{ column: 2, match_text: '😀' }])
  })

  it('F-TOOL-search: the end of a line and the byte order mark belong to no match', async () => {
    const b = bench({ bom: '\uFEFFfirst\r\nsecond', crlf: 'one x\r\ntwo\r\n\r\n', cr: 'a\rb x\n' })
    const first = matchesOf(await search(b, { query: '^first$', is_regex: true }))
    expect(first).toMatchObject([{ path: 'bom', line: 1, column: 1, before: '', after: '' }])
    expect(placesOf(await search(b, { query: 'second' }))).toEqual(['bom:2:1'])
    expect(matchesOf(await search(b, { query: 'one.*', is_regex: true }))).toMatchObject([
      { path: 'crlf', match_text: 'one x', after: '' },
    ])
    expect(matchesOf(await search(b, { query: 'two$', is_regex: true }))).toMatchObject([
      { line: 2, after: '' },
    ])
    expect(placesOf(await search(b, { query: '^$', is_regex: true }))).toEqual(['crlf:3:1'])
    expect(matchesOf(await search(b, { query: 'b x' }))).toMatchObject([{ path: 'cr', line: 1, column: 3 }])
  })

  it('F-TOOL-search: passes over binary files, also those that are no UTF-8', async () => {
    const b = bench({
      nul: 'needle\0',
      latin: Buffer.from('needle \xe4\n', 'latin1'),
      utf16: Buffer.from('\uFEFFneedle\n', 'utf16le'),
      late: `needle\n${'x'.repeat(300_000)}\xe4`,
      text: 'needle',
    })
    b.put('bad-late', Buffer.concat([Buffer.from(`needle\n${'x\n'.repeat(100_000)}`), Buffer.of(0xff)]))
    expect(placesOf(await search(b, { query: 'needle' }))).toEqual(['late:1:1', 'text:1:1'])
  })

  it('F-TOOL-search: passes over files that are too large', async () => {
    const b = bench({ large: `needle${' '.repeat(5_000)}`, small: 'needle' })
    const config = { 'tools.search.engine': engine, 'tools.search.max_file_bytes': 5_000 }
    expect(placesOf(await b.call('search', { query: 'needle' }, { config }))).toEqual(['small:1:1'])
    const named = { query: 'needle', include_paths: ['large'] }
    expect(placesOf(await b.call('search', named, { config }))).toEqual([])
  })

  it.for([
    [{ include_paths: ['src'] }, ['src/a.ts', 'src/deep/b.js', 'src/deep/c.ts']],
    [{ include_paths: ['src/'] }, ['src/a.ts', 'src/deep/b.js', 'src/deep/c.ts']],
    [{ include_paths: ['./src/deep'] }, ['src/deep/b.js', 'src/deep/c.ts']],
    [{ include_paths: ['src/*'] }, ['src/a.ts']],
    [{ include_paths: ['*.ts'] }, ['lib/d.ts', 'src/a.ts', 'src/deep/c.ts', 'top.ts']],
    [{ include_paths: ['**/*.ts'] }, ['lib/d.ts', 'src/a.ts', 'src/deep/c.ts', 'top.ts']],
    [{ include_paths: ['src/**/*.{js,md}'] }, ['src/deep/b.js']],
    [{ include_paths: ['top.ts', 'lib'] }, ['lib/d.ts', 'top.ts']],
    [{ include_paths: ['src', 'src/deep', '*.js'] }, ['src/a.ts', 'src/deep/b.js', 'src/deep/c.ts']],
    [{ include_paths: ['**/deep'] }, ['src/deep/b.js', 'src/deep/c.ts']],
    [{ include_paths: ['[ab].*'] }, ['src/a.ts', 'src/deep/b.js']],
    [{ include_paths: ['.'], exclude_paths: ['src'] }, ['lib/d.ts', 'top.ts']],
    [{ exclude_paths: ['*.ts'] }, ['src/deep/b.js']],
    [{ exclude_paths: ['src/deep/', 'top.ts'] }, ['lib/d.ts', 'src/a.ts']],
    [{ exclude_paths: ['**/dee?', 'l[!x]b'] }, ['src/a.ts', 'top.ts']],
    [{ include_paths: ['src'], exclude_paths: ['src/**/*.js', '*c.ts'] }, ['src/a.ts']],
    [{ include_paths: ['src/deep'], exclude_paths: ['src'] }, []],
    [{ include_paths: ['nope', 'nope/**'] }, []],
    [{ include_paths: [] }, ['lib/d.ts', 'src/a.ts', 'src/deep/b.js', 'src/deep/c.ts', 'top.ts']],
    [{ include_paths: ['.hid', '.h*'] }, ['.hid/e.ts']],
    [{ include_paths: ['**/.hid/**'] }, ['.hid/e.ts']],
    [{ include_paths: ['node_modules/m'] }, ['node_modules/m/f.ts']],
  ] as const)('F-TOOL-search: %j', async ([args, paths]) => {
    const names = [
      'lib/d.ts',
      'src/a.ts',
      'src/deep/b.js',
      'src/deep/c.ts',
      'top.ts',
      '.hid/e.ts',
      'node_modules/m/f.ts',
    ]
    const b = bench(Object.fromEntries(names.map((name) => [name, 'needle'])))
    expect(matchesOf(await search(b, { query: 'needle', ...args })).map(({ path }) => path)).toEqual(paths)
  })

  it('F-TOOL-search: denied files are never shown, however they are named', async () => {
    const b = bench({
      '.env': 'needle',
      'key.pem': 'needle',
      'd/.ssh/id': 'needle',
      'KEY.PEM': 'needle',
      f: 'needle',
    })
    symlinkSync('key.pem', join(b.root, 'alias'))
    for (const include_paths of [
      [],
      ['.env', 'key.pem', '*.pem', '**/.env', '**'],
      ['alias', 'f'],
      ['d/**', '.e*', '**/.ssh/*', 'f'],
    ]) {
      const result = await search(b, { query: 'needle', include_paths })
      expect(placesOf(result).filter((place) => place !== 'f:1:1')).toEqual([])
    }
  })

  it('F-TOOL-search: links are not followed, except one that a path begins with', async () => {
    const b = bench({ 'real/f': 'needle', '../outside/s': 'needle' })
    symlinkSync('../outside', join(b.root, 'out'))
    symlinkSync('../outside/s', join(b.root, 'out-file'))
    symlinkSync('real', join(b.root, 'link'))
    expect(placesOf(await search(b, { query: 'needle' }))).toEqual(['real/f:1:1'])
    expect(placesOf(await search(b, { query: 'needle', include_paths: ['link'] }))).toEqual(['link/f:1:1'])
    expect(placesOf(await search(b, { query: 'needle', include_paths: ['out-file'] }))).toEqual([])
    const error = errorOf(await search(b, { query: 'needle', include_paths: ['out/*'] }))
    expect(error.code).toBe('path_outside_sandbox')
  })

  it.for([
    [{ query: '(a', is_regex: true }, 'bad_args', 'query is not a regular expression'],
    [{ query: 'a\\', is_regex: true }, 'bad_args', 'query is not a regular expression'],
    [{ query: '' }, 'bad_args', 'query'],
    [{}, 'bad_args', 'query'],
    [{ query: 'a\nb' }, 'bad_args', 'line break'],
    [{ query: 'a\0b' }, 'bad_args', 'NUL'],
    [{ query: '\uD800' }, 'bad_args', 'half a character'],
    [{ query: 'a'.repeat(4_097) }, 'bad_args', 'query'],
    [{ query: 'a', include_paths: ['[a'] }, 'bad_args', 'include_paths[0] "[a"'],
    [{ query: 'a', exclude_paths: ['ok', '{a'] }, 'bad_args', 'exclude_paths[1] "{a"'],
    [{ query: 'a', include_paths: ['!a'] }, 'bad_args', '"!"'],
    [{ query: 'a', include_paths: ['../x'] }, 'path_outside_sandbox', '".."'],
    [{ query: 'a', include_paths: ['/etc/passwd'] }, 'path_outside_sandbox', '/etc/passwd'],
    [{ query: 'a', max_results: 0 }, 'bad_args', 'max_results'],
    [{ query: 'a', is_regex: 'yes' }, 'bad_args', 'is_regex'],
  ] as const)('F-TOOL-search: %j is refused with %s', async ([args, code, words]) => {
    const error = errorOf(await search(bench({ f: 'a' }), args))
    expect(error.code).toBe(code)
    expect(error.type).toBe('validation-error')
    expect(error.message).toContain(words)
  })
})
