import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { errorOf, outputOf } from '../../bench-folder.ts'
import { editBench } from './edit-bench.ts'

const content = 'new\n'

describe('existing files', () => {
  it('FR-WR-03: in the strict profile a file that exists is neither overwritten nor appended to', async () => {
    const bench = await editBench({ 'a.txt': 'old' }, { profile: 'strict' })
    await bench.see('a.txt')
    for (const more of [{}, { append: true }, { dry_run: true }]) {
      const error = errorOf(await bench.run('write_file', { path: 'a.txt', content, ...more }))
      expect(error).toMatchObject({ code: 'execution_failed', kind: 'ExecutionFailed', state: 'ROLLED_BACK' })
      expect(error.message).toContain('a.txt already exists')
    }
    expect(bench.raw('a.txt')).toBe('old')
  })

  it('FR-WR-03: in the strict profile an empty file counts as one that exists', async () => {
    const bench = await editBench({ 'a.txt': '' }, { profile: 'strict' })
    await bench.see('a.txt')
    const error = errorOf(await bench.run('write_file', { path: 'a.txt', content }))
    expect(error.message).toContain('a.txt already exists')
    expect(bench.raw('a.txt')).toBe('')
  })

  it('T-WR-02: a second write to the same path is rejected in the strict profile', async () => {
    const bench = await editBench({}, { profile: 'strict' })
    outputOf(await bench.run('write_file', { path: 'a.txt', content: 'first' }))
    const error = errorOf(await bench.run('write_file', { path: 'a.txt', content: 'second' }))
    expect(error).toMatchObject({
      code: 'execution_failed',
      state: 'ROLLED_BACK',
      details: { path: 'a.txt' },
    })
    expect(bench.raw('a.txt')).toBe('first')
  })

  it.for([{}, { append: true }, { dry_run: true }])(
    'a file that was not read is not written: %o',
    async (more) => {
      const bench = await editBench({ 'a.txt': 'old' })
      const error = errorOf(await bench.run('write_file', { path: 'a.txt', content, ...more }))
      expect(error).toMatchObject({ code: 'stale_file', state: 'ROLLED_BACK', details: { file: 'a.txt' } })
      expect(error.message).toBe('File was not read before patching')
      expect(bench.raw('a.txt')).toBe('old')
    },
  )

  it('a file that changed since it was read is shown, and then may be written', async () => {
    const bench = await editBench({ 'a.txt': 'old' })
    await bench.see('a.txt')
    bench.put('a.txt', 'others')
    const error = errorOf(await bench.run('write_file', { path: 'a.txt', content }))
    expect(error.message).toBe('File content changed since last read')
    expect(error.details).toMatchObject({ fresh: { text: 'others', start_line: 1, end_line: 1 } })
    expect(bench.raw('a.txt')).toBe('others')
    expect((await bench.run('write_file', { path: 'a.txt', content })).ok).toBe(true)
  })

  it('a large file that changed must be read again; for an append its end is shown', async () => {
    const lines = 'line\n'.repeat(5000)
    const bench = await editBench({ 'a.txt': lines })
    await bench.see('a.txt')
    bench.put('a.txt', `${lines}last\n`)
    const args = { path: 'a.txt', content, append: true }
    const { details } = errorOf(await bench.run('write_file', args))
    expect(details).toMatchObject({ fresh: { start_line: 4996, end_line: 5001 } })
    expect(errorOf(await bench.run('write_file', args)).code).toBe('stale_file')
    await bench.see('a.txt')
    expect((await bench.run('write_file', args)).ok).toBe(true)
  })

  it('its own write counts as read', async () => {
    const bench = await editBench()
    for (const text of ['one', 'two'])
      outputOf(await bench.run('write_file', { path: 'a.txt', content: text }))
    expect(bench.raw('a.txt')).toBe('two')
  })

  it('create_if_missing = false writes no new file', async () => {
    const bench = await editBench({ 'a.txt': 'old' })
    const args = { content, create_if_missing: false }
    const error = errorOf(await bench.run('write_file', { path: 'n/b.txt', ...args }))
    expect(error).toMatchObject({
      code: 'execution_failed',
      state: 'ROLLED_BACK',
      details: { path: 'n/b.txt' },
    })
    expect(Object.keys(bench.tree())).toEqual(['a.txt'])
    await bench.see('a.txt')
    expect((await bench.run('write_file', { path: 'a.txt', ...args })).ok).toBe(true)
  })

  it('a read-only file is left alone', async () => {
    const bench = await editBench({ 'a.txt': 'old' })
    chmodSync(join(bench.root, 'a.txt'), 0o444)
    await bench.see('a.txt')
    const error = errorOf(await bench.run('write_file', { path: 'a.txt', content }))
    expect(error).toMatchObject({ code: 'execution_failed', state: 'ROLLED_BACK' })
    expect(bench.tree()).toEqual({ 'a.txt': '444 old' })
  })
})

