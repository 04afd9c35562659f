import { describe, expect, it } from 'vitest'
import { bench, errorOf, outputOf } from '../../bench-folder.ts'

const MARKER = '\n\n... [output truncated]'
const KB = 1024
/** Room in the answer, so that only the limit in question is met. */
const WIDE = { 'tools.output.max_bytes': 16 * KB * KB }
/** As under the profile strict. */
const REFUSE = { 'tools.read_file.over_limit': 'refuse' }

/** Text of exactly this many bytes, in lines of 100. */
function textOf(bytes: number): string {
  const line = `${'x'.repeat(99)}\n`
  return line.repeat(Math.ceil(bytes / 100)).slice(0, bytes)
}

describe('the read limit', () => {
  it('CFG-READ-01: a text of 200 KB is read whole, one byte more is not; both limits can be set', async () => {
    const b = bench({ 'fits.txt': textOf(204_800), 'over.txt': textOf(204_801) })
    const fits = outputOf(await b.call('read_file', { path: 'fits.txt' }, { config: WIDE }))
    expect(fits).toMatchObject({ truncated: false, size: 204_800, content: textOf(204_800) })
    expect(
      errorOf(await b.call('read_file', { path: 'over.txt' }, { config: { ...WIDE, ...REFUSE } })).code,
    ).toBe('limit_exceeded')

    const config = {
      ...REFUSE,
      'tools.read_file.max_file_read_bytes': 10,
      'tools.read_file.max_scan_bytes': 20,
    }
    b.put('ten.txt', '123456789\n')
    b.put('eleven.txt', '1234567890\n')
    b.put('lines.txt', '123456789\n'.repeat(3))
    expect(outputOf(await b.call('read_file', { path: 'ten.txt' }, { config }))['truncated']).toBe(false)
    expect(errorOf(await b.call('read_file', { path: 'eleven.txt' }, { config })).details).toMatchObject({
      limit: 10,
    })
    expect(
      outputOf(await b.call('read_file', { path: 'lines.txt', end_line: 2 }, { config }))['truncated'],
    ).toBe(false)
    expect(
      errorOf(await b.call('read_file', { path: 'lines.txt', end_line: 3 }, { config })).details,
    ).toMatchObject({ limit: 20 })
  })

  it('under strict, a text over it is an error that tells to read ranges', async () => {
    const b = bench({ 'big.txt': textOf(204_801) })
    const error = errorOf(await b.call('read_file', { path: 'big.txt' }, { config: { profile: 'strict' } }))
    expect(error).toMatchObject({
      code: 'limit_exceeded',
      kind: 'SandboxViolation',
      type: 'validation-error',
      class: 'ValidationError',
      state: 'ROLLED_BACK',
      details: { reason: 'LimitsExceeded', size: 204_801, limit: 204_800 },
    })
    expect(error.message).toMatch(/range of lines.*start_line.*end_line/)
    expect(error.content).toBe(error.message)
  })

  it('a text over it gives its first lines, how many there are and where to go on', async () => {
    const b = bench({ 'big.txt': textOf(300_000) })
    const result = await b.call('read_file', { path: 'big.txt' })
    const output = outputOf(result)
    expect(output).toMatchObject({
      truncated: true,
      total_lines: 3000,
      range: { start_line: 1, end_line: 1022 },
      next_line: 1023,
      content: textOf(102_200),
    })
    expect(result.content).toBe(
      `${textOf(102_200)}[lines 1 to 1022 of 3000; go on with start_line 1023]${MARKER}`,
    )
    const next = await b.call('read_file', { path: 'big.txt', start_line: 1023, end_line: 1023 })
    expect(next.content).toBe(textOf(100))
  })

  it('a text whose first line does not fit is cut inside it', async () => {
    const b = bench({ 'long.txt': 'y'.repeat(300_000) })
    const result = await b.call('read_file', { path: 'long.txt' })
    expect(result.content).toBe('y'.repeat(102_400 - MARKER.length) + MARKER)
    expect(outputOf(result)['next_line']).toBeUndefined()
  })

  it('only the lines it gave of a text over it count as seen', async () => {
    const b = bench({ 'big.txt': textOf(300_000) })
    const runtime = await b.open({ config: { 'tools.approval.mode': 'auto' } })
    const edit = (line: number) => ({
      id: `e${line}`,
      name: 'edit_region',
      args: { path: 'big.txt', start_line: line, end_line: line, new_content: 'new' },
    })
    const [, seen, unseen] = await runtime.run([
      { id: 'r', name: 'read_file', args: { path: 'big.txt' } },
      edit(1022),
      edit(1023),
    ])
    expect(outputOf(seen)['changed']).toBe(true)
    expect(errorOf(unseen).code).toBe('stale_file')
  })

  it('a range of a text over it is read all the same', async () => {
    const b = bench({ 'big.txt': textOf(500_000) })
    const output = outputOf(await b.call('read_file', { path: 'big.txt', start_line: 4000, end_line: 4000 }))
    expect(output).toMatchObject({
      truncated: false,
      size: 500_000,
      total_lines: 5000,
      range: { start_line: 4000, end_line: 4000 },
    })
  })

  it('what the conversation has room for lowers it', async () => {
    const b = bench({ 'a.txt': textOf(2000) })
    const error = errorOf(
      await b.call(
        'read_file',
        { path: 'a.txt' },
        { config: { ...REFUSE, 'tools.output.capacity_bytes': 1999 } },
      ),
    )
    expect(error).toMatchObject({ code: 'limit_exceeded', details: { limit: 1999 } })
    const fits = await b.call(
      'read_file',
      { path: 'a.txt' },
      { config: { 'tools.output.capacity_bytes': 2000 } },
    )
    expect(outputOf(fits)['truncated']).toBe(false)
  })
})

