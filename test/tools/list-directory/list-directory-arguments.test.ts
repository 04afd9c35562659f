import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { listDirectory } from '../../../src/tools/list-directory.ts'
import { bench, errorOf, outputOf } from '../../bench-folder.ts'
import { pathsOf, TREE } from './listing.ts'

describe('arguments', () => {
  it.for(['', ' ', '\t\n', '\u00A0'])('FR-LD-VAL-01: the empty path %j is refused', async (path) => {
    const error = errorOf(await bench().call('list_directory', { path }))
    expect(error).toMatchObject({ code: 'bad_args', state: 'FAILED' })
    expect(error.message).toContain('path must not be empty')
  })

  it('FR-LD-VAL-02: a depth other than 1 needs recursion', async () => {
    const b = bench(TREE)
    for (const recursive of [undefined, false]) {
      const args = { path: '.', ...(recursive === undefined ? {} : { recursive }) }
      const error = errorOf(await b.call('list_directory', { ...args, max_depth: 2 }))
      expect(error).toMatchObject({ code: 'bad_args', kind: 'BadArgs' })
      expect(error.message).toMatch(/max_depth 2.*recursive/)
      expect(pathsOf(await b.call('list_directory', { ...args, max_depth: 1 }))).toEqual(['a', 'b.txt'])
    }
  })

  it.each([
    [{ path: '.' }, 'List . [depth 1]'],
    [{ path: '.', recursive: true }, 'List . [depth 4]'],
    [{ path: ' src ', recursive: true, max_depth: 2 }, 'List src [depth 2]'],
  ])('a question about %j names the depth that holds', (args, summary) => {
    expect(listDirectory.summary(args, { 'tools.list_directory.max_depth': 4 })).toBe(summary)
  })

  it('FR-LD-VAL-03: recursion without a depth goes as deep as is configured', async () => {
    const b = bench({ '1/2/3/4/5/f': '' })
    expect(pathsOf(await b.call('list_directory', { path: '.', recursive: true }))).toEqual([
      '1',
      '1/2',
      '1/2/3',
      '1/2/3/4',
    ])
    const config = { 'tools.list_directory.max_depth': 2 }
    expect(pathsOf(await b.call('list_directory', { path: '.', recursive: true }, { config }))).toEqual([
      '1',
      '1/2',
    ])
  })

  it('FR-LD-VAL-04: more entries than the limit cannot be asked for', async () => {
    const b = bench(TREE)
    const error = errorOf(await b.call('list_directory', { path: '.', max_entries: 201 }))
    expect(error).toMatchObject({ code: 'bad_args', kind: 'BadArgs', state: 'FAILED' })
    expect(error.message).toMatch(/max_entries 201.*200/)
    expect(outputOf(await b.call('list_directory', { path: '.', max_entries: 200 }))['max_entries']).toBe(200)
  })

  it('FR-LD-VAL-05: files, folders or links have to be wanted, and odd files alone are not enough', async () => {
    const b = bench(TREE)
    const none = { path: '.', include_files: false, include_dirs: false, include_symlinks: false }
    for (const args of [none, { ...none, include_other: true }]) {
      const error = errorOf(await b.call('list_directory', args))
      expect(error).toMatchObject({ code: 'bad_args', kind: 'BadArgs' })
      expect(error.message).toMatch(/include_files.*include_dirs.*include_symlinks/)
    }
    for (const one of ['include_files', 'include_dirs', 'include_symlinks']) {
      expect((await b.call('list_directory', { ...none, [one]: true })).ok).toBe(true)
    }
    const config = {
      'tools.list_directory.include_files_default': false,
      'tools.list_directory.include_dirs_default': false,
    }
    const left = { path: '.', include_symlinks: false }
    expect(errorOf(await b.call('list_directory', left, { config })).code).toBe('bad_args')
  })

  it('FR-LD-VAL-06a: what the call says beats the configuration, and that beats what is built in', async () => {
    const b = bench(TREE)
    const config = {
      'tools.list_directory.include_hidden_default': true,
      'tools.list_directory.max_depth': 2,
    }
    const list = async (args: object, given: Record<string, unknown>) =>
      pathsOf(await b.call('list_directory', { path: '.', ...args }, { config: given }))
    expect(await list({}, {})).toEqual(['a', 'b.txt'])
    expect(await list({}, config)).toEqual(['.secret', 'a', 'b.txt'])
    expect(await list({ include_hidden: false }, config)).toEqual(['a', 'b.txt'])
    expect(await list({ recursive: true, max_depth: 1 }, config)).toEqual(['.secret', 'a', 'b.txt'])
    expect(await list({ recursive: true }, config)).toEqual(['.secret', 'a', 'a/deep', 'a/one.txt', 'b.txt'])
  })

  it('FR-LD-VAL-06b, CFG-LD-03: the configured depth is what a call gets, and the most it may ask for', async () => {
    const b = bench(TREE)
    const config = { 'tools.list_directory.max_depth': 3 }
    const error = errorOf(
      await b.call('list_directory', { path: '.', recursive: true, max_depth: 4 }, { config }),
    )
    expect(error).toMatchObject({ code: 'bad_args', kind: 'BadArgs' })
    expect(error.message).toMatch(/max_depth 4.*3/)
    const asked = await b.call('list_directory', { path: '.', recursive: true, max_depth: 3 }, { config })
    const left = await b.call('list_directory', { path: '.', recursive: true }, { config })
    expect(asked.content).toBe(left.content)
    expect(
      errorOf(await b.call('list_directory', { path: '.', recursive: true, max_depth: 5 })).message,
    ).toContain('4')
  })

  it('CFG-LD-02: the configured number of entries is what a call gets, and the most it may ask for', async () => {
    const b = bench(TREE)
    const config = { 'tools.list_directory.max_entries': 1 }
    expect(outputOf(await b.call('list_directory', { path: '.' }, { config }))).toMatchObject({
      returned: 1,
      max_entries: 1,
      truncated: true,
    })
    expect(errorOf(await b.call('list_directory', { path: '.', max_entries: 2 }, { config })).code).toBe(
      'bad_args',
    )
  })

  it('CFG-LD-04: each configured default holds where the call says nothing', async () => {
    const b = bench({ file: '', 'dir/x': '', '.hidden': '' })
    symlinkSync('file', join(b.root, 'link'))
    const list = async (key: string, value: boolean, args: object = {}) => {
      const config = { [`tools.list_directory.include_${key}_default`]: value }
      return pathsOf(await b.call('list_directory', { path: '.', ...args }, { config }))
    }
    expect(await list('files', false)).toEqual(['dir', 'link'])
    expect(await list('files', false, { include_files: true })).toEqual(['dir', 'file', 'link'])
    expect(await list('dirs', false)).toEqual(['file', 'link'])
    expect(await list('dirs', false, { include_dirs: true })).toEqual(['dir', 'file', 'link'])
    expect(await list('symlinks', false)).toEqual(['dir', 'file'])
    expect(await list('symlinks', false, { include_symlinks: true })).toEqual(['dir', 'file', 'link'])
    expect(await list('hidden', true)).toEqual(['.hidden', 'dir', 'file', 'link'])
    expect(await list('hidden', true, { include_hidden: false })).toEqual(['dir', 'file', 'link'])
  })

  it('FR-LD-ERR-01: bad arguments are told apart and the message says what to do', async () => {
    const b = bench(TREE)
    const message = async (args: object) => {
      const error = errorOf(await b.call('list_directory', args))
      expect(error).toMatchObject({
        code: 'bad_args',
        kind: 'BadArgs',
        type: 'validation-error',
        state: 'FAILED',
      })
      return error.message
    }
    expect(await message({})).toContain('"path"')
    expect(await message({ path: 3 })).toContain('args.path must be string')
    expect(await message({ path: '.', max_entries: 0 })).toContain('args.max_entries')
    expect(await message({ path: '.', max_depth: 0, recursive: true })).toContain('args.max_depth')
    expect(await message({ path: '.', max_entries: 1.5 })).toContain('integer')
    expect(await message({ path: '.', recursive: 'yes' })).toContain('boolean')
    expect(await message({ path: '.', includeHidden: true })).toContain('did you mean "include_hidden"')
    expect(await message({ path: '' })).toContain('"."')
  })
})
