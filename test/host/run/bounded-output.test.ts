import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createBoundedOutput } from '../../../src/host/run/bounded-output.ts'
import type { BoundedText } from '../../../src/host/run/bounded-output.ts'
import { roundsOf } from '../../harness/long-run.ts'

function keep(keepBytes: number, pieces: readonly Uint8Array[]): BoundedText {
  const kept = createBoundedOutput(keepBytes)
  for (const piece of pieces) {
    for (let at = 0; at < piece.length;) {
      const room = kept.room()
      const part = piece.subarray(at, at + room.length)
      room.set(part)
      kept.take(part.length)
      at += part.length
    }
  }
  return kept.finish()
}

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text)

describe('what is kept of an output', () => {
  it('is all of it as long as it fits', () => {
    expect(keep(1000, [bytesOf('a'.repeat(1000))])).toEqual({ text: 'a'.repeat(1000), leftOutBytes: 0 })
  })

  it('is its beginning and its end around a line that counts what is missing', () => {
    const { text, leftOutBytes } = keep(1000, [bytesOf('a'.repeat(5000)), bytesOf('z'.repeat(5000))])
    expect(text).toMatch(/^a{400,}\n\.\.\. \[\d+ bytes left out\] \.\.\.\nz{400,}$/)
    expect(text).toContain(`[${leftOutBytes} bytes left out]`)
    expect(text.length).toBeLessThanOrEqual(1000)
    expect(text.match(/[az]/g)?.length).toBe(10_000 - leftOutBytes)
  })

  it('never cuts a character in two', () => {
    for (let shift = 0; shift < 8; shift++) {
      const { text } = keep(600, [bytesOf('x'.repeat(shift) + '€ä🙂'.repeat(500))])
      expect(text).not.toContain('\uFFFD')
    }
  })

  it('shows what is no UTF-8 as replacement characters', () => {
    expect(keep(1000, [new Uint8Array([0x61, 0xff, 0x62, 0xc3])]).text).toBe('a\uFFFDb\uFFFD')
  })

  it('keeps a mark at the start of a file', () => {
    expect(keep(1000, [new Uint8Array([0xef, 0xbb, 0xbf, 0x61])]).text).toBe('\uFEFFa')
  })

  it('does not depend on how the bytes come, and accounts for each of them', () => {
    const piece = fc.tuple(fc.integer({ min: 0, max: 90_000 }), fc.integer({ min: 33, max: 126 }))
    fc.assert(
      fc.property(
        fc.array(piece, { maxLength: 12 }),
        fc.integer({ min: 256, max: 200_000 }),
        (pieces, keepBytes) => {
          const parts = pieces.map(([length, byte]) => new Uint8Array(length).fill(byte))
          const whole = Buffer.concat(parts).toString('latin1')
          const { text, leftOutBytes } = keep(keepBytes, parts)
          if (whole.length <= keepBytes) {
            expect(text).toBe(whole)
            return
          }
          const [head = '', tail = ''] = text.split(`\n... [${leftOutBytes} bytes left out] ...\n`)
          expect(whole.startsWith(head) && whole.endsWith(tail)).toBe(true)
          expect(head.length + tail.length + leftOutBytes).toBe(whole.length)
          expect(text.length).toBeLessThanOrEqual(keepBytes)
          expect(text.length).toBeGreaterThan(keepBytes - 70)
        },
      ),
      { numRuns: roundsOf(20, 60) },
    )
  })

  it('F-SAFE-REDACT: is cut between lines, so that no half of a secret is left at the cut', () => {
    const line = 'MY_TOKEN is swordfish-4711-swordfish\n'
    for (let keepBytes = 1000; keepBytes < 1100; keepBytes += 7) {
      const { text, leftOutBytes } = keep(keepBytes, [bytesOf(line.repeat(500))])
      const lines = text.split('\n').filter((one) => one !== '' && !one.startsWith('... ['))
      expect(new Set(lines)).toEqual(new Set([line.trimEnd()]))
      expect(lines.length * line.length + leftOutBytes).toBe(500 * line.length)
    }
  })
})