describe('max_bytes', () => {
  it('cuts instead of refusing, and says so', async () => {
    const b = bench({ 'big.txt': textOf(300_000) })
    const result = await b.call('read_file', { path: 'big.txt', max_bytes: 250 })
    expect(outputOf(result)).toMatchObject({ content: textOf(250), truncated: true, size: 300_000 })
    expect(result.content).toBe(textOf(250) + MARKER)
  })

  it('never splits a character, wherever it falls', async () => {
    const text = 'aé日😀b'
    const b = bench({ 'a.txt': text, 'bom.txt': `\uFEFF${text}` })
    const runtime = await b.open()
    const points = [...text]
    for (let max_bytes = 1; max_bytes <= 11; max_bytes++) {
      let fitting = ''
      for (const point of points) {
        if (Buffer.byteLength(fitting + point) > max_bytes) break
        fitting += point
      }
      for (const args of [
        { path: 'a.txt' },
        { path: 'bom.txt' },
        { path: 'a.txt', start_line: 1, end_line: 1 },
      ]) {
        const [result] = await runtime.run([{ id: 'c', name: 'read_file', args: { ...args, max_bytes } }])
        expect(outputOf(result)).toMatchObject({ content: fitting, truncated: max_bytes < 11 })
      }
    }
  })

  it('larger than the file cuts nothing', async () => {
    const b = bench({ 'a.txt': 'abc\n' })
    for (const max_bytes of [4, 5, Number.MAX_SAFE_INTEGER]) {
      const result = await b.call('read_file', { path: 'a.txt', max_bytes })
      expect(outputOf(result)).toMatchObject({ content: 'abc\n', truncated: false })
      expect(result.content).toBe('abc\n')
    }
  })

  it('above the read limit gives no more than the read limit', async () => {
    const b = bench({ 'big.txt': textOf(300_000) })
    const output = outputOf(
      await b.call('read_file', { path: 'big.txt', max_bytes: 299_999 }, { config: WIDE }),
    )
    expect(output).toMatchObject({ content: textOf(204_800), truncated: true })
  })

  it('cuts between two characters also where a large file is read only in part', async () => {
    const config = { ...WIDE, 'tools.edit.max_file_bytes': 50_000 }
    const b = bench({ 'big.txt': `${'é'.repeat(60_000)}\n` })
    for (const [limit, most] of [
      [9_999, 9_998],
      [10_000, 10_000],
      [10_001, 10_000],
    ] as const) {
      const limits = { ...config, 'tools.read_file.max_file_read_bytes': limit }
      const output = outputOf(
        await b.call('read_file', { path: 'big.txt', max_bytes: 1_000_000 }, { config: limits }),
      )
      expect(output).toMatchObject({
        encoding: 'utf-8',
        content: 'é'.repeat(most / 2),
        truncated: true,
        total_lines: null,
      })
    }
  })
})

