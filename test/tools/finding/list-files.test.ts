import { mkdirSync, symlinkSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { bench, errorOf, outputOf } from '../../bench-folder.ts'
import type { Bench } from '../../bench-folder.ts'
import { mkfifoSync } from '../../host/root/make-odd-files.ts'
import { filesOf, pathsOf } from './found.ts'

const TREE = { 'a/b/c/d/e/f.txt': '', 'a/b/c/d/5.txt': '', 'a/one.txt': '1', 'two.txt': '22' }

/** A folder with links of every kind. */
function linked(): Bench {
  const b = bench({ 'd/f.txt': 'xx', 'd/.hidden': '', '../outside/secret.txt': 'secret' })
  symlinkSync('d', join(b.root, 'to-dir'))
  symlinkSync('d/f.txt', join(b.root, 'to-file'))
  symlinkSync('nowhere', join(b.root, 'dangling'))
  symlinkSync('../outside', join(b.root, 'out'))
  symlinkSync('../outside/secret.txt', join(b.root, 'out-file'))
  symlinkSync('..', join(b.root, 'd', 'up'))
  symlinkSync('self', join(b.root, 'self'))
  return b
}

describe('list_files', () => {
  it('F-TOOL-list_files: gives the files of the root with size, time and kind, by path', async () => {
    const b = bench({ 'b.txt': 'bb', 'a/x.txt': '', 'a.txt': 'a', 'a-b': '', a0: '' })
    utimesSync(join(b.root, 'b.txt'), 1_700_000_000, 1_700_000_000.5)
    const result = await b.call('list_files', {})
    expect(pathsOf(result)).toEqual(['a-b', 'a.txt', 'a/x.txt', 'a0', 'b.txt'])
    expect(filesOf(result).at(-1)).toEqual({ path: 'b.txt', size: 2, mtime: 1_700_000_000_500, type: 'file' })
    expect(outputOf(result)['truncated']).toBe(false)
    if (!result.ok) throw new Error('no success')
    expect(result.content).toBe('a/\na-b\na.txt\na0\nb.txt\na/x.txt')
  })

  it('F-TOOL-list_files: orders by code point, also beyond the basic plane', async () => {
    const b = bench({ '\u{1F600}': '', '\uFFFD': '', Z: '', a: '', ä: '' })
    expect(pathsOf(await b.call('list_files', {}))).toEqual(['Z', 'a', 'ä', '\uFFFD', '\u{1F600}'])
  })

  it('F-TOOL-list_files: lists a folder, with paths that other calls can use', async () => {
    const b = bench(TREE)
    for (const directory of ['a', './a/', 'a//.']) {
      expect(pathsOf(await b.call('list_files', { directory, max_depth: 1 }))).toEqual(['a/one.txt'])
    }
    const absolute = join(b.root, 'a')
    expect(pathsOf(await b.call('list_files', { directory: absolute, max_depth: 1 }))).toEqual(['a/one.txt'])
  })

  it('F-TOOL-list_files: goes five levels down, or as many as asked for', async () => {
    const b = bench(TREE)
    expect(pathsOf(await b.call('list_files', {}))).toEqual(['a/b/c/d/5.txt', 'a/one.txt', 'two.txt'])
    expect(pathsOf(await b.call('list_files', { max_depth: 1 }))).toEqual(['two.txt'])
    expect(pathsOf(await b.call('list_files', { max_depth: 6 }))).toContain('a/b/c/d/e/f.txt')
    const config = { 'tools.list_files.max_depth': 2 }
    expect(pathsOf(await b.call('list_files', {}, { config }))).toEqual(['a/one.txt', 'two.txt'])
  })

  it('F-TOOL-list_files: shows hidden files when asked, but git and node_modules only by name', async () => {
    const b = bench({
      '.hidden': '',
      '.dir/f': '',
      'a/.b': '',
      '.git/HEAD': '',
      '.git/config': 'secret',
      'node_modules/m/i.js': '',
      'a/node_modules/n.js': '',
      f: '',
    })
    expect(pathsOf(await b.call('list_files', {}))).toEqual(['f'])
    const hidden = await b.call('list_files', { include_hidden: true })
    expect(pathsOf(hidden)).toEqual(['.dir/f', '.hidden', 'a/.b', 'f'])
    expect(pathsOf(await b.call('list_files', { directory: 'node_modules/m' }))).toEqual([
      'node_modules/m/i.js',
    ])
    expect(pathsOf(await b.call('list_files', { directory: '.git' }))).toEqual(['.git/HEAD'])
    const config = { 'tools.ignore.patterns': ['f'] }
    expect(pathsOf(await b.call('list_files', {}, { config }))).toEqual([
      'a/node_modules/n.js',
      'node_modules/m/i.js',
    ])
  })

  it('F-TOOL-list_files: leaves links out, or follows those that stay inside', async () => {
    const b = linked()
    expect(pathsOf(await b.call('list_files', {}))).toEqual(['d/f.txt'])
    const followed = await b.call('list_files', { follow_symlinks: true })
    expect(pathsOf(followed)).toEqual(['d/f.txt', 'to-dir/f.txt', 'to-file'])
    expect(filesOf(followed).at(-1)).toMatchObject({ size: 2, type: 'file' })
    expect(JSON.stringify(followed)).not.toContain('secret')
    expect(pathsOf(await b.call('list_files', { directory: 'to-dir' }))).toEqual(['to-dir/f.txt'])
  })

  it('F-TOOL-list_files: is not caught in links that lead to each other', async () => {
    const b = bench({ 'a/1': '', 'b/2': '' })
    symlinkSync('../b', join(b.root, 'a', 'to-b'))
    symlinkSync('../a', join(b.root, 'b', 'to-a'))
    const args = { follow_symlinks: true, max_depth: 100 }
    expect(pathsOf(await b.call('list_files', args))).toEqual(['a/1', 'a/to-b/2', 'b/2', 'b/to-a/1'])
  })

  it('F-TOOL-list_files: lists files only', async () => {
    const b = bench({ f: '', 'd/g': '' })
    mkfifoSync(join(b.root, 'pipe'))
    mkdirSync(join(b.root, 'empty'))
    expect(pathsOf(await b.call('list_files', {}))).toEqual(['d/g', 'f'])
  })

  it('F-TOOL-list_files: denied files are not there, whatever is asked for', async () => {
    const b = bench({ '.env': 'S', '.env.example': '', 'key.pem': 'S', 'd/.ssh/id': 'S', f: '' })
    const args = { include_hidden: true, follow_symlinks: true }
    expect(pathsOf(await b.call('list_files', args))).toEqual(['.env.example', 'f'])
    symlinkSync('key.pem', join(b.root, 'plain'))
    expect(pathsOf(await b.call('list_files', args))).toEqual(['.env.example', 'f'])
    expect(errorOf(await b.call('list_files', { directory: 'd/.ssh' })).code).toBe('denied_pattern')
  })

  it('does not count folders beyond the most names it visits', async () => {
    const names = Array.from({ length: 20 }, (_, at) => [`node_modules/m${at}/i.js`, ''] as const)
    const b = bench({ ...Object.fromEntries(names), f: '' })
    const foldersWith = async (most: number) => {
      const result = await b.call('list_files', {}, { config: { 'tools.walk.max_entries': most } })
      expect(pathsOf(result)).toEqual(['f'])
      return [outputOf(result)['folders'], result.content]
    }
    const folder = { path: 'node_modules', ignored: true }
    expect(await foldersWith(22)).toEqual([
      [{ ...folder, entries: 20 }],
      'f\nnode_modules/ (ignored, 20 entries)',
    ])
    expect(await foldersWith(21)).toEqual([
      [{ ...folder, entries: null }],
      'f\nnode_modules/ (ignored, not counted)',
    ])
  })

  it('F-TOOL-list_files: says that there are more than the most it returns', async () => {
    const b = bench(Object.fromEntries(Array.from({ length: 12 }, (_, at) => [`f${at}`, ''])))
    const cut = async (most: number) => {
      const result = await b.call('list_files', {}, { config: { 'tools.list_files.max_results': most } })
      return [pathsOf(result).length, outputOf(result)['truncated']]
    }
    expect(await cut(11)).toEqual([11, true])
    expect(await cut(12)).toEqual([12, false])
    const first = await b.call('list_files', {}, { config: { 'tools.list_files.max_results': 3 } })
    expect(pathsOf(first)).toEqual(['f0', 'f1', 'f10'])
    const walked = await b.call('list_files', {}, { config: { 'tools.walk.max_entries': 5 } })
    expect([pathsOf(walked).length, outputOf(walked)['truncated']]).toEqual([5, true])
  })

  it('F-TOOL-list_files: fits the answer and says so', async () => {
    const b = bench(Object.fromEntries(Array.from({ length: 50 }, (_, at) => [`file-${at}`, ''])))
    const result = await b.call('list_files', {}, { config: { 'tools.output.max_bytes': 400 } })
    expect(outputOf(result)['truncated']).toBe(true)
    expect(Buffer.byteLength(result.content)).toBeLessThanOrEqual(400)
    expect(pathsOf(result)).toEqual(['file-0', 'file-1', 'file-10', 'file-11', 'file-12'])
    const tiny = await b.call('list_files', {}, { config: { 'tools.output.max_bytes': 20 } })
    expect(errorOf(tiny)).toMatchObject({ code: 'execution_failed' })
  })

  it.for([
    [{ directory: 'nope' }, 'execution_failed', 'path does not exist: nope'],
    [{ directory: 'f' }, 'execution_failed', 'path is not a directory: f'],
    [{ directory: '../x' }, 'path_outside_sandbox', '".."'],
    [{ directory: '/etc' }, 'path_outside_sandbox', '/etc'],
    [{ directory: '' }, 'bad_args', 'directory'],
    [{ max_depth: 0 }, 'bad_args', 'max_depth'],
    [{ max_depth: '5' }, 'bad_args', 'max_depth'],
    [{ depth: 5 }, 'bad_args', 'depth'],
  ] as const)('F-TOOL-list_files: %j is refused with %s', async ([args, code, words]) => {
    const error = errorOf(await bench({ f: '' }).call('list_files', args))
    expect(error.code).toBe(code)
    expect(error.message).toContain(words)
  })

  it('F-TOOL-list_files: does not walk more of a large tree than it shows', async () => {
    const names = Array.from({ length: 40 }, (_, at) => `${String(at).padStart(2, '0')}`)
    const b = bench(Object.fromEntries(names.flatMap((d) => names.map((f) => [`${d}/${f}`, '']))))
    const config = { 'tools.list_files.max_results': 10, 'tools.walk.max_entries': 60 }
    const result = await b.call('list_files', {}, { config })
    // With a limit on the names looked at, only a walk that stops early can show ten.
    expect(pathsOf(result)).toEqual(names.slice(0, 10).map((f) => `00/${f}`))
  })

  it('F-TOOL-list_files: stops when it is cancelled', async () => {
    const b = bench(Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`d${at}/f`, ''])))
    const stop = new AbortController()
    const running = b.call('list_files', {}, {}, { signal: stop.signal })
    stop.abort()
    expect(errorOf(await running).code).toBe('cancelled')
  })
})

