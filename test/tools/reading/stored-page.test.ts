import { Buffer } from 'node:buffer'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { OpenedFile } from '../../../src/core/powers.ts'
import { readPage } from '../../../src/tools/reading/stored-page.ts'

/** A file in memory that knows how much of it was read at once. */
function fileOf(text: string): OpenedFile & { readonly longest: () => number } {
  const bytes = Buffer.from(text)
  let longest = 0
  return {
    path: 'tongs:output/x',
    size: bytes.length,
    modifiedMs: 0,
    readAt: (position, length) => {
      longest = Math.max(longest, length)
      return bytes.subarray(position, position + length)
    },
    readAll: () => bytes,
    saw: () => undefined,
    longest: () => longest,
  }
}

describe('a page of what is kept', () => {
  it('law: pages one after the other are the whole text', () => {
    const line = fc.string({ unit: 'grapheme', maxLength: 12 }).map((text) => text.replaceAll('\n', ''))
    const texts = fc
      .tuple(fc.array(line, { minLength: 1, maxLength: 30 }), fc.boolean())
      .map(([lines, endsOpen]) => lines.join('\n') + (endsOpen ? '' : '\n'))
      .filter((text) => text !== '')
    fc.assert(
      fc.property(texts, fc.nat({ max: 4 }), (text, more) => {
        const file = fileOf(text)
        let whole = ''
        for (let start_line = 1; ;) {
          const read = readPage(file, { start_line, end_line: start_line + more }, 4096)
          if (!read.ok) {
            expect(read.lastLine).toBe(start_line - 1)
            break
          }
          const { bytes, slice } = read.page
          const shown = Buffer.from(bytes.subarray(slice.from, slice.to)).toString()
          whole += shown
          start_line += shown.split('\n').length - (shown.endsWith('\n') ? 1 : 0)
        }
        expect(whole).toBe(text)
      }),
    )
  })

  it('holds no more than a part of a long file, and cuts no character', () => {
    const file = fileOf('äöü\n'.repeat(500_000))
    const read = readPage(file, { start_line: 499_999, end_line: Infinity }, 9)
    expect(file.longest()).toBeLessThan(1024 ** 2)
    expect(read).toMatchObject({ ok: true, page: { slice: { to: 9, startLine: 499_999, isCut: true } } })
    const cut = readPage(file, { start_line: 2, end_line: 2 }, 4)
    expect(cut).toMatchObject({ ok: true, page: { slice: { to: 4, isCut: true } } })
    const inside = readPage(file, { start_line: 2, end_line: 2 }, 3)
    expect(inside).toMatchObject({ ok: true, page: { slice: { to: 2, isCut: true } } })
  })
})
