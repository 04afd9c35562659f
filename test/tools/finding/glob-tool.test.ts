import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { bench, errorOf, outputOf } from '../../bench-folder.ts'
import { pathsOf } from './found.ts'

const TREE = {
  'src/a.ts': 'a',
  'src/b.tsx': 'b',
  'src/deep/c.ts': 'c',
  'src/deep/.hid.ts': '',
  'test/a.test.ts': '',
  'docs/read me.md': '',
  'top.ts': '',
  '.github/ci.yml': '',
  '.hidden.ts': '',
  'node_modules/m/i.ts': '',
  'dist/out.ts': '',
  'dist/keep/x.ts': '',
  '.gitignore': 'dist\n*.log\n',
  'x.log': '',
}

describe('glob', () => {
  it.for([
    [['**/*.ts'], ['src/a.ts', 'src/deep/c.ts', 'test/a.test.ts', 'top.ts']],
    [['*.ts'], ['top.ts']],
    [['src/*'], ['src/a.ts', 'src/b.tsx']],
    [['src/**'], ['src/a.ts', 'src/b.tsx', 'src/deep/c.ts']],
    [['src/'], ['src/a.ts', 'src/b.tsx', 'src/deep/c.ts']],
    [['./src//a.ts'], ['src/a.ts']],
    [['{src,test}/*.ts'], ['src/a.ts', 'test/a.test.ts']],
    [
      ['**/[ab].ts', '**/?.tsx'],
      ['src/a.ts', 'src/b.tsx'],
    ],
    [['src/*/c.ts'], ['src/deep/c.ts']],
    [['**/deep/**'], ['src/deep/c.ts']],
    [
      ['test/*.ts', 'src/*.ts', '**/a*.ts'],
      ['src/a.ts', 'test/a.test.ts'],
    ],
    [['docs/read me.md'], ['docs/read me.md']],
    [['src', 'nope', 'nope/**', 'top.ts/x', '*.nothing'], []],
  ] as const)('F-TOOL-glob: %j finds the right files, by path and once each', async ([patterns, paths]) => {
    const result = await bench(TREE).call('glob', { patterns })
    expect(pathsOf(result)).toEqual(paths)
    expect(outputOf(result)['truncated']).toBe(false)
  })

  it('F-TOOL-glob: a dot must be written, unless hidden files are asked for', async () => {
    const b = bench(TREE)
    expect(pathsOf(await b.call('glob', { patterns: ['.*.ts', '.github/*', '**/.hid*'] }))).toEqual([
      '.github/ci.yml',
      '.hidden.ts',
      'src/deep/.hid.ts',
    ])
    const all = await b.call('glob', { patterns: ['**'], include_hidden: true })
    expect(pathsOf(all)).toEqual([
      '.github/ci.yml',
      '.gitignore',
      '.hidden.ts',
      'docs/read me.md',
      'src/a.ts',
      'src/b.tsx',
      'src/deep/.hid.ts',
      'src/deep/c.ts',
      'test/a.test.ts',
      'top.ts',
    ])
  })

  it('F-TOOL-glob, F-SAFE-IGNORE: what is ignored is found only where a pattern names it', async () => {
    const b = bench(TREE)
    expect(pathsOf(await b.call('glob', { patterns: ['**/out.ts', '**/i.ts', '*.log', '*/x.ts'] }))).toEqual(
      [],
    )
    const named = ['dist/*.ts', 'node_modules/m/*', 'x.log']
    expect(pathsOf(await b.call('glob', { patterns: named }))).toEqual([
      'dist/out.ts',
      'node_modules/m/i.ts',
      'x.log',
    ])
  })

  it('F-TOOL-glob: denied files and what lies outside are not there, however they are named', async () => {
    const b = bench({ '.env': 'S', 'key.pem': 'S', f: '', '../outside/s': 'S' })
    symlinkSync('../outside', join(b.root, 'out'))
    symlinkSync('../outside/s', join(b.root, 'out-file'))
    symlinkSync('key.pem', join(b.root, 'alias'))
    const patterns = ['**', '.env', 'key.pem', '*.pem', 'out-file', 'alias']
    expect(pathsOf(await b.call('glob', { patterns, include_hidden: true }))).toEqual(['f'])
    expect(errorOf(await b.call('glob', { patterns: ['out/*'] })).code).toBe('path_outside_sandbox')
  })

  it('F-TOOL-glob: follows a link that a pattern begins with, and no other', async () => {
    const b = bench({ 'real/f.ts': '' })
    symlinkSync('real', join(b.root, 'link'))
    expect(pathsOf(await b.call('glob', { patterns: ['**/*.ts'] }))).toEqual(['real/f.ts'])
    expect(pathsOf(await b.call('glob', { patterns: ['link/*.ts'] }))).toEqual(['link/f.ts'])
  })

  it('F-TOOL-glob: returns at most 1000, or as many as asked for, the first ones by path', async () => {
    const names = Array.from({ length: 1_002 }, (_, at) => `f${String(at).padStart(4, '0')}`)
    const b = bench(Object.fromEntries(names.map((name) => [name, ''])))
    const count = async (args: object, config = {}) => {
      const result = await b.call('glob', { patterns: ['*'], ...args }, { config })
      return [pathsOf(result), outputOf(result)['truncated']]
    }
    expect(await count({})).toEqual([names.slice(0, 1_000), true])
    expect(await count({ max_results: 3 })).toEqual([names.slice(0, 3), true])
    expect(await count({ max_results: 1_002 }, { 'tools.output.max_bytes': 1_000_000 })).toEqual([
      names,
      false,
    ])
    expect(await count({}, { 'tools.glob.max_results': 2 })).toEqual([names.slice(0, 2), true])
    expect(await count({ patterns: ['*1', '*2', '*3'], max_results: 4 })).toEqual([
      ['f0001', 'f0002', 'f0003', 'f0011'],
      true,
    ])
  })

  it('F-TOOL-glob: goes only into folders that a pattern can reach', async () => {
    const names = Array.from({ length: 30 }, (_, at) => `big/${at}`)
    const b = bench({
      ...Object.fromEntries(names.map((name) => [name, ''])),
      'src/a/x.ts': '',
      'src/y.ts': '',
    })
    // Far fewer than lie in the folder that no pattern means.
    const config = { 'tools.walk.max_entries': 8 }
    for (const patterns of [['src/**/*.ts'], ['s*/a/*.ts', 'src/*.ts'], ['s*/**']]) {
      const result = await b.call('glob', { patterns }, { config })
      expect(pathsOf(result)).toContain('src/a/x.ts')
      expect(outputOf(result)['truncated']).toBe(false)
    }
    const everywhere = await b.call('glob', { patterns: ['*/a/x.ts'] }, { config })
    expect(outputOf(everywhere)['truncated']).toBe(true)
  })

  it.for([
    [{ patterns: [] }, 'bad_args', 'patterns'],
    [{ patterns: [''] }, 'bad_args', 'patterns'],
    [{ patterns: 'a' }, 'bad_args', 'patterns'],
    [{}, 'bad_args', 'patterns'],
    [
      { patterns: ['ok', 'src/[a'] },
      'bad_args',
      'patterns[1] "src/[a" cannot be understood: a "[" is never closed',
    ],
    [{ patterns: ['{a'] }, 'bad_args', 'patterns[0] "{a"'],
    [{ patterns: ['a}'] }, 'bad_args', 'character 2'],
    [{ patterns: ['!a'] }, 'bad_args', '"!"'],
    [{ patterns: ['a\0'] }, 'bad_args', 'NUL'],
    [{ patterns: ['../*'] }, 'path_outside_sandbox', '".."'],
    [{ patterns: ['a/../b'] }, 'path_outside_sandbox', '".."'],
    [{ patterns: ['/etc/*'] }, 'path_outside_sandbox', '/etc/*'],
    [{ patterns: ['.ssh/*'] }, 'denied_pattern', '.ssh'],
    [{ patterns: ['a'], max_results: 0 }, 'bad_args', 'max_results'],
    [{ patterns: ['a'], max_results: 1e9 }, 'bad_args', 'max_results'],
  ] as const)('F-TOOL-glob: %j is refused with %s', async ([args, code, words]) => {
    const error = errorOf(await bench().call('glob', args))
    expect(error.code).toBe(code)
    expect(error.message).toContain(words)
  })

  it('F-TOOL-glob: a pattern with the full path of the root is refused with a better one', async () => {
    const b = bench({ 'a.ts': '' })
    const error = errorOf(await b.call('glob', { patterns: [`${b.root}/*.ts`] }))
    expect([error.code, error.recovery]).toEqual([
      'bad_args',
      ['Write it relative to the root, such as src/**/*.ts.'],
    ])
  })
})
