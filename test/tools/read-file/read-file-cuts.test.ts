import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { bench, errorOf, outputOf } from '../../bench-folder.ts'
import { roundsOf } from '../../harness/long-run.ts'

const MARKER = '\n\n... [output truncated]'
const KB = 1024

/** Text of exactly this many bytes, in lines of 100. */
function textOf(bytes: number): string {
  const line = `${'x'.repeat(99)}\n`
  return line.repeat(Math.ceil(bytes / 100)).slice(0, bytes)
}

describe('a file over the editing limit', () => {
  const nineMegabytes = textOf(9 * KB * KB)

  it('gives a range near its beginning without being counted', async () => {
    const b = bench({ 'big.txt': nineMegabytes })
    const output = outputOf(await b.call('read_file', { path: 'big.txt', start_line: 2, end_line: 3 }))
    const line = `${'x'.repeat(99)}\n`
    expect(output).toMatchObject({
      content: line + line,
      total_lines: null,
      size: nineMegabytes.length,
      truncated: false,
    })
    expect(
      outputOf(await b.call('read_file', { path: 'big.txt', start_line: 20_000, end_line: 20_000 }))[
        'content'
      ],
    ).toBe(line)
    const config = { 'tools.read_file.over_limit': 'refuse' }
    expect(errorOf(await b.call('read_file', { path: 'big.txt' }, { config })).code).toBe('limit_exceeded')
    expect(outputOf(await b.call('read_file', { path: 'big.txt', max_bytes: 150 }))).toMatchObject({
      content: textOf(150),
      truncated: true,
      total_lines: null,
    })
  })

  it('is read on until the range is found, however far the scan limit lets it', async () => {
    const b = bench({ 'a.txt': textOf(900_000) })
    const config = { 'tools.edit.max_file_bytes': 1000 }
    for (const line of [1, 655, 656, 2621, 2622, 9000]) {
      const result = await b.call(
        'read_file',
        { path: 'a.txt', start_line: line, end_line: line },
        { config },
      )
      expect(outputOf(result)).toMatchObject({
        content: `${'x'.repeat(99)}\n`,
        range: { start_line: line, end_line: line },
      })
    }
    expect(
      errorOf(await b.call('read_file', { path: 'a.txt', start_line: 9001 }, { config })).details,
    ).toMatchObject({ last_line: 9000 })
  })

  it('one endless line is refused by the scan limit, and its beginning can be had', async () => {
    const b = bench({ 'long.txt': 'y'.repeat(9 * KB * KB) })
    expect(errorOf(await b.call('read_file', { path: 'long.txt', start_line: 1, end_line: 1 })).code).toBe(
      'limit_exceeded',
    )
    expect(outputOf(await b.call('read_file', { path: 'long.txt', max_bytes: 3 }))).toMatchObject({
      content: 'yyy',
      truncated: true,
    })
  })

  it('what lies behind the range is not looked at', async () => {
    const bytes = Buffer.from(nineMegabytes)
    bytes[10_000] = 0xff
    const b = bench({ 'odd.txt': bytes })
    expect(outputOf(await b.call('read_file', { path: 'odd.txt', end_line: 2 }))['encoding']).toBe('utf-8')
    expect(errorOf(await b.call('read_file', { path: 'odd.txt', end_line: 200 })).message).toMatch(/binary/)
  })
})

describe('the output limit', () => {
  it('cuts a text that was read, with the marker inside the limit, and the result says so', async () => {
    const b = bench({ 'a.txt': textOf(150_000) })
    const config = { 'tools.read_file.over_limit': 'refuse' }
    const result = await b.call('read_file', { path: 'a.txt' }, { config })
    const output = outputOf(result)
    expect(result.content).toHaveLength(102_400)
    expect(result.content).toBe(textOf(102_400 - MARKER.length) + MARKER)
    expect(output).toMatchObject({ truncated: true, size: 150_000, content: textOf(102_400 - MARKER.length) })
  })

  it('lets a text of exactly its size through', async () => {
    const b = bench({ 'at.txt': textOf(1000), 'over.txt': textOf(1001) })
    const config = { 'tools.output.max_bytes': 1000 }
    const at = await b.call('read_file', { path: 'at.txt' }, { config })
    expect([at.content, outputOf(at)['truncated']]).toEqual([textOf(1000), false])
    const refusing = { ...config, 'tools.read_file.over_limit': 'refuse' }
    const over = await b.call('read_file', { path: 'over.txt' }, { config: refusing })
    expect([over['content'].length, outputOf(over)['truncated']]).toEqual([1000, true])
  })

  it('a range that is cut reports the lines that were returned', async () => {
    const b = bench({ 'a.txt': textOf(5000) })
    const args = { path: 'a.txt', start_line: 11, end_line: 40 }
    const output = outputOf(await b.call('read_file', args, { config: { 'tools.output.max_bytes': 1000 } }))
    expect(output).toMatchObject({ truncated: true, range: { start_line: 11, end_line: 20 } })
  })

  it('leaves room for the notes, and names only what was shown', async () => {
    const b = bench({ 'a.txt': `${'x'.repeat(900)}\u202E${'y'.repeat(100)}\u202E` })
    const result = await b.call(
      'read_file',
      { path: 'a.txt' },
      { config: { 'tools.output.max_bytes': 1000 } },
    )
    const { notes, truncated, content } = outputOf(result)
    expect(Buffer.byteLength(result.content)).toBeLessThanOrEqual(1000)
    expect(truncated).toBe(true)
    expect(notes).toEqual(
      content === 'x'.repeat(900) ? [] : ['line 1, column 901: U+202E RIGHT-TO-LEFT OVERRIDE'],
    )
  })

  it('whatever the text and the limit, the answer fits, is a beginning of the text and says whether it is all', async () => {
    const b = bench()
    const piece = fc.constantFrom('word ', 'é', '😀', '\n', '\u202E', '\u200D', 'a'.repeat(40))
    await fc.assert(
      fc.asyncProperty(
        fc.array(piece, { maxLength: 60 }),
        fc.integer({ min: 1, max: 1500 }),
        fc.boolean(),
        async (pieces, maxBytes, isRange) => {
          const text = pieces.join('')
          fc.pre(text !== '')
          b.put('a.txt', text)
          const args = { path: 'a.txt', ...(isRange ? { start_line: 1 } : {}) }
          const result = await b.call('read_file', args, { config: { 'tools.output.max_bytes': maxBytes } })
          const output = outputOf(result)
          const shown = String(output['content'])
          expect(Buffer.byteLength(result.content)).toBeLessThanOrEqual(maxBytes)
          expect(text.startsWith(shown)).toBe(true)
          expect(output['truncated']).toBe(shown !== text)
          if (maxBytes > 200) expect(result.content.startsWith(shown)).toBe(true)
          if (Buffer.byteLength(text) + 60 * 70 <= maxBytes) expect(shown).toBe(text)
        },
      ),
      { numRuns: roundsOf(20, 60) },
    )
  })
})
