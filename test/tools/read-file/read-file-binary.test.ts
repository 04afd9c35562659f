import { truncateSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { bench, errorOf, outputOf } from '../../bench-folder.ts'
import { mkfifoSync } from '../../host/root/make-odd-files.ts'

const SNIFF = 8192

/** Bytes that hold a NUL and every other value. */
function bytesOf(length: number): Buffer {
  return Buffer.from(Uint8Array.from({ length }, (_, index) => index % 256))
}

describe('a binary file', () => {
  it('comes as base64 behind a header', async () => {
    const bytes = bytesOf(1000)
    const b = bench({ 'a.bin': bytes })
    const result = await b.call('read_file', { path: 'a.bin' })
    expect(result.content).toBe(`[binary:base64]\n${bytes.toString('base64')}`)
    expect(outputOf(result)).toEqual({
      path: 'a.bin',
      encoding: 'base64',
      content: bytes.toString('base64'),
      truncated: false,
      size: 1000,
      total_lines: null,
      notes: [],
    })
  })

  const text = 'x'.repeat(20_000)
  const patched = (at: number, ...bytes: readonly number[]): Buffer => {
    const buffer = Buffer.from(text)
    buffer.set(bytes, at)
    return buffer
  }
  it.for([
    ['a NUL in the first byte', patched(0, 0), 'base64'],
    ['a NUL in the last byte of the first 8 KB', patched(SNIFF - 1, 0), 'base64'],
    ['a NUL right behind the first 8 KB', patched(SNIFF, 0), 'utf-8'],
    ['invalid UTF-8 near the beginning', patched(10, 0xff), 'base64'],
    ['invalid UTF-8 far behind', patched(9000, 0xff), 'base64'],
    ['half a character at the end', Buffer.concat([Buffer.from(text), Buffer.of(0xe2, 0x82)]), 'base64'],
    ['an overlong form', patched(100, 0xc0, 0x80), 'base64'],
    ['an encoded surrogate', patched(100, 0xed, 0xa0, 0x80), 'base64'],
    ['a character across the boundary', patched(SNIFF - 2, ...Buffer.from('😀')), 'utf-8'],
    ['a character that ends at the boundary', patched(SNIFF - 4, ...Buffer.from('😀')), 'utf-8'],
    ['Latin-1', Buffer.from('caf\xe9\n', 'latin1'), 'base64'],
    ['UTF-16', Buffer.from('text', 'utf16le'), 'base64'],
  ] as const)('is told from text: %s', async ([, bytes, encoding]) => {
    const b = bench({ f: bytes })
    const output = outputOf(await b.call('read_file', { path: 'f' }))
    expect(output['encoding']).toBe(encoding)
    expect(
      Buffer.from(String(output['content']), encoding === 'base64' ? 'base64' : 'utf8').equals(bytes),
    ).toBe(true)
  })

  it('a NUL far behind in what is otherwise text gets a note', async () => {
    const b = bench({ f: patched(SNIFF, 0) })
    expect(outputOf(await b.call('read_file', { path: 'f' }))['notes']).toEqual([
      'line 1, column 8193: U+0000 NULL',
    ])
  })

  it('has no lines, so a range is refused', async () => {
    const b = bench({ 'a.bin': bytesOf(100) })
    for (const args of [
      { start_line: 1 },
      { end_line: 1 },
      { start_line: 1, end_line: 2, include_context: 1 },
    ]) {
      const error = errorOf(await b.call('read_file', { path: 'a.bin', ...args }))
      expect(error).toMatchObject({
        code: 'bad_args',
        kind: 'BadArgs',
        type: 'validation-error',
        state: 'ROLLED_BACK',
      })
      expect(error.message).toContain('binary')
    }
  })

  it('FR-TOOL-READ-01b: is cut to fit by itself: whole base64, the header says so, and no marker is put into it', async () => {
    const bytes = bytesOf(90_000)
    const b = bench({ 'a.bin': bytes })
    const result = await b.call('read_file', { path: 'a.bin' })
    const output = outputOf(result)
    expect(result.content.length).toBeLessThanOrEqual(102_400)
    expect(result.content.length).toBeGreaterThan(102_400 - 4)
    expect(result.content.startsWith('[binary:base64][truncated]\n')).toBe(true)
    const body = result.content.slice(result.content.indexOf('\n') + 1)
    expect(body).toMatch(/^[A-Za-z0-9+/]+=*$/)
    const decoded = Buffer.from(body, 'base64')
    expect(bytes.subarray(0, decoded.length).equals(decoded)).toBe(true)
    expect(output).toMatchObject({ truncated: true, size: 90_000, content: body })
  })

  it('fits to the byte, whatever the limit', async () => {
    const bytes = bytesOf(30)
    const b = bench({ 'a.bin': bytes })
    const whole = `[binary:base64]\n${bytes.toString('base64')}`
    for (let maxBytes = 27; maxBytes <= whole.length + 2; maxBytes++) {
      const result = await b.call(
        'read_file',
        { path: 'a.bin' },
        { config: { 'tools.output.max_bytes': maxBytes } },
      )
      const room = Math.floor((maxBytes - 27) / 4) * 3
      const isWhole = maxBytes >= whole.length
      const cut = `[binary:base64][truncated]\n${bytes.subarray(0, room).toString('base64')}`
      expect(result.content).toBe(isWhole ? whole : cut)
      expect(outputOf(result)['truncated']).toBe(!isWhole)
    }
    const error = errorOf(
      await b.call('read_file', { path: 'a.bin' }, { config: { 'tools.output.max_bytes': 26 } }),
    )
    expect(error).toMatchObject({ code: 'execution_failed', state: 'ROLLED_BACK' })
    expect(error.content.length).toBeLessThanOrEqual(26)
  })

  it('is cut by max_bytes and by the read limit, never refused for its size', async () => {
    const bytes = bytesOf(300_000)
    const b = bench({ 'a.bin': bytes })
    const few = await b.call('read_file', { path: 'a.bin', max_bytes: 4 })
    expect(few.content).toBe('[binary:base64][truncated]\nAAECAw==')
    const wide = { 'tools.output.max_bytes': 4_000_000 }
    const most = outputOf(await b.call('read_file', { path: 'a.bin' }, { config: wide }))
    expect(Buffer.from(String(most['content']), 'base64')).toHaveLength(204_800)
    expect(most).toMatchObject({ truncated: true, size: 300_000 })
    const over = outputOf(await b.call('read_file', { path: 'a.bin', max_bytes: 290_000 }, { config: wide }))
    expect(Buffer.from(String(over['content']), 'base64')).toHaveLength(204_800)
  })

  it('is refused where the configuration says so, and text is not', async () => {
    const b = bench({ 'a.bin': bytesOf(100), 'a.txt': 'text\n' })
    const config = { 'tools.read_file.binary': 'refuse' }
    const error = errorOf(await b.call('read_file', { path: 'a.bin' }, { config }))
    expect(error).toMatchObject({ code: 'execution_failed', type: 'file-error', state: 'ROLLED_BACK' })
    expect(error.message).toContain('tools.read_file.binary')
    expect((await b.call('read_file', { path: 'a.txt' }, { config })).content).toBe('text\n')
  })

  it('a sparse file of 100 GB is answered without being read', async () => {
    const b = bench({ huge: '' })
    truncateSync(join(b.root, 'huge'), 100 * 1024 ** 3)
    const result = await b.call('read_file', { path: 'huge' })
    expect(outputOf(result)).toMatchObject({
      encoding: 'base64',
      truncated: true,
      size: 100 * 1024 ** 3,
      total_lines: null,
    })
    expect(result.content.length).toBeLessThanOrEqual(102_400)
    expect(errorOf(await b.call('read_file', { path: 'huge', start_line: 1, end_line: 1 })).code).toBe(
      'bad_args',
    )
  })
})

describe('what is neither text nor bytes', () => {
  it('a named pipe is refused at once, though nobody writes to it', async () => {
    const b = bench()
    mkfifoSync(join(b.root, 'pipe'))
    const error = errorOf(await b.call('read_file', { path: 'pipe' }))
    expect(error).toMatchObject({ code: 'execution_failed', type: 'file-error', state: 'ROLLED_BACK' })
    expect(error.message).toMatch(/pipe/)
  })

  it('a socket is refused', async () => {
    const b = bench()
    const server = createServer()
    await new Promise<void>((resolve) => server.listen(join(b.root, 'sock'), resolve))
    try {
      const error = errorOf(await b.call('read_file', { path: 'sock' }))
      expect(error).toMatchObject({ code: 'execution_failed', state: 'ROLLED_BACK' })
      expect(error.message).toMatch(/socket/)
    } finally {
      server.close()
    }
  })

  it('a device is refused, also one that never ends', async () => {
    const b = bench()
    const config = { 'tools.sandbox.allowed_roots': ['/dev'] }
    for (const path of ['zero', 'null', 'tty']) {
      const error = errorOf(await b.call('read_file', { path }, { config }))
      expect(error).toMatchObject({ code: 'execution_failed', state: 'ROLLED_BACK' })
    }
  })
})
