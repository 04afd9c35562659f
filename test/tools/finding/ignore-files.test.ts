import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { bench } from '../../bench-folder.ts'
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
})