describe('what cannot be written', () => {
  it.for(['.', 'folder', 'folder/', 'pipe', 'a.txt/b'])('%s is no file', async (path) => {
    const bench = await editBench({ 'folder/x': 'x', 'a.txt': 'a' })
    execFileSync('mkfifo', [join(bench.root, 'pipe')])
    const names = readdirSync(bench.root, { recursive: true })
    const error = errorOf(await bench.run('write_file', { path, content }))
    expect(error).toMatchObject({ code: 'execution_failed', state: 'ROLLED_BACK' })
    expect(readdirSync(bench.root, { recursive: true })).toEqual(names)
  })

  it('half a character is refused before anything runs', async () => {
    const bench = await editBench()
    const error = errorOf(await bench.run('write_file', { path: 'a.txt', content: 'x\uD800' }))
    expect(error).toMatchObject({ code: 'bad_args', state: 'FAILED' })
    expect(error.message).toContain('lone surrogate')
    expect(bench.tree()).toEqual({})
  })

  it('content of 512 KB is written, one more byte is too much', async () => {
    const bench = await editBench()
    const most = 'é'.repeat(262_144)
    const error = errorOf(await bench.run('write_file', { path: 'a.txt', content: `${most}x` }))
    expect(error).toMatchObject({ code: 'limit_exceeded', state: 'FAILED', details: { bytes: 524_289 } })
    expect(outputOf(await bench.run('write_file', { path: 'a.txt', content: most }))['bytes_written']).toBe(
      524_288,
    )
  })

  it('the editing limit holds for the file before and after', async () => {
    const bench = await editBench(
      { 'a.txt': '1234', 'b.txt': '123456' },
      { config: { 'tools.edit.max_file_bytes': 5 } },
    )
    await bench.see('a.txt', 'b.txt')
    const grown = await bench.run('write_file', { path: 'a.txt', content: '56', append: true })
    expect(errorOf(grown)).toMatchObject({ code: 'limit_exceeded', state: 'ROLLED_BACK' })
    const large = await bench.run('write_file', { path: 'b.txt', content: '1' })
    expect(errorOf(large)).toMatchObject({
      code: 'limit_exceeded',
      state: 'ROLLED_BACK',
      details: { size: 6 },
    })
    expect(errorOf(large).message).toContain('tools.edit.max_file_bytes')
    expect([bench.raw('a.txt'), bench.raw('b.txt')]).toEqual(['1234', '123456'])
  })
})

describe('the sandbox', () => {
  it('NFR-WR-SEC-01: nothing is written outside the root or over what is denied', async () => {
    const bench = await editBench({ '.git/config': 'x' }, { profile: 'strict' })
    const outside = join(bench.top, 'outside')
    mkdirSync(outside)
    symlinkSync(outside, join(bench.root, 'out'))
    symlinkSync(join(outside, 'gone.txt'), join(bench.root, 'dangling'))
    const before = bench.tree()
    const beyond = ['../x', 'a/../../x', join(bench.root, 'x'), '/tmp/x', 'out/x', 'dangling']
    for (const path of beyond) {
      const error = errorOf(await bench.run('write_file', { path, content }))
      expect(error).toMatchObject({ code: 'path_outside_sandbox', kind: 'SandboxViolation', state: 'DENIED' })
    }
    for (const path of ['k.pem', '.ssh/id', '.git/config', '.git/new', '.env']) {
      const error = errorOf(await bench.run('write_file', { path, content }))
      expect(error).toMatchObject({ code: 'denied_pattern', kind: 'SandboxViolation', state: 'DENIED' })
    }
    for (const path of ['a\0b', 'a\nb', 'x\u202Ey', 'CON', 'a:b', 'x'.repeat(256)]) {
      expect(errorOf(await bench.run('write_file', { path, content })).code).toBe('bad_args')
    }
    expect(bench.tree()).toEqual(before)
    expect(readdirSync(outside)).toEqual([])
    expect(readdirSync(bench.top)).not.toContain('x')
  })

  it('a link inside the root is written at its target and stays a link', async () => {
    const bench = await editBench({ 'real.txt': 'old' })
    symlinkSync('real.txt', join(bench.root, 'link.txt'))
    await bench.see('real.txt')
    const result = outputOf(await bench.run('write_file', { path: 'link.txt', content: 'new' }))
    expect(result['path']).toBe('real.txt')
    expect(bench.tree()).toMatchObject({
      'link.txt': 'link real.txt',
      'real.txt': expect.stringContaining(' new'),
    })
  })
})

