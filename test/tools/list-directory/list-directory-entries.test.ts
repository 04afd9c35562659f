import { lutimesSync, mkdirSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { bench, outputOf } from '../../bench-folder.ts'
import type { Bench } from '../../bench-folder.ts'
import { entriesOf, pathsOf } from './listing.ts'

/** A folder with links of every kind. */
function linked(): Bench {
  const b = bench({ 'd/f': 'xx' })
  symlinkSync('d', join(b.root, 'to-dir'))
  symlinkSync('d/f', join(b.root, 'to-file'))
  symlinkSync('nowhere', join(b.root, 'dangling'))
  symlinkSync('/etc', join(b.root, 'out'))
  symlinkSync('..', join(b.root, 'd', 'up'))
  symlinkSync('self', join(b.root, 'self'))
  return b
}

describe('links', () => {
  it('T-LD-08: they are listed as links and never gone into', async () => {
    const b = linked()
    const result = await b.call('list_directory', { path: '.', recursive: true })
    expect(pathsOf(result)).toEqual(['d', 'd/f', 'd/up', 'dangling', 'out', 'self', 'to-dir', 'to-file'])
    const without = await b.call('list_directory', { path: '.', recursive: true, include_symlinks: false })
    expect(pathsOf(without)).toEqual(['d', 'd/f'])
  })

  it('FR-LD-VAL-09: a link to a folder is a link, whatever it leads to', async () => {
    const entries = entriesOf(await linked().call('list_directory', { path: '.' }))
    const links = entries.filter(({ name }) => name !== 'd')
    expect(links).toHaveLength(5)
    for (const entry of links)
      expect(entry).toMatchObject({ type: 'symlink', size_bytes: null, error_code: null, error: null })
  })

  it('NFR-LD-SEC-03: a tree of links into itself ends, and nothing outside shows', async () => {
    const b = bench({ 'a/x': '' })
    for (const name of ['l1', 'l2', 'l3']) symlinkSync('..', join(b.root, 'a', name))
    symlinkSync('/', join(b.root, 'a', 'top'))
    const config = { 'tools.list_directory.max_depth': 50 }
    const result = await b.call('list_directory', { path: '.', recursive: true }, { config })
    expect(pathsOf(result)).toEqual(['a', 'a/l1', 'a/l2', 'a/l3', 'a/top', 'a/x'])
    expect(entriesOf(result).filter(({ type }) => type === 'symlink')).toHaveLength(4)
    expect(outputOf(result)['truncated']).toBe(false)
  })

  it('the time of a link is its own', async () => {
    const b = bench({ f: '' })
    symlinkSync('f', join(b.root, 'l'))
    utimesSync(join(b.root, 'f'), 1_000, 1_000)
    lutimesSync(join(b.root, 'l'), 2_000, 2_000)
    const times = entriesOf(await b.call('list_directory', { path: '.' })).map(
      ({ modified_epoch_ms }) => modified_epoch_ms,
    )
    expect(times).toEqual([1_000_000, 2_000_000])
  })
})

describe('the fields of an entry', () => {
  it('LD/entry-fields: nine of them, in this order, with the values of the entry itself', async () => {
    const b = bench({ 'f.txt': '12345', '.h': '' })
    mkdirSync(join(b.root, 'd'))
    symlinkSync('f.txt', join(b.root, 'l'))
    utimesSync(join(b.root, 'f.txt'), 1_700_000_000.123, 1_700_000_000.123)
    const result = await b.call('list_directory', { path: '.', include_hidden: true })
    for (const entry of entriesOf(result)) {
      expect(Object.keys(entry)).toEqual([
        'name',
        'path',
        'depth',
        'type',
        'size_bytes',
        'modified_epoch_ms',
        'is_hidden',
        'error_code',
        'error',
      ])
    }
    const byName = Object.fromEntries(entriesOf(result).map((entry) => [entry.name, entry]))
    expect(byName['f.txt']).toEqual({
      name: 'f.txt',
      path: 'f.txt',
      depth: 1,
      type: 'file',
      size_bytes: 5,
      modified_epoch_ms: 1_700_000_000_123,
      is_hidden: false,
      error_code: null,
      error: null,
    })
    expect(byName['d']).toMatchObject({
      type: 'dir',
      size_bytes: null,
      modified_epoch_ms: Math.floor(statSync(join(b.root, 'd')).mtimeMs),
    })
    expect(byName['l']).toMatchObject({ type: 'symlink', size_bytes: null })
    expect(byName['.h']).toMatchObject({ type: 'file', size_bytes: 0, is_hidden: true })
  })

  it('a time before 1970 is a negative number', async () => {
    const b = bench({ old: '' })
    utimesSync(join(b.root, 'old'), new Date(-5000), new Date(-5000))
    expect(entriesOf(await b.call('list_directory', { path: '.' }))[0]?.modified_epoch_ms).toBe(-5000)
  })

  it('NFR-LD-PORT-01: parts of a path are separated by forward slashes, and a backslash in a name stays one', async () => {
    const b = bench({ 'a/b/c': '' })
    writeFileSync(join(b.root, 'a', 'x\\y'), '')
    const entries = entriesOf(await b.call('list_directory', { path: '.', recursive: true }))
    expect(entries.map(({ path, depth }) => [path, depth])).toEqual([
      ['a', 1],
      ['a/b', 2],
      ['a/b/c', 3],
      ['a/x\\y', 2],
    ])
  })
})
