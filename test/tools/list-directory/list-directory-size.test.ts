import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ToolResult } from '../../../src/core/result.ts'
import { bench, errorOf, outputOf } from '../../bench-folder.ts'
import type { Bench } from '../../bench-folder.ts'
import { entriesOf } from './listing.ts'
import { roundsOf } from '../../harness/long-run.ts'

const FIELDS = ['path', 'entries', 'returned', 'max_entries', 'truncated', 'truncated_reason']

/** Lists the root within so many bytes. */
function listed(b: Bench, maxBytes: number, args: object = {}): Promise<ToolResult> {
  return b.call('list_directory', { path: '.', ...args }, { config: { 'tools.output.max_bytes': maxBytes } })
}

describe('the size of the answer', () => {
  const FILES = Object.fromEntries(
    Array.from({ length: 30 }, (_, index) => [`${'é'.repeat(index % 7)}${index}`, '']),
  )

  it('FR-LD-OUT-03: never exceeds the output limit, nor what the conversation has room for', async () => {
    const b = bench(FILES)
    for (let maxBytes = 120; maxBytes < 6000; maxBytes += 293) {
      const result = await listed(b, maxBytes)
      expect(Buffer.byteLength(result.content)).toBeLessThanOrEqual(maxBytes)
      expect(result.ok).toBe(true)
    }
    const config = { 'tools.output.max_bytes': 5000, 'tools.output.capacity_bytes': 1000 }
    const small = await b.call('list_directory', { path: '.' }, { config })
    expect(Buffer.byteLength(small.content)).toBeLessThanOrEqual(1000)
    expect(outputOf(small)['truncated_reason']).toBe('max_output_bytes')
  })

  it('FR-LD-OUT-05, T-LD-06: too large an answer has fewer entries and names that reason', async () => {
    const b = bench(FILES)
    const result = await listed(b, 1500)
    expect(outputOf(result)).toMatchObject({
      truncated: true,
      truncated_reason: 'max_output_bytes',
      max_entries: 200,
    })
    expect(entriesOf(result).length).toBeGreaterThan(3)
    expect(entriesOf(result).length).toBeLessThan(30)
  })

  it('FR-LD-OUT-06: is counted in bytes of UTF-8, not in characters', async () => {
    const b = bench({ [`a${'日'.repeat(60)}`]: '', [`b${'日'.repeat(60)}`]: '' })
    const whole = (await listed(b, 100_000)).content
    const bytes = Buffer.byteLength(whole)
    expect(bytes).toBeGreaterThan(whole.length + 400)
    expect(outputOf(await listed(b, bytes))['returned']).toBe(2)
    expect(outputOf(await listed(b, bytes - 1))['returned']).toBe(1)
  })

  it('FR-LD-OUT-07: entries go from the end of the list, and no more of them than needed', async () => {
    const b = bench(FILES)
    const all = entriesOf(await listed(b, 100_000))
    const cutTo = (count: number) =>
      JSON.stringify({
        path: '.',
        entries: all.slice(0, count),
        returned: count,
        max_entries: 200,
        truncated: true,
        truncated_reason: 'max_output_bytes',
      })
    for (const count of [0, 1, 9, 10, 11, 28, 29]) {
      const exact = Buffer.byteLength(cutTo(count))
      expect((await listed(b, exact)).content).toBe(cutTo(count))
      if (count > 0) expect((await listed(b, exact - 1)).content).toBe(cutTo(count - 1))
    }
  })

  it('T-LD-14: the size overrides the number of entries as the reason', async () => {
    const b = bench(FILES)
    const both = outputOf(await listed(b, 700, { max_entries: 20 }))
    expect(both).toMatchObject({ truncated: true, truncated_reason: 'max_output_bytes', max_entries: 20 })
    expect(outputOf(await listed(b, 7000, { max_entries: 20 }))['truncated_reason']).toBe('max_entries')
  })

  it('FR-LD-OUT-08: where not even an empty list fits, the call fails', async () => {
    const b = bench(FILES)
    const least = Buffer.byteLength(
      '{"path":".","entries":[],"returned":0,"max_entries":200,"truncated":true,"truncated_reason":"max_output_bytes"}',
    )
    expect(outputOf(await listed(b, least))).toMatchObject({ returned: 0, entries: [], truncated: true })
    expect(errorOf(await listed(b, least - 1))).toMatchObject({
      code: 'execution_failed',
      kind: 'ExecutionFailed',
      state: 'ROLLED_BACK',
    })
  })

  it('T-LD-13: that failure says that the output budget is too small', async () => {
    const error = errorOf(await listed(bench(FILES), 60))
    expect(error.message).toContain('output budget too small')
    expect(error.details).toMatchObject({ max_output_bytes: 60 })
    expect(Buffer.byteLength(error.content)).toBeLessThanOrEqual(60)
  })

  it('NFR-LD-REL-01: whatever the names and limits, a success is valid JSON within the limit', async () => {
    const letter = fc.constantFrom('a', '"', '\\', '\n', '\u0001', 'é', '日', '😀', '\u2028', '\u202E')
    const name = fc.array(letter, { minLength: 1, maxLength: 12 }).map((letters) => letters.join(''))
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(name, { maxLength: 6 }),
        fc.integer({ min: 60, max: 1600 }),
        async (names, maxBytes) => {
          const b = bench(Object.fromEntries(names.map((text) => [text, ''])))
          const result = await listed(b, maxBytes)
          expect(Buffer.byteLength(result.content)).toBeLessThanOrEqual(maxBytes)
          if (!result.ok) return
          const parsed = JSON.parse(result.content) as { entries: unknown[]; returned: number }
          expect(Object.keys(parsed)).toEqual(FIELDS)
          expect(parsed.returned).toBe(parsed.entries.length)
        },
      ),
      { numRuns: roundsOf(13, 40) },
    )
  })
})