describe('a file in another encoding', () => {
  const utf16 = Buffer.from('\uFEFFgrüße\n', 'utf16le')
  const files: readonly (readonly [string, Uint8Array])[] = [
    ['UTF-16 with its mark', utf16],
    ['UTF-16 from its other end', Buffer.from(utf16).swap16()],
    ['UTF-16 without a mark', Buffer.from('plain text\n', 'utf16le')],
    ['Latin-1', Buffer.from('grüße\n', 'latin1')],
    ['Latin-1 far from its beginning', Buffer.from(`${'plain\n'.repeat(3000)}grüße\n`, 'latin1')],
    ['no text at all', Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0, 1, 2, 3)],
  ]
  it.for(files)('is not turned into UTF-8: %s', async ([, bytes]) => {
    const bench = await editBench({ 'a.txt': bytes })
    await bench.see('a.txt')
    for (const more of [{}, { append: true }, { dry_run: true }]) {
      const error = errorOf(await bench.run('write_file', { path: 'a.txt', content: 'schön\n', ...more }))
      expect(error).toMatchObject({
        code: 'execution_failed',
        state: 'ROLLED_BACK',
        details: { path: 'a.txt', reason: 'encoding' },
      })
      expect(error.message).toMatch(/^a\.txt is .* and write_file writes UTF-8\. Nothing was changed\.$/)
    }
    expect(bench.raw('a.txt')).toBe(Buffer.from(bytes).toString('latin1'))
  })

  it('is appended to in ASCII, unless it is UTF-16', async () => {
    const bench = await editBench({ 'a.log': Buffer.from('grün\n', 'latin1'), 'b.log': utf16 })
    await bench.see('a.log', 'b.log')
    outputOf(await bench.run('write_file', { path: 'a.log', content, append: true }))
    expect(bench.raw('a.log')).toBe(`grün\n${content}`)
    const error = errorOf(await bench.run('write_file', { path: 'b.log', content, append: true }))
    expect(error.message).toContain('encoded in UTF-16')
  })

  it('is replaced after it was deleted, which is no silent change', async () => {
    const bench = await editBench(
      { 'a.txt': utf16 },
      { approve: (requests) => requests.map(() => 'once' as const) },
    )
    outputOf(await bench.run('delete_path', { path: 'a.txt' }))
    outputOf(await bench.run('write_file', { path: 'a.txt', content }))
    expect(bench.raw('a.txt')).toBe(content)
  })
})

describe('a file of which only some lines were read', () => {
  const text = Array.from({ length: 9 }, (_, index) => `line ${index + 1}\n`).join('')
  const replace = { path: 'a.txt', content }
  const see = (bench: Awaited<ReturnType<typeof editBench>>, start_line: number, end_line: number) =>
    bench.run('read_file', { path: 'a.txt', start_line, end_line })

  it('is not replaced as a whole; the error names the lines that are missing', async () => {
    const bench = await editBench({ 'a.txt': text })
    outputOf(await see(bench, 1, 2))
    const error = errorOf(await bench.run('write_file', replace))
    expect(error).toMatchObject({
      code: 'stale_file',
      message: 'File was not read before patching: lines 3 to 9 were not shown',
      details: { file: 'a.txt', lines: { start_line: 3, end_line: 9 } },
    })
    expect(error.recovery.join(' ')).toContain(
      'change only the lines you have read, with edit_file or apply_patch',
    )
    expect(bench.raw('a.txt')).toBe(text)
  })

  it('is replaced once all of its lines were read, in whatever parts', async () => {
    const bench = await editBench({ 'a.txt': text })
    for (const [start, end] of [
      [5, 9],
      [1, 2],
      [3, 4],
    ] as const) {
      expect((await bench.run('write_file', replace)).ok).toBe(false)
      outputOf(await see(bench, start, end))
    }
    outputOf(await bench.run('write_file', replace))
    expect(bench.raw('a.txt')).toBe(content)
  })

  it('is not replaced after an edit of the lines that were read either', async () => {
    const bench = await editBench({ 'a.txt': text })
    outputOf(await see(bench, 1, 2))
    outputOf(await bench.run('edit_file', { path: 'a.txt', old: 'line 1', new: 'first' }))
    expect(errorOf(await bench.run('write_file', replace)).code).toBe('stale_file')
  })

  it('may be appended to', async () => {
    const bench = await editBench({ 'a.txt': text })
    outputOf(await see(bench, 8, 9))
    outputOf(await bench.run('write_file', { ...replace, append: true }))
    expect(bench.raw('a.txt')).toBe(text + content)
  })
})
