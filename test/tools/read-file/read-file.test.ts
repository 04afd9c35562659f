import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { bench, errorOf, outputOf } from '../../bench-folder.ts'

const COLOURS = 'red\ngreen\nblue\n'

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

  it('a file whose name is no UTF-8 can be read through a link, and its path is told readably', async () => {
    const b = bench()
    const odd = Buffer.from([0x61, 0xff])
    writeFileSync(Buffer.concat([Buffer.from(`${b.root}/`), odd]), 'a\n')
    symlinkSync(odd, join(b.root, 'link'))
    expect(outputOf(await b.call('read_file', { path: 'link' }))).toMatchObject({
      path: 'a\uFFFD',
      content: 'a\n',
    })
  })

  it('a name that could act on a screen is shown harmless in a message', async () => {
    const b = bench({ 'x\u202E\u001B[31m\n.txt': '' })
    const error = errorOf(await b.call('read_file', { path: 'x\u202E\u001B[31m\n.txt', start_line: 1 }))
    expect(error.code).toBe('bad_args')
    expect(error.message).not.toMatch(/[\u0000-\u001F\u202E]/)
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
    expect(error.recovery.length).toBeGreaterThan(0)
    expect(error.content).toBe([`read_file failed: ${error.message}`, ...error.recovery].join('\n'))
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
