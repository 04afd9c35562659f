import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fitText, noteLine } from '../../../src/tools/reading/fit-text.ts'
import { roundsOf } from '../../harness/long-run.ts'

const MARKER = '\n\n... [output truncated]'
const piece = fc.constantFrom(
  'word ',
  'é',
  '😀',
  '\n',
  '\r\n',
  '\u202E',
  '\u200D',
  'می\u200Cخ',
  'a'.repeat(40),
)
const text = fc.array(piece, { maxLength: 60 }).map((pieces) => pieces.join(''))

describe('fitText', () => {
  it('gives a beginning of the text that fits with everything behind it', () => {
    fc.assert(
      fc.property(text, fc.integer({ min: 0, max: 2500 }), fc.boolean(), (whole, maxBytes, isCut) => {
        const bytes = Buffer.from(whole)
        const slice = { from: 0, to: bytes.length, startLine: 1, isCut }
        const { content, to, truncated, notes, range } = fitText(bytes, slice, maxBytes)
        expect(whole.startsWith(content)).toBe(true)
        expect(to).toBe(Buffer.byteLength(content))
        expect(truncated).toBe(isCut || content !== whole)
        expect(range.end_line).toBe(
          content.split('\n').length - (content.endsWith('\n') || content === '' ? 1 : 0),
        )
        const answer = content + (truncated ? MARKER : '') + noteLine(notes)
        // In a tiny answer the text comes first, and the framework cuts the notes.
        const isTiny = to <= (maxBytes - MARKER.length) / 2
        if (!isTiny) expect(Buffer.byteLength(answer)).toBeLessThanOrEqual(Math.max(maxBytes, MARKER.length))
      }),
      { numRuns: roundsOf(500, 5000) },
    )
  })

  it('cuts nothing that fits', () => {
    fc.assert(
      fc.property(text, (whole) => {
        const bytes = Buffer.from(whole)
        const slice = { from: 0, to: bytes.length, startLine: 1, isCut: false }
        const { notes } = fitText(bytes, slice, Infinity)
        const exact = bytes.length + Buffer.byteLength(noteLine(notes))
        expect(fitText(bytes, slice, exact)).toMatchObject({ content: whole, truncated: false, notes })
      }),
      { numRuns: roundsOf(200, 2000) },
    )
  })

  it('at least half of a small answer is text, however much there is to note', () => {
    const bytes = Buffer.from('x\u202E'.repeat(200))
    const { content, truncated } = fitText(
      bytes,
      { from: 0, to: bytes.length, startLine: 1, isCut: false },
      224,
    )
    expect(Buffer.byteLength(content)).toBe(100)
    expect(truncated).toBe(true)
  })
})
