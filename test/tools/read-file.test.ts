import { mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { bench, errorOf, outputOf } from '../bench-folder.ts'

const COLOURS = 'red\ngreen\nblue\n'
const TEN = Array.from({ length: 10 }, (_, index) => `line ${index + 1}\n`).join('')

describe('a whole text file', () => {
  it('F-TEST-read-basic: a text comes back exactly as it is, with what is known about it', async () => {
    const b = bench({ 'a.txt': COLOURS })
    const result = await b.call('read_file', { path: 'a.txt' })
    expect(result).toMatchObject({ id: 'c1', name: 'read_file', ok: true, content: COLOURS })
    expect(result.execution.state).toBe('COMPLETED')
    expect(outputOf(result)).toEqual({
      path: 'a.txt',
      encoding: 'utf-8',
      content: COLOURS,
      truncated: false,
      size: 15,
      total_lines: 3,
      notes: [],
    })
  })

  it('FR-TOOL-READ-01: reading needs only a path, asks nobody, and gives text as text and bytes as base64', async () => {
    const b = bench({ 'a.txt': 'é\n', 'b.bin': Uint8Array.of(0, 255, 1) })
    const runtime = await b.open()
    const definition = runtime.definitions().find(({ name }) => name === 'read_file')
    expect(definition).toMatchObject({ effect: 'read', risk: 'Low', requiresApproval: false })
    expect(definition?.inputSchema['required']).toEqual(['path'])
    const states: string[] = []
    const [text, bytes] = await runtime.run(
      [
        { id: '1', name: 'read_file', args: { path: 'a.txt' } },
        { id: '2', name: 'read_file', args: { path: 'b.bin' } },
      ],
      { onEvent: (event) => event.event === 'state' && event.id === '1' && states.push(event.state) },
    )
    expect(text?.content).toBe('é\n')
    expect(bytes?.content).toBe('[binary:base64]\nAP8B')
    expect(states.slice(0, 4)).toEqual(['DECLARED', 'VALIDATED', 'AUTHORIZED', 'EXECUTING'])
  })

  it.for([
    ['an empty file', '', 0],
    ['no final newline', 'red\ngreen', 2],
    ['one newline', '\n', 1],
    ['only newlines', '\n\n\n', 3],
    ['CRLF', 'red\r\ngreen\r\n', 2],
    ['mixed line endings', 'red\r\ngreen\nblue\r\n', 3],
    ['blanks at the ends', '  red \n\tgreen\t\n', 2],
    ['many scripts', 'Ünïcödé 日本語 😀 עברית\n', 1],
    ['what looks like a marker', 'a\n\n... [output truncated]', 3],
  ] as const)('keeps every character: %s', async ([, text, lines]) => {
    const b = bench({ 'a.txt': text })
    const result = await b.call('read_file', { path: 'a.txt' })
    expect(result.content).toBe(text)
    const size = Buffer.byteLength(text)
    expect(outputOf(result)).toMatchObject({
      content: text,
      truncated: false,
      size,
      total_lines: lines,
      encoding: 'utf-8',
    })
  })

  it('leaves a byte order mark out and says that there is one', async () => {
    const b = bench({ 'a.txt': '\uFEFFred\ngreen\n', 'only.txt': '\uFEFF' })
    const result = await b.call('read_file', { path: 'a.txt' })
    expect(result.content).toBe('red\ngreen\n')
    expect(outputOf(result)).toMatchObject({ encoding: 'utf-8-bom', size: 13, total_lines: 2, notes: [] })
    const only = outputOf(await b.call('read_file', { path: 'only.txt' }))
    expect(only).toMatchObject({
      encoding: 'utf-8-bom',
      content: '',
      size: 3,
      total_lines: 0,
      truncated: false,
    })
  })

  it('names the file by where it really is', async () => {
    const b = bench({ 'src/a.txt': 'a\n' })
    symlinkSync('src', join(b.root, 'link'))
    for (const path of ['src/a.txt', './src//a.txt', 'link/a.txt', join(b.root, 'src/a.txt')]) {
      expect(outputOf(await b.call('read_file', { path }))).toMatchObject({
        path: 'src/a.txt',
        content: 'a\n',
      })
    }
  })

  it('a missing file is a file error that names it and says what to do', async () => {
    const error = errorOf(await bench().call('read_file', { path: 'no.txt' }))
    expect(error).toMatchObject({
      code: 'execution_failed',
      kind: 'ExecutionFailed',
      type: 'file-error',
      class: 'ExecutionError',
      state: 'ROLLED_BACK',
    })
    expect(error.message).toContain('no.txt')
    expect(error.content).toBe(`read_file failed: ${error.message}`)
    expect(error.recovery.length).toBeGreaterThan(0)
  })
})

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
      { numRuns: 150 },
    )
  })
})

