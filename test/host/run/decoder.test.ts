import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createDecoder } from '../../../src/host/run/decoder.ts'

describe('text from a stream', () => {
  it('is the same however its bytes are split', () => {
    const byte = fc.oneof(fc.integer({ min: 0, max: 255 }), fc.integer({ min: 97, max: 122 }))
    const text = fc.string({ unit: 'binary', maxLength: 8 }).map((one) => [...new TextEncoder().encode(one)])
    const pieces = fc.array(fc.oneof(fc.array(byte, { maxLength: 6 }), text), { maxLength: 12 })
    fc.assert(
      fc.property(pieces, (parts) => {
        const decoder = createDecoder()
        const said = parts.map((part) => decoder.decode(new Uint8Array(part))).join('') + decoder.end()
        const whole = new TextDecoder('utf-8', { ignoreBOM: true }).decode(new Uint8Array(parts.flat()))
        expect(said).toBe(whole)
      }),
      { numRuns: 600 },
    )
  })
})
