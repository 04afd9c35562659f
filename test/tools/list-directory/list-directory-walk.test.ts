import { mkdirSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { bench, outputOf } from '../../bench-folder.ts'
import type { Bench } from '../../bench-folder.ts'
import { mkfifoSync } from '../../host/root/make-odd-files.ts'
import { entriesOf, pathsOf } from './listing.ts'

const TREE = { 'b.txt': 'bb', 'a/one.txt': '1', 'a/deep/two.txt': '22', 'c/three.txt': '333' }

/** A folder with ten files. */
function many(): Bench {
  return bench(Object.fromEntries(Array.from({ length: 10 }, (_, index) => [`f${index}`, ''])))
}

describe('which entries there are', () => {
  it('T-LD-01: by default the entries of the folder itself, sorted, at depth 1', async () => {
    const result = await bench(TREE).call('list_directory', { path: '.' })
    expect(entriesOf(result).map(({ name, depth, type }) => [name, depth, type])).toEqual([
      ['a', 1, 'dir'],
      ['b.txt', 1, 'file'],
      ['c', 1, 'dir'],
    ])
    expect(outputOf(result)).toMatchObject({
      path: '.',
      returned: 3,
      max_entries: 200,
      truncated: false,
      truncated_reason: null,
    })
  })

  it('FR-LD-LST-01: without recursion nothing below the folder is listed', async () => {
    const b = bench(TREE)
    expect(pathsOf(await b.call('list_directory', { path: 'a', recursive: false }))).toEqual([
      'deep',
      'one.txt',
    ])
    expect(pathsOf(await b.call('list_directory', { path: 'a/deep' }))).toEqual(['two.txt'])
  })

  it('FR-LD-LST-02: with recursion everything down to the depth is listed', async () => {
    const b = bench(TREE)
    const all = ['a', 'a/deep', 'a/deep/two.txt', 'a/one.txt', 'b.txt', 'c', 'c/three.txt']
    const result = await b.call('list_directory', { path: '.', recursive: true })
    expect(pathsOf(result)).toEqual(all)
    for (const { path, depth, name } of entriesOf(result)) {
      expect([depth, name]).toEqual([path.split('/').length, path.split('/').at(-1)])
    }
    expect(pathsOf(await b.call('list_directory', { path: '.', recursive: true, max_entries: 2 }))).toEqual([
      'a',
      'a/deep',
    ])
  })

  it('T-LD-04: a depth limits a recursive listing', async () => {
    const b = bench({ '1/2/3/4/f': '', '1/f': '' })
    for (const [max_depth, paths] of [
      [1, ['1']],
      [2, ['1', '1/2', '1/f']],
      [3, ['1', '1/2', '1/2/3', '1/f']],
    ] as const) {
      const result = await b.call('list_directory', { path: '.', recursive: true, max_depth })
      expect(pathsOf(result)).toEqual(paths)
      expect(outputOf(result)['truncated']).toBe(false)
    }
  })

  it('FR-LD-LST-03: neither the folder itself nor the one above is an entry', async () => {
    const b = bench({ '...': '', '.x': '', 'd/.y': '' })
    const result = await b.call('list_directory', { path: '.', recursive: true, include_hidden: true })
    expect(pathsOf(result)).toEqual(['...', '.x', 'd', 'd/.y'])
  })

  it('FR-LD-VAL-06: odd files are listed only on demand, and the switch adds nothing else', async () => {
    const b = bench({ file: '' })
    mkfifoSync(join(b.root, 'pipe'))
    const server = createServer()
    await new Promise<void>((resolve) => server.listen(join(b.root, 'sock'), resolve))
    try {
      expect(pathsOf(await b.call('list_directory', { path: '.' }))).toEqual(['file'])
      const all = entriesOf(await b.call('list_directory', { path: '.', include_other: true }))
      expect(
        all.map(({ name, type, size_bytes, error_code }) => [name, type, size_bytes, error_code]),
      ).toEqual([
        ['file', 'file', 0, null],
        ['pipe', 'other', null, null],
        ['sock', 'other', null, null],
      ])
      const only = { path: '.', include_other: true, include_files: false }
      expect(pathsOf(await b.call('list_directory', only))).toEqual(['pipe', 'sock'])
    } finally {
      server.close()
    }
  })

  it('leaving folders out does not keep the walk from going into them', async () => {
    const b = bench(TREE)
    const args = { path: '.', recursive: true, include_dirs: false }
    expect(pathsOf(await b.call('list_directory', args))).toEqual([
      'a/deep/two.txt',
      'a/one.txt',
      'b.txt',
      'c/three.txt',
    ])
    expect(pathsOf(await b.call('list_directory', { ...args, max_depth: 2 }))).toEqual([
      'a/one.txt',
      'b.txt',
      'c/three.txt',
    ])
  })

  it('denied entries are left out and not counted, and nothing below them is shown', async () => {
    const b = bench({
      '.env': 'K=1',
      'a.pem': '',
      'A.KEY': '',
      '.ssh/config': '',
      'd/id_rsa': '',
      'd/x': '',
      '.env.example': '',
    })
    const args = { path: '.', recursive: true, include_hidden: true }
    const result = await b.call('list_directory', { ...args, max_entries: 3 })
    expect(pathsOf(result)).toEqual(['.env.example', 'd', 'd/x'])
    expect(outputOf(result)).toMatchObject({ truncated: false, returned: 3 })
  })

  it('a deep tree is walked to the depth that was asked for', async () => {
    const b = bench()
    const deep = Array.from({ length: 60 }, () => 'd').join('/')
    b.put(`${deep}/end.txt`, '')
    const config = { 'tools.list_directory.max_depth': 1000 }
    const result = await b.call('list_directory', { path: '.', recursive: true }, { config })
    expect(entriesOf(result).at(-1)).toMatchObject({ path: `${deep}/end.txt`, depth: 61 })
  })
})

describe('hidden names', () => {
  const HIDDEN = { '.h/inner.txt': '', '.dot': '', 'v/.in': '', 'v/seen': '' }

  it('T-LD-07: they are left out unless asked for', async () => {
    const b = bench(HIDDEN)
    expect(pathsOf(await b.call('list_directory', { path: '.' }))).toEqual(['v'])
    expect(pathsOf(await b.call('list_directory', { path: '.', include_hidden: true }))).toEqual([
      '.dot',
      '.h',
      'v',
    ])
  })

  it('T-LD-11: a hidden folder is neither listed nor entered', async () => {
    const b = bench(HIDDEN)
    expect(pathsOf(await b.call('list_directory', { path: '.', recursive: true }))).toEqual(['v', 'v/seen'])
    const args = { path: '.', recursive: true, include_dirs: false }
    expect(pathsOf(await b.call('list_directory', args))).toEqual(['v/seen'])
  })

  it('FR-LD-LST-06: what is filtered out takes no place in the count', async () => {
    const b = bench({ ...HIDDEN, 'w.txt': '' })
    const result = await b.call('list_directory', { path: '.', max_entries: 2 })
    expect(pathsOf(result)).toEqual(['v', 'w.txt'])
    expect(outputOf(result)['truncated']).toBe(false)
    const dirs = await b.call('list_directory', { path: '.', include_files: false, max_entries: 1 })
    expect([pathsOf(dirs), outputOf(dirs)['truncated']]).toEqual([['v'], false])
  })

  it('FR-LD-LST-06a: only a leading dot hides a name', async () => {
    const b = bench({ '.dot': '', 'a.b': '', '~backup~': '', 'desktop.ini': '', _under: '' })
    const result = await b.call('list_directory', { path: '.', include_hidden: true })
    const hidden = entriesOf(result).filter(({ is_hidden }) => is_hidden)
    expect(hidden.map(({ name }) => name)).toEqual(['.dot'])
    expect(pathsOf(await b.call('list_directory', { path: '.' }))).toEqual([
      '_under',
      'a.b',
      'desktop.ini',
      '~backup~',
    ])
  })

  it('a hidden folder can be listed by naming it', async () => {
    expect(pathsOf(await bench(HIDDEN).call('list_directory', { path: '.h' }))).toEqual(['inner.txt'])
  })
})

describe('how many entries there are', () => {
  it('T-LD-05: a folder with more than the limit gives exactly the limit and says so', async () => {
    const result = await many().call('list_directory', { path: '.', max_entries: 4 })
    expect(outputOf(result)).toMatchObject({
      returned: 4,
      max_entries: 4,
      truncated: true,
      truncated_reason: 'max_entries',
    })
    expect(pathsOf(result)).toEqual(['f0', 'f1', 'f2', 'f3'])
  })

  it('a folder with exactly the limit is complete', async () => {
    const b = many()
    expect(outputOf(await b.call('list_directory', { path: '.', max_entries: 10 }))).toMatchObject({
      returned: 10,
      truncated: false,
      truncated_reason: null,
    })
    expect(outputOf(await b.call('list_directory', { path: '.', max_entries: 9 }))).toMatchObject({
      returned: 9,
      truncated: true,
    })
    // What comes last is nothing that was asked for, so nothing is missing.
    mkdirSync(join(b.root, 'z/z'), { recursive: true })
    const files = await b.call('list_directory', {
      path: '.',
      max_entries: 10,
      recursive: true,
      include_dirs: false,
    })
    expect(outputOf(files)['truncated']).toBe(false)
  })

  it('FR-LD-LST-07: at the limit the walk stops, in the order of the walk, and names the reason', async () => {
    // In the order of the walk `a` and all below it come before `a-b`; by path they come after it.
    const b = bench({ 'a/x': '', 'a/y': '', 'a-b': '', z: '' })
    const result = await b.call('list_directory', { path: '.', recursive: true, max_entries: 3 })
    expect(pathsOf(result)).toEqual(['a', 'a/x', 'a/y'])
    expect(outputOf(result)).toMatchObject({ truncated: true, truncated_reason: 'max_entries', returned: 3 })
  })
})
