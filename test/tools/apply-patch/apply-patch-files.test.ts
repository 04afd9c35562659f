import { chmodSync, lstatSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { errorOf } from '../../bench-folder.ts'
import { editBench } from '../edits/edit-bench.ts'

const append = (path: string): readonly string[] => [`F ${path}`, 'T', 'new', '.']

describe('all or nothing', () => {
  it('FR-TOOL-PATCH-01a: files land together, and one that cannot be changed keeps all of them', async () => {
    const bench = await editBench({ 'a.txt': 'a\n', 'b.txt': 'b\n', 'locked.txt': 'c\n' })
    chmodSync(join(bench.root, 'locked.txt'), 0o444)
    await bench.see('a.txt', 'b.txt', 'locked.txt')
    const before = bench.tree()
    const files = [...append('a.txt'), ...append('n/new.txt'), ...append('b.txt')]
    const error = errorOf(await bench.patch(...files, ...append('locked.txt')))
    expect(error).toMatchObject({ code: 'execution_failed', state: 'ROLLED_BACK' })
    expect(error.message).toContain('locked.txt is read-only')
    expect(bench.tree()).toEqual(before)
    expect((await bench.patch(...files)).content).toBe(
      'modified: a.txt\ncreated: n/new.txt\nmodified: b.txt\na.txt\n+2: new\nb.txt\n+2: new',
    )
    expect([bench.raw('a.txt'), bench.raw('n/new.txt'), bench.raw('b.txt')]).toEqual([
      'a\nnew\n',
      'new\n',
      'b\nnew\n',
    ])
  })

  it('T-PATCH-01: a failure at the last file leaves no partial writes', async () => {
    const bench = await editBench({ 'a.txt': 'a\n', 'z.txt': 'z\n' })
    await bench.see('a.txt', 'z.txt')
    const before = bench.tree()
    const result = await bench.patch(...append('a.txt'), ...append('n/m/new.txt'), 'F z.txt', 'E', 'no', '.')
    expect(errorOf(result)).toMatchObject({ code: 'patch_failed', details: { file: 'z.txt', line: 11 } })
    expect(bench.tree()).toEqual(before)
  })

  it.for(['.git/x', '.git/hooks/pre-commit', 'sub/.git', 'k.pem', 'K.PEM', '.env', '.ssh/id'])(
    '%s among good files is denied, and nothing is changed',
    async (path) => {
      const bench = await editBench({ 'a.txt': 'a\n', '.git/x': 'git\n' })
      await bench.see('a.txt')
      const before = bench.tree()
      const error = errorOf(await bench.patch(...append('a.txt'), ...append(path), ...append('n.txt')))
      expect(error).toMatchObject({ code: 'denied_pattern', state: 'DENIED' })
      expect(bench.tree()).toEqual(before)
    },
  )

  it.for([
    ['a', 'a/b'],
    ['a/b', 'a'],
    ['a', 'a/b/c/d'],
    ['x/a/b/c', 'x/a'],
  ] as const)('%s and %s cannot both be new files', async ([first, second]) => {
    const bench = await editBench()
    const error = errorOf(await bench.patch(...append(first), ...append(second)))
    expect(error).toMatchObject({ code: 'execution_failed', state: 'ROLLED_BACK' })
    expect(error.message).toContain('a file and a folder at once')
    expect(bench.tree()).toEqual({})
  })

  it('names that only begin alike are no clash', async () => {
    const bench = await editBench()
    expect((await bench.patch(...append('a'), ...append('ab/c'), ...append('a.d/e'))).ok).toBe(true)
  })

  it('a file cannot become the folder of another', async () => {
    const bench = await editBench({ a: 'a\n' })
    await bench.see('a')
    const before = bench.tree()
    const error = errorOf(await bench.patch(...append('a'), ...append('a/b')))
    expect(error).toMatchObject({ code: 'execution_failed', state: 'ROLLED_BACK' })
    expect(bench.tree()).toEqual(before)
  })
})

describe('lossless edits', () => {
  const BOM = '\xEF\xBB\xBF'

  it.for([
    [
      'CRLF is kept and new lines take it',
      'a\r\nb\r\n',
      ['I', 'a', '.', 'x', '.'],
      'a\r\nx\r\nb\r\n',
      '+2: x',
    ],
    ['mixed endings are kept', 'p\r\nq\nr\r\n', ['I', 'q', '.', 'x', '.'], 'p\r\nq\nx\r\nr\r\n', '+3: x'],
    ['a byte order mark stays first', `${BOM}a\n`, ['B', 'x', '.'], `${BOM}x\na\n`, '-1: a\n+1: x\n+2: a'],
    [
      'a missing final newline stays missing',
      'a\nb',
      ['T', 'c', '.'],
      'a\nb\nc',
      '-2: b [no newline at the end]\n+2: b\n+3: c [no newline at the end]',
    ],
    [
      'blanks and odd characters are kept',
      'a \t\n\x0c\x00\n\xC3\xA9\n',
      ['T', 'x', '.'],
      'a \t\n\x0c\x00\n\xC3\xA9\nx\n',
      '+4: x',
    ],
    ['removing every line leaves the empty file', 'a\n', ['E', 'a', '.'], '', '-1: a'],
    ['N - takes the final newline', 'a\n', ['N -'], 'a', '-1: a\n+1: a [no newline at the end]'],
  ] as const)('%s', async ([, before, ops, after, shown]) => {
    const bench = await editBench({ 'f.txt': Buffer.from(before, 'latin1') })
    await bench.see('f.txt')
    expect((await bench.patch('F f.txt', ...ops)).content).toBe(`modified: f.txt\n${shown}`)
    expect(bench.raw('f.txt')).toBe(after)
  })

  it.for([0o755, 0o640, 0o600])('mode %o survives', async (mode) => {
    const bench = await editBench({ 'f.sh': 'a\n' })
    chmodSync(join(bench.root, 'f.sh'), mode)
    await bench.see('f.sh')
    await bench.patch(...append('f.sh'))
    expect(bench.tree()).toEqual({ 'f.sh': `${mode.toString(8)} a\nnew\n` })
  })
})

describe('links', () => {
  it('a link inside the root is edited at its target and stays a link', async () => {
    const bench = await editBench({ 'sub/real.txt': 'a\n' })
    symlinkSync('sub/real.txt', join(bench.root, 'link.txt'))
    await bench.see('link.txt')
    const result = await bench.patch(...append('link.txt'), ...append('sub/real.txt'))
    expect(result.content).toBe('modified: sub/real.txt\n+2: new\n+3: new')
    expect(lstatSync(join(bench.root, 'link.txt')).isSymbolicLink()).toBe(true)
    expect(bench.raw('sub/real.txt')).toBe('a\nnew\nnew\n')
  })

  it('a path through a link to outside is refused, and nothing is made there', async () => {
    const bench = await editBench({ 'a.txt': 'a\n' })
    const outside = join(bench.top, 'outside')
    mkdirSync(outside)
    writeFileSync(join(outside, 'f.txt'), 'f\n')
    symlinkSync(outside, join(bench.root, 'out'))
    symlinkSync(join(outside, 'dangling.txt'), join(bench.root, 'dangling.txt'))
    await bench.see('a.txt')
    const before = bench.tree()
    for (const path of ['out/f.txt', 'out/new.txt', 'dangling.txt']) {
      const error = errorOf(await bench.patch(...append('a.txt'), ...append(path)))
      expect(error).toMatchObject({ code: 'path_outside_sandbox', state: 'DENIED' })
    }
    expect(bench.tree()).toEqual(before)
    expect(lstatSync(join(outside, 'f.txt')).size).toBe(2)
  })
})
