import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import type { RuntimeOptions } from '../../../src/runtime/create-runtime.ts'
import { bench, errorOf, outputOf } from '../../bench-folder.ts'
import { matchesOf, pathsOf } from './found.ts'

/** What each of the three tools shows of a tree, which must be the same. */
async function shown(
  files: Readonly<Record<string, string>>,
  config: Readonly<Record<string, unknown>> = {},
): Promise<readonly string[]> {
  const b = bench(Object.fromEntries(Object.entries(files).map(([name, text]) => [name, text || 'needle'])))
  const runtime = await b.open({ config })
  const [listed, globbed, searched] = await runtime.run([
    { id: '1', name: 'list_files', args: {} },
    { id: '2', name: 'glob', args: { patterns: ['**'] } },
    { id: '3', name: 'search', args: { query: 'needle' } },
  ])
  expect(pathsOf(globbed)).toEqual(pathsOf(listed))
  expect(matchesOf(searched).map(({ path }) => path)).toEqual(pathsOf(listed))
  return pathsOf(listed)
}

describe('ignore files', () => {
  it('F-SAFE-IGNORE: count at every level, also outside a repository', async () => {
    const files = { '.gitignore': '*.log\n/only-here', 'a/.gitignore': '!b.log\nc', 'only-here': '' }
    expect(
      await shown({ ...files, 'x.log': '', 'a/b.log': '', 'a/c': '', 'a/d/c': '', 'a/only-here': '', c: '' }),
    ).toEqual(['a/b.log', 'a/only-here', 'c'])
  })

  it('F-SAFE-IGNORE: a folder that is ignored is not entered, so nothing in it comes back', async () => {
    expect(await shown({ '.gitignore': 'd/\n!d/keep', 'd/keep': '', 'd/.gitignore': '!*', e: '' })).toEqual([
      'e',
    ])
  })

  it('F-SAFE-IGNORE: the plain ignore file is stronger than that of git', async () => {
    expect(await shown({ '.gitignore': 'a\nb', '.ignore': '!a\nc', a: '', b: '', c: '', 'd/a': '' })).toEqual(
      ['a', 'd/a'],
    )
  })

  it('F-SAFE-IGNORE: what a repository excludes for itself counts, also in one inside another', async () => {
    const outer = { '.git/info/exclude': 'x\n', '.gitignore': 'y' }
    const inner = { 'sub/.git/info/exclude': 'v', 'sub/x': '', 'sub/y': '', 'sub/v': '', 'sub/z': '' }
    expect(await shown({ ...outer, ...inner, x: '', y: '', v: '', 'in/x': '' })).toEqual(['sub/z', 'v'])
  })

  it('F-SAFE-IGNORE: the configured patterns count as well, and no file takes them back', async () => {
    const config = { 'tools.ignore.patterns': ['secret*', '/top', 'only/a[bc]'] }
    const files = {
      '.ignore': '!secret-1\n!top',
      'd/secret-1': '',
      top: '',
      'd/top': '',
      'only/ab': '',
      f: '',
    }
    expect(await shown(files, config)).toEqual(['d/top', 'f'])
  })

  it('F-SAFE-IGNORE: an ignore file that is a link counts only if it stays inside', async () => {
    const b = bench({ 'a/x': '', 'b/x': '', rules: 'x', '../outside': 'x' })
    symlinkSync('../rules', join(b.root, 'a', '.gitignore'))
    symlinkSync('../../outside', join(b.root, 'b', '.gitignore'))
    expect(pathsOf(await b.call('list_files', {}))).toEqual(['b/x', 'rules'])
  })

  it('F-SAFE-IGNORE: ignore files above the root do not count', async () => {
    const b = bench({ f: '', '../.gitignore': 'f' })
    expect(pathsOf(await b.call('list_files', {}))).toEqual(['f'])
  })

  it('F-SAFE-IGNORE: a folder that is asked for is shown, with the rules from above for what is in it', async () => {
    const b = bench({ '.gitignore': 'dist\n*.map', 'dist/a.js': 'needle', 'dist/a.map': 'needle' })
    expect(pathsOf(await b.call('list_files', { directory: 'dist' }))).toEqual(['dist/a.js'])
    expect(pathsOf(await b.call('glob', { patterns: ['dist/*'] }))).toEqual(['dist/a.js'])
    const found = await b.call('search', { query: 'needle', include_paths: ['dist'] })
    expect(matchesOf(found).map(({ path }) => path)).toEqual(['dist/a.js'])
  })

  it('F-SAFE-IGNORE: one whose patterns are too long together is named, and counts in its first lines', async () => {
    const lines = Array.from({ length: 3_000 }, (_, at) => `*${'a*[ab]?'.repeat(3)}${at}*x`)
    const b = bench({
      '.gitignore': ['*.log', ...lines, '*.late'].join('\n'),
      'a.log': '',
      'a.late': '',
      b: '',
    })
    const found = await b.call('list_files', {})
    expect(pathsOf(found)).toEqual(['a.late', 'b'])
    expect(outputOf(found)).toMatchObject({
      notes: [expect.stringMatching(/^\.gitignore was honoured only/)],
    })
  })

  it('F-SAFE-IGNORE: a walk ends by its limit if each of its names costs as much as many', async () => {
    const lines = Array.from({ length: 1_500 }, (_, at) => `*${'a*[ab]?'.repeat(3)}${at}x`).join('\n')
    const names = Array.from({ length: 40 }, (_, at) => `${'ab'.repeat(100)}${at}`)
    const files = Object.fromEntries(names.map((name) => [name, 'needle']))
    const config = { 'tools.walk.max_entries': 400 }
    const plain = bench(files)
    expect(pathsOf(await plain.call('glob', { patterns: ['**'] }, { config }))).toHaveLength(40)
    const costly = bench({ ...files, '.gitignore': lines })
    for (const [name, args] of [
      ['glob', { patterns: ['**'] }],
      ['list_files', {}],
      ['search', { query: 'needle' }],
    ] as const) {
      const found = await costly.call(name, args, { config })
      expect(outputOf(found)).toMatchObject({ truncated: true })
    }
    const approve: RuntimeOptions['approve'] = (asked) => asked.map(() => 'once' as const)
    const change = { old: 'needle', new: 'thread', paths: ['**'] }
    expect(errorOf(await costly.call('replace', change, { config, approve }))).toMatchObject({
      code: 'limit_exceeded',
    })
  })

  it('F-SAFE-IGNORE: the files above are read once, however many links to folders are followed', async () => {
    const b = bench({ '.gitignore': '*.log', 'target/f': '', 'target/f.log': '' })
    const names = Array.from({ length: 12 }, (_, at) => `link-${at}`)
    for (const name of names) symlinkSync('target', join(b.root, name))
    const read = vi.spyOn(TextDecoder.prototype, 'decode')
    try {
      const found = await b.call('list_files', { follow_symlinks: true })
      expect(pathsOf(found)).toEqual([...names, 'target'].map((name) => `${name}/f`).toSorted())
      const texts = read.mock.results.filter(({ value }) => value === '*.log')
      expect(texts).toHaveLength(1)
    } finally {
      read.mockRestore()
    }
  })
})
