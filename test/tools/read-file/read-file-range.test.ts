import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { bench, errorOf, outputOf } from '../../bench-folder.ts'
import { roundsOf } from '../../harness/long-run.ts'

const COLOURS = 'red\ngreen\nblue\n'
const TEN = Array.from({ length: 10 }, (_, index) => `line ${index + 1}\n`).join('')

describe('a range of lines', () => {
  it('T-READ-01: ranges are returned as asked, and a range that makes no sense is refused', async () => {
    const b = bench({ 'a.txt': COLOURS })
    const runtime = await b.open()
    const read = async (args: object) => {
      const [result] = await runtime.run([{ id: 'c', name: 'read_file', args: { path: 'a.txt', ...args } }])
      return result
    }
    const middle = await read({ start_line: 2, end_line: 2 })
    expect(middle?.content).toBe('green\n')
    expect(outputOf(middle)).toMatchObject({
      range: { start_line: 2, end_line: 2 },
      truncated: false,
      total_lines: 3,
    })
    expect((await read({ start_line: 1, end_line: 3 }))?.content).toBe(COLOURS)
    const backwards = errorOf(await read({ start_line: 3, end_line: 2 }))
    expect(backwards).toMatchObject({ code: 'bad_args', kind: 'BadArgs', state: 'FAILED' })
    expect(backwards.message).toMatch(/start_line 3.*end_line 2/)
    for (const args of [
      { start_line: 0 },
      { end_line: 0 },
      { start_line: -1 },
      { end_line: 1.5 },
      { start_line: '2' },
    ]) {
      expect(errorOf(await read(args)).code).toBe('bad_args')
    }
  })

  it.for([
    ['only a start', { start_line: 9 }, 'line 9\nline 10\n', [9, 10]],
    ['only an end', { end_line: 2 }, 'line 1\nline 2\n', [1, 2]],
    ['an end beyond the file', { start_line: 10, end_line: 99 }, 'line 10\n', [10, 10]],
    ['the last line', { start_line: 10, end_line: 10 }, 'line 10\n', [10, 10]],
    [
      'an enormous end',
      { start_line: 9, end_line: Number.MAX_SAFE_INTEGER, include_context: Number.MAX_SAFE_INTEGER },
      TEN,
      [1, 10],
    ],
    [
      'context on both sides',
      { start_line: 5, end_line: 5, include_context: 1 },
      'line 4\nline 5\nline 6\n',
      [4, 6],
    ],
    [
      'context clipped at the beginning',
      { start_line: 2, end_line: 2, include_context: 3 },
      'line 1\nline 2\nline 3\nline 4\nline 5\n',
      [1, 5],
    ],
    [
      'context clipped at the end',
      { start_line: 10, end_line: 10, include_context: 1 },
      'line 9\nline 10\n',
      [9, 10],
    ],
    ['context of none', { start_line: 5, end_line: 6, include_context: 0 }, 'line 5\nline 6\n', [5, 6]],
    [
      'context with only a start',
      { start_line: 9, include_context: 1 },
      'line 8\nline 9\nline 10\n',
      [8, 10],
    ],
    ['context with only an end', { end_line: 1, include_context: 1 }, 'line 1\nline 2\n', [1, 2]],
  ] as const)('reports what was returned: %s', async ([, args, content, [start_line, end_line]]) => {
    const b = bench({ 'a.txt': TEN })
    const result = await b.call('read_file', { path: 'a.txt', ...args })
    expect(result.content).toBe(content)
    expect(outputOf(result)).toMatchObject({
      range: { start_line, end_line },
      truncated: false,
      size: TEN.length,
      total_lines: 10,
    })
  })

  it('context without a range changes nothing, and there is no range to report', async () => {
    const b = bench({ 'a.txt': COLOURS })
    const output = outputOf(await b.call('read_file', { path: 'a.txt', include_context: 1 }))
    expect(output).toMatchObject({ content: COLOURS })
    expect(output).not.toHaveProperty('range')
  })

  it.for([
    ['red\ngreen\n', 3, 2],
    ['red\ngreen', 3, 2],
    ['red\n', 400, 1],
    ['\uFEFF', 1, 0],
    ['', 1, 0],
  ] as const)(
    'a start beyond the end is refused and the last line named: %j from %d',
    async ([text, start_line, last]) => {
      const b = bench({ 'a.txt': text })
      for (const args of [
        { start_line },
        { start_line, end_line: 500 },
        { start_line, include_context: 500 },
      ]) {
        const error = errorOf(await b.call('read_file', { path: 'a.txt', ...args }))
        expect(error).toMatchObject({ code: 'bad_args', kind: 'BadArgs', state: 'ROLLED_BACK' })
        expect(error.message).toContain(`last line is ${last}`)
        expect(error.details).toMatchObject({ last_line: last })
      }
    },
  )

  it('an empty file read to some line has nothing in it, which is no error', async () => {
    const b = bench({ 'a.txt': '' })
    const output = outputOf(await b.call('read_file', { path: 'a.txt', end_line: 5 }))
    expect(output).toMatchObject({
      content: '',
      truncated: false,
      range: { start_line: 1, end_line: 0 },
      total_lines: 0,
    })
  })

  it('lines keep their endings, and a byte order mark is no part of line 1', async () => {
    const b = bench({ 'a.txt': '\uFEFFred\r\ngreen\nblue' })
    const line = async (number: number) =>
      outputOf(await b.call('read_file', { path: 'a.txt', start_line: number, end_line: number }))
    expect(await line(1)).toMatchObject({ content: 'red\r\n', encoding: 'utf-8-bom' })
    expect(await line(2)).toMatchObject({ content: 'green\n' })
    expect(await line(3)).toMatchObject({ content: 'blue' })
  })

  it('a carriage return by itself ends no line', async () => {
    const b = bench({ 'a.txt': 'red\rgreen\nblue\n' })
    const output = outputOf(await b.call('read_file', { path: 'a.txt', start_line: 1, end_line: 1 }))
    expect(output).toMatchObject({ content: 'red\rgreen\n', total_lines: 2 })
  })

  it('F-TOOL-read_file: range, context and a byte limit work together, and every field of the result is there', async () => {
    const b = bench({ 'src/a.txt': TEN })
    const args = { path: 'src/a.txt', start_line: 4, end_line: 5, include_context: 1, max_bytes: 17 }
    expect(outputOf(await b.call('read_file', args))).toEqual({
      path: 'src/a.txt',
      encoding: 'utf-8',
      content: 'line 3\nline 4\nlin',
      truncated: true,
      size: 71,
      range: { start_line: 3, end_line: 5 },
      total_lines: 10,
      notes: [],
    })
    expect(errorOf(await b.call('read_file', { ...args, max_bytes: 0 })).type).toBe('validation-error')
    expect(errorOf(await b.call('read_file', { ...args, include_context: -1 })).type).toBe('validation-error')
    expect(errorOf(await b.call('read_file', { ...args, path: 'gone' })).type).toBe('file-error')
  })

  it('any range is what cutting the text at its newlines gives', async () => {
    const b = bench()
    const runtime = await b.open()
    const piece = fc.constantFrom('a', 'é', '😀', '\n', '\r\n', '\r', ' ', '\uFEFF')
    const number = fc.option(fc.integer({ min: 1, max: 9 }), { nil: undefined })
    await fc.assert(
      fc.asyncProperty(
        fc.array(piece, { maxLength: 20 }),
        number,
        number,
        fc.integer({ min: 0, max: 3 }),
        async (pieces, start_line, end_line, include_context) => {
          fc.pre(start_line !== undefined || end_line !== undefined)
          fc.pre((start_line ?? 1) <= (end_line ?? Infinity))
          const text = pieces.join('')
          b.put('a.txt', text)
          const lines = text
            .replace(/^\uFEFF/, '')
            .split(/(?<=\n)/)
            .filter((line) => line !== '')
          const args = Object.fromEntries(
            Object.entries({ path: 'a.txt', start_line, end_line, include_context }).filter(
              ([, value]) => value !== undefined,
            ),
          )
          const [result] = await runtime.run([{ id: 'c', name: 'read_file', args }])
          if (start_line !== undefined && start_line > lines.length) {
            expect(errorOf(result).details).toMatchObject({ last_line: lines.length })
            return
          }
          const first = Math.max(1, (start_line ?? 1) - include_context)
          const last = Math.min(lines.length, (end_line ?? Infinity) + include_context)
          expect(outputOf(result)).toMatchObject({
            content: lines.slice(first - 1, last).join(''),
            range: { start_line: first, end_line: last },
            total_lines: lines.length,
            truncated: false,
          })
        },
      ),
      { numRuns: roundsOf(30, 150) },
    )
  })
})
