import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { errorOf, outputOf } from '../../bench-folder.ts'
import { editBench } from './edit-bench.ts'

const FIVE = 'one\ntwo\nthree\nfour\nfive\n'

describe('edit_region', () => {
  it('F-TOOL-edit_region: it replaces a range of lines, keeps the rest, and says where the old content is', async () => {
    const b = await editBench({ 'f.txt': FIVE })
    await b.see('f.txt')
    const result = outputOf(
      await b.run('edit_region', {
        path: 'f.txt',
        start_line: 2,
        end_line: 3,
        new_content: 'TWO\nTWO AND A HALF\nTHREE\n',
      }),
    )
    expect(b.raw('f.txt')).toBe('one\nTWO\nTWO AND A HALF\nTHREE\nfour\nfive\n')
    expect(result).toMatchObject({ path: 'f.txt', start_line: 2, end_line: 3, dry_run: false, changed: true })
    expect(readFileSync(String(result['backup_path']), 'utf8')).toBe(FIVE)
  })

  it.each([
    [{ start_line: 1, end_line: 6 }, 'bad_args', /last line is 5/],
    [{ start_line: 6, end_line: 6 }, 'bad_args', /last line is 5/],
    [{ start_line: 3, end_line: 2 }, 'bad_args', /is after/],
    [{ start_line: 0, end_line: 2 }, 'bad_args', /start_line/],
  ])('F-TEST-edit-bounds: %j is refused, and the file stays as it is', async (range, code, message) => {
    const b = await editBench({ 'f.txt': FIVE })
    await b.see('f.txt')
    const error = errorOf(await b.run('edit_region', { path: 'f.txt', ...range, new_content: 'x' }))
    expect(error.code).toBe(code)
    expect(error.message).toMatch(message)
    expect(b.raw('f.txt')).toBe(FIVE)
  })

  it('empty content removes the lines; CRLF and a missing last newline stay', async () => {
    const b = await editBench({ 'f.txt': 'a\r\nb\r\nc' })
    await b.see('f.txt')
    outputOf(await b.run('edit_region', { path: 'f.txt', start_line: 2, end_line: 2, new_content: '' }))
    expect(b.raw('f.txt')).toBe('a\r\nc')
    outputOf(await b.run('edit_region', { path: 'f.txt', start_line: 1, end_line: 1, new_content: 'x\ny' }))
    expect(b.raw('f.txt')).toBe('x\r\ny\r\nc')
  })

  it('F-TOOL-edit_region: lines that are not what was expected are left and shown as they are, with a small diff', async () => {
    const b = await editBench({ 'f.txt': FIVE })
    await b.see('f.txt')
    const error = errorOf(
      await b.run('edit_region', {
        path: 'f.txt',
        start_line: 2,
        end_line: 2,
        new_content: 'x',
        expected: 'zwei\n',
      }),
    )
    expect(error).toMatchObject({
      code: 'stale_file',
      state: 'ROLLED_BACK',
      type: 'validation-error',
      details: { fresh: { start_line: 2, end_line: 2, text: 'two\n' } },
    })
    expect(error.details['diff']).toEqual(expect.stringContaining('-zwei\n+two\n'))
    expect(error.content).toContain('two')
    expect(b.raw('f.txt')).toBe(FIVE)
  })

  it('F-TOOL-edit_region: without "expected" the lines must have been shown; with it they need not', async () => {
    const b = await editBench({ 'f.txt': FIVE })
    outputOf(await b.run('read_file', { path: 'f.txt', start_line: 1, end_line: 2 }))
    const args = { path: 'f.txt', start_line: 4, end_line: 4, new_content: 'x' }
    expect(errorOf(await b.run('edit_region', args))).toMatchObject({ code: 'stale_file' })
    outputOf(await b.run('edit_region', { ...args, expected: 'four' }))
    expect(b.raw('f.txt')).toBe('one\ntwo\nthree\nx\nfive\n')
  })

  it('a file nobody read, or that changed since, is refused', async () => {
    const b = await editBench({ 'f.txt': FIVE })
    const args = { path: 'f.txt', start_line: 1, end_line: 1, new_content: 'x' }
    expect(errorOf(await b.run('edit_region', args)).message).toBe('File was not read before patching')
    await b.see('f.txt')
    b.put('f.txt', `${FIVE}six\n`)
    expect(errorOf(await b.run('edit_region', args)).message).toBe('File content changed since last read')
  })

  it('a dry run shows the diff and changes nothing', async () => {
    const b = await editBench({ 'f.txt': FIVE })
    await b.see('f.txt')
    const result = outputOf(
      await b.run('edit_region', {
        path: 'f.txt',
        start_line: 1,
        end_line: 1,
        new_content: 'x',
        dry_run: true,
      }),
    )
    expect(result).toMatchObject({
      dry_run: true,
      changed: true,
      backup_path: null,
      diff: expect.stringContaining('-one\n+x\n'),
    })
    expect(b.raw('f.txt')).toBe(FIVE)
  })
})