describe('what a model reads of list_files', () => {
  const many = (folder: string, count: number): Readonly<Record<string, string>> =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`${folder}/f${at}`, '']))

  it('is level by level: folders with a slash, ignored ones with a count', async () => {
    const b = bench({
      '.gitignore': 'out\n',
      'README.md': '# T\n',
      'src/a.ts': '',
      'src/lib/b.ts': '',
      ...many('node_modules', 3),
      ...many('out', 1),
    })
    const result = await b.call('list_files', {})
    expect(result.content).toBe(
      'README.md\nnode_modules/ (ignored, 3 entries)\nout/ (ignored, 1 entry)\nsrc/\nsrc/a.ts\nsrc/lib/\nsrc/lib/b.ts',
    )
    expect(outputOf(result)['folders']).toEqual([
      { path: 'node_modules', entries: 3, ignored: true },
      { path: 'out', entries: 1, ignored: true },
      { path: 'src', entries: 2, ignored: false },
      { path: 'src/lib', entries: 1, ignored: false },
    ])
    expect((await b.call('list_files', { directory: 'src' })).content).toBe(
      'src/a.ts\nsrc/lib/\nsrc/lib/b.ts',
    )
    expect((await b.call('list_files', { max_depth: 1 })).content).toMatch(/\nsrc\/ \(2 entries\)$/)
  })

  it('has sizes if asked for', async () => {
    const { content } = await bench({ 'a.txt': 'abc' }).call('list_files', { sizes: true })
    expect(content).toBe('a.txt (3 bytes)')
  })

  it('never hides the top level behind a large folder, and says how to see what is left out', async () => {
    const b = bench({ ...many('a', 300), ...many('b/c', 5), 'z.txt': '' })
    for (const most of [1_000, 4]) {
      const config = { 'tools.list_files.max_results': most }
      const { content } = await b.call('list_files', {}, { config })
      expect(content).toMatch(/^a\/.*\nb\/.*\nz\.txt\n/)
      expect(content).toContain('list_files with directory')
    }
    const { content } = await b.call('list_files', {})
    expect(content).toMatch(/^a\/ \(300 entries\)\nb\/\nz\.txt\nb\/c\/\nb\/c\/f0\n/)
    const config = { 'tools.output.max_bytes': 600 }
    expect((await b.call('list_files', {}, { config })).content).toMatch(/^a\/.*\nb\/.*\nz\.txt\n/)
  })
})
