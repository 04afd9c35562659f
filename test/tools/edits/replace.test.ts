import { chmodSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { errorOf, outputOf } from '../../bench-folder.ts'
import { editBench } from './edit-bench.ts'

const FILES = {
  'src/a.ts': 'const size = 1\nexport const resize = size + size\n',
  'src/b.ts': 'import { size } from "./a.ts"\n',
  'test/a.test.ts': 'size()\n',
  'README.md': 'The size.\n',
}

describe.each(['auto', 'built_in'])('replace (engine %s)', (engine) => {
  const config = { 'tools.search.engine': engine }
  const open = (files: Readonly<Record<string, string | Uint8Array>> = FILES) => editBench(files, { config })

  it('changes every match in the files that globs name, without reading them first', async () => {
    const b = await open()
    const result = await b.run('replace', { old: 'size', new: 'width', paths: ['src/**/*.ts', 'test'] })
    expect(outputOf(result)).toMatchObject({
      replaced: 6,
      files: [
        { path: 'src/a.ts', replaced: 4 },
        { path: 'src/b.ts', replaced: 1 },
        { path: 'test/a.test.ts', replaced: 1 },
      ],
      skipped: [],
      dry_run: false,
    })
    expect(b.raw('src/a.ts')).toBe('const width = 1\nexport const rewidth = width + width\n')
    expect(b.raw('README.md')).toBe(FILES['README.md'])
    expect(result.content).toBe(
      'replaced 6 matches in 3 files\nsrc/a.ts\n-1: const size = 1\n-2: export const resize = size + size\n+1: const width = 1\n+2: export const rewidth = width + width\nsrc/b.ts\n-1: import { size } from "./a.ts"\n+1: import { width } from "./a.ts"\ntest/a.test.ts\n-1: size()\n+1: width()',
    )
  })

  it('leaves longer words alone if whole words are wanted', async () => {
    const b = await open()
    const args = { old: 'size', new: 'width', paths: ['src'], whole_word: true }
    expect(outputOf(await b.run('replace', args))['replaced']).toBe(4)
    expect(b.raw('src/a.ts')).toBe('const width = 1\nexport const resize = width + width\n')
    b.put('u.txt', 'größe größer übergröße größe_\n')
    const word = { old: 'größe', new: 'x', paths: ['u.txt'], whole_word: true }
    expect(outputOf(await b.run('replace', word))['replaced']).toBe(1)
    expect(Buffer.from(b.raw('u.txt') ?? '', 'latin1').toString()).toBe('x größer übergröße größe_\n')
  })

  it('fills in the groups of a regular expression', async () => {
    const b = await open({ 'a.ts': 'f(1, "é", 2)\r\nf(3,4)\n' })
    const args = { old: '(\\d+), ?("?[^,]*"?)', new: '[$2|$1|$&|$$|$9]', paths: ['a.ts'], is_regex: true }
    expect((await b.run('replace', args)).ok).toBe(true)
    expect(Buffer.from(b.raw('a.ts') ?? '', 'latin1').toString()).toBe(
      'f(["é"|1|1, "é"|$|$9], 2)\r\nf([4)|3|3,4)|$|$9]\n',
    )
    const named = {
      old: 'f\\((?<what>.)',
      new: 'g($<what>',
      paths: ['a.ts'],
      is_regex: true,
      whole_word: false,
    }
    expect((await b.run('replace', named)).ok).toBe(true)
    expect(b.raw('a.ts')).toMatch(/^g\(\[/)
  })

  it('takes dollars of a plain text as they are', async () => {
    const b = await open({ 'a.txt': 'price\n' })
    await b.run('replace', { old: 'price', new: '$1 $& $$', paths: ['a.txt'] })
    expect(b.raw('a.txt')).toBe('$1 $& $$\n')
  })

  it('replaces a text of several lines, also in a file with CRLF', async () => {
    const b = await open({
      'a.txt': 'one\ntwo\nthree\n',
      'b.txt': 'one\r\ntwo\r\nthree\r\n',
      'c.txt': 'two\n',
    })
    const args = { old: 'one\ntwo', new: '1\n2', paths: ['*.txt'] }
    expect(outputOf(await b.run('replace', args))['replaced']).toBe(2)
    expect([b.raw('a.txt'), b.raw('b.txt'), b.raw('c.txt')]).toEqual([
      '1\n2\nthree\n',
      '1\r\n2\r\nthree\r\n',
      'two\n',
    ])
  })

  it('removes empty lines, which no line of the text names', async () => {
    const b = await open({ 'a.txt': 'one\n\n\ntwo\n', 'b.txt': 'one\ntwo\n' })
    expect(outputOf(await b.run('replace', { old: '\n\n\n', new: '\n', paths: ['*.txt'] }))).toMatchObject({
      files: [{ path: 'a.txt', replaced: 1 }],
    })
    expect(b.raw('a.txt')).toBe('one\ntwo\n')
  })

  it('keeps the line endings of each file where a line becomes several', async () => {
    const b = await open({ 'a.txt': 'one\ntwo\n', 'b.txt': 'one\r\ntwo\r\n', 'c.txt': 'one\r\ntwo\n' })
    await b.run('replace', { old: 'one', new: '1\n1', paths: ['*.txt'] })
    await b.run('replace', { old: 'tw(o)', new: '2\n$1', paths: ['*.txt'], is_regex: true })
    expect(b.raw('a.txt')).toBe('1\n1\n2\no\n')
    expect(b.raw('b.txt')).toBe('1\r\n1\r\n2\r\no\r\n')
    expect(b.raw('c.txt')).toBe('1\n1\r\n2\no\n')
    await b.run('replace', { old: '\r\n', new: '\n', paths: ['b.txt'] })
    expect(b.raw('b.txt')).toBe('1\n1\n2\no\n')
  })

  it('changes nothing if the walk cannot see all of the paths', async () => {
    const limited = { ...config, 'tools.walk.max_entries': 4 }
    const b = await editBench(FILES, { config: limited })
    const before = b.tree()
    const error = errorOf(await b.run('replace', { old: 'size', new: 'width', paths: ['**'] }))
    expect(error).toMatchObject({ code: 'limit_exceeded', state: 'ROLLED_BACK', details: { limit: 4 } })
    expect(b.tree()).toEqual(before)
    expect(outputOf(await b.run('replace', { old: 'size', new: 'width', paths: ['src'] }))['replaced']).toBe(
      5,
    )
  })

  it('visits each name once', async () => {
    const limited = { ...config, 'tools.walk.max_entries': 6 }
    const b = await editBench(FILES, { config: limited })
    expect((await b.run('replace', { old: 'size', new: 'width', paths: ['**'] })).ok).toBe(true)
  })

  it('names files that are too large, and those with a match that are not text', async () => {
    const limited = { ...config, 'tools.edit.max_file_bytes': 100 }
    const b = await editBench(
      {
        'a.txt': 'size\n',
        'big.txt': 'size\n'.repeat(50),
        'latin.txt': Buffer.from('size gr\xf6\xdfe\n', 'latin1'),
        'zero.dat': Buffer.from('\0\0size\0'),
        'other.dat': Buffer.from('\0\0'),
      },
      { config: limited },
    )
    const before = b.tree()
    const result = await b.run('replace', { old: 'size', new: 'width', paths: ['**'] })
    expect(outputOf(result)['skipped']).toEqual([
      {
        path: 'big.txt',
        why: 'it is larger than 100 bytes, the limit for a file that is searched and edited',
      },
      { path: 'latin.txt', why: 'it is binary, or not encoded in UTF-8' },
      { path: 'zero.dat', why: 'it is binary, or not encoded in UTF-8' },
    ])
    expect(result.content).toContain('\n[skipped zero.dat: it is binary, or not encoded in UTF-8]')
    expect(b.tree()).toMatchObject({ 'big.txt': before['big.txt'], 'zero.dat': before['zero.dat'] })
  })

  it.each([
    ['lines', 'one\ntwo', false],
    ['words', 'one', true],
  ])('counts only files that are changed towards the most: %s', async (_what, old, whole_word) => {
    const limited = { ...config, 'tools.edit.max_tree_files': 1 }
    const files = { 'a.txt': 'ones\nthree\n', 'b.txt': 'one\ntwo\n', 'c.txt': 'one1\n' }
    const b = await editBench(files, { config: limited })
    const args = { old, new: 'x', paths: ['*.txt'], whole_word }
    expect(outputOf(await b.run('replace', args))).toMatchObject({
      files: [{ path: 'b.txt', replaced: 1 }],
    })
  })

  it('changes nothing unless there are as many matches as expected', async () => {
    const b = await open()
    const before = b.tree()
    const args = { old: 'size', new: 'width', paths: ['src'], expected_count: 4 }
    const error = errorOf(await b.run('replace', args))
    expect(error).toMatchObject({ code: 'execution_failed', state: 'ROLLED_BACK', details: { replaced: 5 } })
    expect(error.message).toBe('4 matches were expected, and there are 5: src/a.ts (4), src/b.ts (1).')
    expect(b.tree()).toEqual(before)
    expect((await b.run('replace', { ...args, expected_count: 5 })).ok).toBe(true)
  })
})

describe('replace', () => {
  it('is one diff and one undo', async () => {
    const b = await editBench(FILES)
    const before = b.tree()
    const args = { old: 'size', new: 'width', paths: ['**'] }
    const dry = outputOf(await b.run('replace', { ...args, dry_run: true }))
    expect(b.tree()).toEqual(before)
    const done = outputOf(await b.run('replace', args))
    expect(done['diff']).toBe(dry['diff'])
    expect(String(done['diff']).match(/^\+\+\+ /gm)).toHaveLength(4)
    expect(await b.runtime.undo()).toMatchObject({ ok: true })
    expect(b.tree()).toEqual(before)
  })

  it('skips and names what is denied, and leaves ignored, hidden and binary files alone', async () => {
    const b = await editBench({
      ...FILES,
      'src/k.pem': 'size',
      '.gitignore': 'out\n',
      'out/o.ts': 'size\n',
      '.hidden.ts': 'size\n',
      'bin.dat': Buffer.from('size\0size'),
      '.env': 'size',
    })
    const result = await b.run('replace', { old: 'size', new: 'width', paths: ['**'] })
    expect(outputOf(result)['skipped']).toEqual([
      { path: 'bin.dat', why: 'it is binary, or not encoded in UTF-8' },
      { path: 'src/k.pem', why: 'its name is denied' },
    ])
    expect(result.content).toMatch(/\n\[skipped src\/k\.pem: its name is denied\]$/)
    for (const path of ['src/k.pem', 'out/o.ts', '.hidden.ts', 'bin.dat', '.env'])
      expect(b.raw(path), path).toContain('size')
    const named = errorOf(
      await b.run('replace', { old: 'size', new: 'x', paths: ['README.md', 'src/k.pem'] }),
    )
    expect(named.code).toBe('denied_pattern')
    expect(b.raw('README.md')).toBe('The width.\n')
  })

  it.each(['text', 'json'])('names every file that it changed, in style %s', async (style) => {
    const files = Object.fromEntries(Array.from({ length: 120 }, (_, at) => [`src/f${at}.ts`, 'size\n']))
    const b = await editBench(files, {
      config: { 'tools.output.style': style, 'tools.output.max_bytes': 8_000 },
    })
    const result = await b.run('replace', { old: 'size', new: 'width', paths: ['src'] })
    expect(outputOf(result)).toMatchObject({ replaced: 120 })
    for (const path of Object.keys(files)) {
      expect(result.content).toContain(path)
      expect(b.raw(path)).toBe('width\n')
    }
  })

  it.each(['text', 'json'])('says how many more files it changed than fit, in style %s', async (style) => {
    const files = Object.fromEntries(Array.from({ length: 120 }, (_, at) => [`src/f${at}.ts`, 'size\n']))
    const b = await editBench(files, {
      config: { 'tools.output.style': style, 'tools.output.max_bytes': 2_000 },
    })
    const result = await b.run('replace', { old: 'size', new: 'width', paths: ['src'] })
    const { files: named, files_more: more } = outputOf(result)
    expect(Number(more) + (Array.isArray(named) ? named.length : 0)).toBe(120)
    expect(result.content).toContain(
      style === 'json' ? '"files_more":' : `[${String(more)} more files changed: search`,
    )
    expect(b.raw('src/f119.ts')).toBe('width\n')
  })

  it('lands in all files or in none', async () => {
    const b = await editBench(FILES)
    chmodSync(join(b.root, 'src/b.ts'), 0o444)
    const before = b.tree()
    expect(errorOf(await b.run('replace', { old: 'size', new: 'x', paths: ['src'] })).state).toBe(
      'ROLLED_BACK',
    )
    expect(b.tree()).toEqual(before)
  })

  it('lets what it changed be patched, but not lines that it did not show be replaced by number', async () => {
    const b = await editBench({ 'a.txt': 'one\ntwo\nthree\n' })
    await b.run('replace', { old: 'one', new: '1', paths: ['a.txt'] })
    const region = { path: 'a.txt', start_line: 3, end_line: 3, new_content: '3' }
    expect(errorOf(await b.run('edit_region', region)).code).toBe('stale_file')
    expect((await b.patch('F a.txt', 'R', 'two', '.', '2', '.')).ok).toBe(true)
  })

  it.each([
    [{ old: 'absent', new: 'x', paths: ['**'] }, 'execution_failed', /^Nothing in \*\* matches\.$/],
    [{ old: '(', new: 'x', paths: ['**'], is_regex: true }, 'bad_args', /regular expression/],
    [{ old: 'x', new: 'x', paths: ['**'] }, 'bad_args', /same/],
    [{ old: 'a\nb', new: 'x', paths: ['**'], is_regex: true }, 'bad_args', /line break/],
    [{ old: 'x', new: 'y', paths: ['!a'] }, 'bad_args', /"!"/],
    [{ old: 'x', new: 'y', paths: [] }, 'bad_args', /paths/],
  ])('%j is refused with %s', async (args, code, message) => {
    const error = errorOf(await (await editBench(FILES)).run('replace', args))
    expect(error.code).toBe(code)
    expect(error.message).toMatch(message)
  })

  it('does not hang on a pattern that would need exponential time to fill in its groups', async () => {
    const b = await editBench({ 'a.txt': `${'a'.repeat(34)}!\n` })
    const args = { old: '^(?:(a|aa)+)+!$', new: '$1', paths: ['a.txt'], is_regex: true }
    const result = await b.run('replace', args)
    expect(result.ok || /takes more than/.test(result.error.message)).toBe(true)
  })
})