describe('multi_edit', () => {
  const edit = (path: string, start_line: number, new_content: string, more: object = {}) => ({
    path,
    start_line,
    end_line: start_line,
    new_content,
    ...more,
  })

  it('F-TOOL-multi_edit: many edits over several files land together; numbers mean the files before the call', async () => {
    const b = await editBench({ 'a.txt': FIVE, 'b.txt': FIVE })
    await b.see('a.txt', 'b.txt')
    const result = outputOf(
      await b.run('multi_edit', {
        edits: [edit('a.txt', 1, 'x\ny'), edit('b.txt', 5, 'z'), edit('./a.txt', 3, 'THREE')],
      }),
    )
    expect(result).toMatchObject({ applied: 3, skipped: 0, dry_run: false })
    expect(b.raw('a.txt')).toBe('x\ny\ntwo\nTHREE\nfour\nfive\n')
    expect(b.raw('b.txt')).toBe('one\ntwo\nthree\nfour\nz\n')
  })

  it('F-TOOL-multi_edit: one bad edit undoes the whole call, unless whole files may be left out', async () => {
    const b = await editBench({ 'a.txt': FIVE, 'b.txt': FIVE })
    await b.see('a.txt', 'b.txt')
    const edits = [edit('a.txt', 1, 'x'), edit('b.txt', 2, 'y'), edit('b.txt', 9, 'z')]
    expect(errorOf(await b.run('multi_edit', { edits })).code).toBe('bad_args')
    expect([b.raw('a.txt'), b.raw('b.txt')]).toEqual([FIVE, FIVE])
    const result = outputOf(await b.run('multi_edit', { edits, stop_on_error: false }))
    expect(result).toMatchObject({ applied: 1, skipped: 2 })
    expect(b.raw('a.txt')).toBe('x\ntwo\nthree\nfour\nfive\n')
    expect(b.raw('b.txt')).toBe(FIVE)
  })

  it('edits that overlap are refused', async () => {
    const b = await editBench({ 'a.txt': FIVE })
    await b.see('a.txt')
    const edits = [{ path: 'a.txt', start_line: 1, end_line: 3, new_content: 'x' }, edit('a.txt', 2, 'y')]
    expect(errorOf(await b.run('multi_edit', { edits })).message).toMatch(/overlap/)
    expect(b.raw('a.txt')).toBe(FIVE)
  })

  it('a thousand edits over a hundred files are one transaction, taken back by one undo', async () => {
    const names = Array.from({ length: 100 }, (_, index) => `f${index}.txt`)
    const body = Array.from({ length: 20 }, (_, index) => `line ${index}\n`).join('')
    const b = await editBench(Object.fromEntries(names.map((name) => [name, body])), {
      config: { 'tools.max_tool_calls_per_batch': 200 },
    })
    await b.see(...names)
    const before = b.tree()
    const edits = names.flatMap((name) =>
      Array.from({ length: 10 }, (_, index) => edit(name, index * 2 + 1, `new ${index}`)),
    )
    expect(outputOf(await b.run('multi_edit', { edits }))).toMatchObject({ applied: 1000, skipped: 0 })
    expect(b.raw('f99.txt')?.startsWith('new 0\nline 1\nnew 1\n')).toBe(true)
    expect((await b.runtime.undo()).files).toHaveLength(100)
    expect(b.tree()).toEqual(before)
  })
})