describe('the scan limit', () => {
  it('FR-LIM-05: lines that end within the first 2 MB are found, a line that ends a byte later is not', async () => {
    const last = textOf(2_097_152 - 2).replaceAll('\n', ' ')
    const b = bench({ 'at.txt': `${last}z\nmore\n`, 'over.txt': `${last}zz\nmore\n` })
    const at = await b.call('read_file', { path: 'at.txt', start_line: 1, end_line: 1, max_bytes: 10 })
    expect(outputOf(at)).toMatchObject({ range: { start_line: 1, end_line: 1 }, total_lines: 2 })
    const over = errorOf(
      await b.call('read_file', { path: 'over.txt', start_line: 1, end_line: 1, max_bytes: 10 }),
    )
    expect(over).toMatchObject({
      code: 'limit_exceeded',
      details: { limit: 2_097_152, reason: 'LimitsExceeded' },
    })
  })

  it('FR-TOOL-READ-01a: passing it is an error that says to narrow the range', async () => {
    const b = bench({ 'a.txt': textOf(1000) })
    const config = { 'tools.read_file.max_scan_bytes': 500 }
    const error = errorOf(
      await b.call('read_file', { path: 'a.txt', start_line: 2, end_line: 6 }, { config }),
    )
    expect(error).toMatchObject({ code: 'limit_exceeded', kind: 'SandboxViolation', state: 'ROLLED_BACK' })
    expect(error.message).toMatch(/narrow/i)
    expect(
      outputOf(await b.call('read_file', { path: 'a.txt', start_line: 2, end_line: 5 }, { config }))['range'],
    ).toEqual({
      start_line: 2,
      end_line: 5,
    })
  })

  it.for([
    ['a file that could be edited', 100_000],
    ['a file too large to edit', 500],
  ] as const)('T-READ-02: it holds for %s', async ([, wholeBytes]) => {
    const b = bench({ 'a.txt': textOf(1000) })
    const config = { 'tools.read_file.max_scan_bytes': 500, 'tools.edit.max_file_bytes': wholeBytes }
    const read = (args: object) => b.call('read_file', { path: 'a.txt', ...args }, { config })
    expect(outputOf(await read({ end_line: 5 }))['content']).toBe(textOf(500))
    expect(errorOf(await read({ end_line: 6 })).code).toBe('limit_exceeded')
    expect(errorOf(await read({ start_line: 1 })).code).toBe('limit_exceeded')
    expect(errorOf(await read({ start_line: 1, end_line: 99 })).code).toBe('limit_exceeded')
    expect(errorOf(await read({ start_line: 99, end_line: 99 })).code).toBe('limit_exceeded')
    expect(errorOf(await read({ end_line: 5, include_context: 1 })).code).toBe('limit_exceeded')
  })

  it('is counted from the first byte of the file to the last of the range', async () => {
    const b = bench({ 'a.txt': '\uFEFF1234567\n', 'open.txt': '12345678901' })
    const read = (path: string, limit: number) =>
      b.call('read_file', { path, start_line: 1 }, { config: { 'tools.read_file.max_scan_bytes': limit } })
    expect((await read('a.txt', 11)).ok).toBe(true)
    expect((await read('a.txt', 10)).ok).toBe(false)
    expect((await read('open.txt', 11)).ok).toBe(true)
    expect((await read('open.txt', 10)).ok).toBe(false)
  })
})
