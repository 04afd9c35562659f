import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { sanitise } from '../../../src/core/text/display/sanitise.ts'
import {
  byteLength,
  elideMiddle,
  ellipsis,
  TRUNCATION_MARKER,
  truncateText,
} from '../../../src/core/text/truncate.ts'
import { anyText } from './any-text.ts'
import { roundsOf } from '../../harness/long-run.ts'

describe('byteLength', () => {
  it('counts bytes of UTF-8, three for a lone surrogate', () => {
    expect(byteLength('')).toBe(0)
    expect(byteLength('aé日😀')).toBe(1 + 2 + 3 + 4)
    expect(byteLength('\uD800x\uDC00')).toBe(7)
  })

  it('counts the same as an encoder, also where a character straddles a window', () => {
    fc.assert(
      fc.property(
        fc.nat(8),
        fc.array(fc.constantFrom('a', 'é', '日', '😀', '\uD83D'), { maxLength: 20 }),
        (n, pieces) => {
          const text = 'x'.repeat(65_530 + n) + pieces.join('')
          expect(byteLength(text)).toBe(Buffer.byteLength(text))
        },
      ),
      { numRuns: roundsOf(100, 500) },
    )
  })
})

describe('truncateText', () => {
  it('T-OUT-01: a text at the limit is whole; one byte more is cut, with the marker inside the limit', () => {
    const atLimit = 'x'.repeat(100)
    expect(truncateText(atLimit, 100)).toEqual({ text: atLimit, truncated: false })
    const cut = truncateText(`${atLimit}x`, 100)
    expect(cut).toEqual({ text: 'x'.repeat(76) + '\n\n... [output truncated]', truncated: true })
    expect(cut.text).toHaveLength(100)
  })

  it('FR-OUT-04a: the cut falls between two characters', () => {
    const room = TRUNCATION_MARKER.length
    expect(truncateText('a😀'.repeat(20), room + 4).text).toBe(`a${TRUNCATION_MARKER}`)
    expect(truncateText('a😀'.repeat(20), room + 5).text).toBe(`a😀${TRUNCATION_MARKER}`)
    expect(truncateText('日'.repeat(20), room + 8).text).toBe(`日日${TRUNCATION_MARKER}`)
  })

  it('FR-OUT-04a: a limit that the marker alone fills gives the start of the marker', () => {
    const long = 'x'.repeat(100)
    expect(truncateText(long, 24).text).toBe('\n\n... [output truncated]')
    expect(truncateText(long, 5).text).toBe('\n\n...')
    expect(truncateText(long, 0)).toEqual({ text: '', truncated: true })
    expect(truncateText('', 0)).toEqual({ text: '', truncated: false })
    expect(truncateText('x', -1)).toEqual({ text: '', truncated: true })
  })

  it('FR-OUT-04a: never over the limit; what is left is the longest beginning that fits, and the marker', () => {
    fc.assert(
      fc.property(anyText(60), fc.nat(120), (text, maxBytes) => {
        const cut = truncateText(text, maxBytes)
        expect(cut.truncated).toBe(Buffer.byteLength(text) > maxBytes)
        expect(Buffer.byteLength(cut.text)).toBeLessThanOrEqual(maxBytes)
        if (!cut.truncated) expect(cut.text).toBe(text)
        else if (maxBytes <= TRUNCATION_MARKER.length)
          expect(TRUNCATION_MARKER.startsWith(cut.text)).toBe(true)
        else {
          const body = cut.text.slice(0, -TRUNCATION_MARKER.length)
          const next = String.fromCodePoint(text.codePointAt(body.length) ?? 0)
          expect(cut.text).toBe(body + TRUNCATION_MARKER)
          expect(text.startsWith(body)).toBe(true)
          expect(Buffer.byteLength(cut.text + next)).toBeGreaterThan(maxBytes)
        }
      }),
      { numRuns: roundsOf(2000, 20_000) },
    )
  })
})

describe('ellipsis and elideMiddle', () => {
  it('FR-APR-01: a summary is at most 200 characters with its ellipsis', () => {
    expect(ellipsis('x'.repeat(200), 200)).toBe('x'.repeat(200))
    expect(ellipsis('x'.repeat(201), 200)).toBe(`${'x'.repeat(199)}…`)
    expect(elideMiddle('abcdefghij', 10)).toBe('abcdefghij')
    expect(elideMiddle('abcdefghijk', 10)).toBe('abcde…hijk')
  })

  it('never cuts a surrogate pair, and no limit is too small', () => {
    expect(ellipsis('😀😀😀', 4)).toBe('😀…')
    expect(elideMiddle('😀😀😀😀', 5)).toBe('😀…😀')
    expect(elideMiddle('😀😀😀😀', 4)).toBe('😀…')
    expect([ellipsis('abc', 1), ellipsis('abc', 0), elideMiddle('abc', 1), elideMiddle('abc', 0)]).toEqual([
      '…',
      '',
      '…',
      '',
    ])
  })

  it('what was safe to print stays so when it is shortened', () => {
    const pieces = fc.constantFrom(
      'a',
      '👩',
      '\u200D',
      '💻',
      '\uFE0F',
      '❤',
      '🏽',
      'क',
      '\u0301',
      '\uD83D',
      '\u200C',
      ' ',
    )
    const text = fc.array(pieces, { maxLength: 20 }).map((parts) => sanitise(parts.join('')))
    fc.assert(
      fc.property(text, fc.nat(24), (safe, maxChars) => {
        for (const short of [ellipsis(safe, maxChars), elideMiddle(safe, maxChars)]) {
          expect(short.length).toBeLessThanOrEqual(maxChars)
          expect(sanitise(short)).toBe(short)
        }
      }),
      { numRuns: roundsOf(1000, 10_000) },
    )
  })
})
