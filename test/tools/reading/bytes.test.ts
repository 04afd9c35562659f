import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { endOfCharacter, isBinary } from '../../../src/tools/reading/bytes.ts'
import { roundsOf } from '../../harness/long-run.ts'

describe('endOfCharacter', () => {
  it('is the last place before the end where a character begins or ends', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.nat(), (raw, wish) => {
        const text = raw.toWellFormed()
        const bytes = Buffer.from(text)
        const end = Math.min(wish % (bytes.length + 1), bytes.length)
        let best = 0
        for (const character of text) {
          const next = best + Buffer.byteLength(character)
          if (next > end) break
          best = next
        }
        expect(endOfCharacter(bytes, end)).toBe(best)
        expect(endOfCharacter(bytes.subarray(0, end), end)).toBe(best)
      }),
      { numRuns: roundsOf(500, 5000) },
    )
  })
})

describe('isBinary', () => {
  it('any text without a NUL is text, and so is any beginning of it', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.nat(), (raw, wish) => {
        const bytes = Buffer.from(raw.toWellFormed().replaceAll('\0', ' '))
        expect(isBinary(bytes, true)).toBe(false)
        expect(isBinary(bytes.subarray(0, wish % (bytes.length + 1)), false)).toBe(false)
      }),
      { numRuns: roundsOf(500, 5000) },
    )
  })

  it('bytes are text exactly where a strict decoder takes them and no NUL is near', () => {
    const decoder = new TextDecoder('utf-8', { fatal: true })
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 12 }), (bytes) => {
        let isText = !bytes.includes(0)
        try {
          decoder.decode(bytes)
        } catch {
          isText = false
        }
        expect(isBinary(bytes, true)).toBe(!isText)
      }),
      { numRuns: roundsOf(500, 5000) },
    )
  })
})
