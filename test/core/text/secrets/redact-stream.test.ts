import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createRedactingStream } from '../../../../src/core/text/secrets/redact-stream.ts'
import { redactSecrets } from '../../../../src/core/text/secrets/redact.ts'
import { roundsOf } from '../../../harness/long-run.ts'

const KNOWN = ['swordfish-4711', 'two\nlines-of-it']
const KEY = `-----BEGIN PRIVATE KEY-----\n${'QUJDREVGR0hJSktMTU5PUFFS\n'.repeat(4)}-----END PRIVATE KEY-----\n`

function stream(pieces: readonly string[], known: readonly string[] = KNOWN): string {
  const redacting = createRedactingStream(known)
  return pieces.map((piece) => redacting.push(piece)).join('') + redacting.end()
}

function cut(text: string, places: readonly number[]): readonly string[] {
  const sorted = [...places.map((place) => place % (text.length + 1)), 0, text.length].toSorted(
    (a, b) => a - b,
  )
  return sorted.slice(1).map((end, index) => text.slice(sorted[index], end))
}

describe('a stream of output', () => {
  it('F-SAFE-REDACT: shows no secret however its pieces are cut, and the same as all of it at once', () => {
    const line = fc.constantFrom(
      'plain words\n',
      'API_KEY=abcdef123456\n',
      'it is swordfish-4711 here\n',
      'two\nlines-of-it\n',
      KEY,
      'progress 10%\rprogress 20%\r',
      '"password": "hunter22"\n',
    )
    fc.assert(
      fc.property(fc.array(line, { maxLength: 8 }), fc.array(fc.nat(5000)), (lines, places) => {
        const text = lines.join('')
        expect(stream(cut(text, places))).toBe(redactSecrets(text, KNOWN))
      }),
      { numRuns: roundsOf(100, 500) },
    )
  })

  it('holds no more than it has to: whole lines go on at once', () => {
    const redacting = createRedactingStream([])
    expect(redacting.push('one\ntwo\nthr')).toBe('one\ntwo\n')
    expect(redacting.push('ee\r')).toBe('three\r')
    expect(redacting.push('x'.repeat(100_000)).length).toBeGreaterThan(90_000)
  })

  it('finds a known value at any place of a line without end', () => {
    const text = `${'y'.repeat(70_000)}swordfish-4711${'z'.repeat(70_000)}`
    for (let at = 1; at < 40; at++) {
      const shown = stream(cut(text, [70_000 - 20 + at, 4096 * at]))
      expect(shown).not.toContain('swordfish')
      expect(shown.length).toBe(140_000 + '[redacted]'.length)
    }
  })

  it('F-SAFE-REDACT: shows no part of a secret at any place of a line without end', () => {
    const spoken = 'correct horse battery staple'
    const issued = `ghp_${'aB3dE6gH9j'.repeat(4)}`
    const filler = '{"n":1234567},'.repeat(5_000)
    for (let at = 65_440; at < 65_540; at += 3) {
      for (const secret of [`"${issued}",`, ` ${spoken} `, '"password":"hunter2hunter2",']) {
        const text = filler.slice(0, at) + secret + filler.slice(0, 9_000)
        const places = Array.from({ length: 20 }, (_, index) => index * 4096)
        expect(stream(cut(text, places), [spoken])).toBe(redactSecrets(text, [spoken]))
      }
    }
  })

  it('cuts no character of a line without end in two', () => {
    for (const lead of ['', 'x']) {
      const redacting = createRedactingStream([])
      const shown = redacting.push(lead + '\u{1f600}'.repeat(40_000))
      expect(shown.isWellFormed()).toBe(true)
    }
  })

  it('does not wait for the end of a key that never comes', () => {
    const redacting = createRedactingStream([])
    const begun = '-----BEGIN PRIVATE KEY-----\n'
    let shown = redacting.push(begun)
    for (let round = 0; round < 200; round++) shown += redacting.push(`${'some words '.repeat(100)}\n`)
    expect(shown.length).toBeGreaterThan(100_000)
  })
})