describe('what a reader does not see', () => {
  it('is named by line, column and code point, in the result and in a line after the text', async () => {
    const b = bench({ 'a.txt': 'ok\nab\u202Ecd\n😀\u200B\n' })
    const result = await b.call('read_file', { path: 'a.txt' })
    const notes = [
      'line 2, column 3: U+202E RIGHT-TO-LEFT OVERRIDE',
      'line 3, column 2: U+200B ZERO WIDTH SPACE',
    ]
    expect(outputOf(result)).toMatchObject({ notes, content: 'ok\nab\u202Ecd\n😀\u200B\n' })
    expect(result.content).toBe(`ok\nab\u202Ecd\n😀\u200B\n\n[note: ${notes.join('; ')}]`)
    expect(result.content.split('\n').at(-1)).toContain('U+202E')
  })

  it('is named by the line of the file also when only a part is read', async () => {
    const b = bench({ 'a.txt': '\uFEFFx\u0007\nb\n\u0001c\u0001\nd\u202E\n' })
    const read = async (args: object) =>
      outputOf(await b.call('read_file', { path: 'a.txt', ...args }))['notes']
    expect(await read({ start_line: 3, end_line: 3 })).toEqual([
      'line 3, column 1: U+0001 START OF HEADING',
      'line 3, column 3: U+0001 START OF HEADING',
    ])
    expect(await read({ start_line: 1, end_line: 2 })).toEqual(['line 1, column 2: U+0007 BELL'])
    expect(await read({ start_line: 2, end_line: 2 })).toEqual([])
    expect(await read({ max_bytes: 3 })).toEqual(['line 1, column 2: U+0007 BELL'])
  })

  it('a second byte order mark hides in the text and is named', async () => {
    const b = bench({ 'a.txt': '\uFEFF\uFEFFa\n' })
    expect(outputOf(await b.call('read_file', { path: 'a.txt' }))).toMatchObject({
      content: '\uFEFFa\n',
      notes: ['line 1, column 1: U+FEFF ZERO WIDTH NO-BREAK SPACE'],
    })
  })

  it('is listed up to twenty times and counted from there on', async () => {
    const b = bench({ 'a.txt': 'a\u202E'.repeat(50) })
    const notes = outputOf(await b.call('read_file', { path: 'a.txt' }))['notes'] as readonly string[]
    expect(notes).toHaveLength(21)
    expect(notes.at(-1)).toBe('and 30 more')
  })
})

describe('what is no file to read', () => {
  it('a path that leads out is refused before anything runs', async () => {
    const b = bench({ 'a.txt': '' })
    symlinkSync('/etc/hostname', join(b.root, 'host'))
    for (const path of ['../x', 'a/../a.txt', '/etc/hostname', 'host']) {
      const error = errorOf(await b.call('read_file', { path }))
      expect(error).toMatchObject({
        code: 'path_outside_sandbox',
        state: 'DENIED',
        details: { reason: 'PathOutsideSandbox' },
      })
    }
  })

  it('a denied file is refused, also through a link', async () => {
    const b = bench({ '.env': 'KEY=1', 'k.PEM': 'secret' })
    symlinkSync('.env', join(b.root, 'plain.txt'))
    for (const path of ['.env', 'k.PEM', 'plain.txt']) {
      const error = errorOf(await b.call('read_file', { path }))
      expect(error).toMatchObject({ code: 'denied_pattern', state: 'DENIED' })
      expect(JSON.stringify(error)).not.toContain('KEY=1')
    }
  })

  it('a folder is an error that says so', async () => {
    const b = bench()
    mkdirSync(join(b.root, 'src'))
    for (const path of ['src', '.', 'src/']) {
      const error = errorOf(await b.call('read_file', { path }))
      expect(error).toMatchObject({ code: 'execution_failed', type: 'file-error', state: 'ROLLED_BACK' })
      expect(error.message).toMatch(/folder|directory/)
    }
  })

  it('unknown arguments, no path and an empty path are refused', async () => {
    const b = bench({ 'a.txt': '' })
    for (const args of [
      {},
      { path: '' },
      { path: ' ' },
      { path: 'a.txt', lines: 3 },
      { path: 7 },
      { path: 'a\0b' },
    ]) {
      expect(errorOf(await b.call('read_file', args)).code).toBe('bad_args')
    }
  })
})
