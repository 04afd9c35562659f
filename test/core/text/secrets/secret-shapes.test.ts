import { describe, expect, it } from 'vitest'
import { createRedactingStream } from '../../../../src/core/text/secrets/redact-stream.ts'
import { redactForApproval, redactSecrets } from '../../../../src/core/text/secrets/redact.ts'
import { roundsOf, triesOf } from '../../../harness/long-run.ts'
import { makerFor } from './random-values.ts'
import { PREFIXED_SHAPES } from './prefixed-shapes.ts'
import { ISSUED_SHAPES, PLACED_SHAPES } from './secret-shapes.ts'
import type { Sample, Shape } from './secret-shapes.ts'

const SEEDS = triesOf(roundsOf(8, 40), 2_000)
const ISSUED = [...ISSUED_SHAPES, ...PREFIXED_SHAPES]
const SHAPES = [...ISSUED, ...PLACED_SHAPES]
/** Of all samples together, and of each shape by itself. */
const LEAST_CAUGHT = 0.95
const LEAST_OF_A_SHAPE = 0.8

const samplesOf = ([, make]: Shape): readonly Sample[] =>
  Array.from({ length: SEEDS }, (_, seed) => make(makerFor(seed)))

const shareOf = (samples: readonly Sample[], redact: (text: string) => string): number =>
  samples.filter(({ text, secret }) => !redact(text).includes(secret)).length / samples.length

describe('shapes of real secrets', () => {
  it('control: one who knows only assignments to passwords catches few of them', () => {
    const naive = (text: string): string => text.replaceAll(/password\s*[:=]\s*\S+/gi, '')
    const shares = SHAPES.map((shape) => shareOf(samplesOf(shape).slice(0, 40), naive))
    expect(shares.filter((share) => share < LEAST_OF_A_SHAPE).length).toBeGreaterThan(SHAPES.length / 2)
  })

  it('F-SAFE-REDACT: more than 95 % of at least 60 shapes are caught', () => {
    const shares = SHAPES.map((shape) => [shape[0], shareOf(samplesOf(shape), redactSecrets)] as const)
    const all = shares.reduce((sum, [, share]) => sum + share, 0) / shares.length
    const percent = (share: number): string => `${(100 * share).toFixed(1)} %`
    process.stdout.write(
      `Secrets caught: ${percent(all)} of ${SHAPES.length * SEEDS} samples in ${SHAPES.length} shapes.\n`,
    )
    const weak = shares
      .filter(([, share]) => share < LEAST_OF_A_SHAPE)
      .map(([why, share]) => `${why}: ${percent(share)}`)
    expect(SHAPES.length).toBeGreaterThanOrEqual(60)
    expect(weak).toEqual([])
    expect(all).toBeGreaterThan(LEAST_CAUGHT)
  })

  it.each(ISSUED)('F-SAFE-REDACT: %s is hidden in a question too, and named', (...shape) => {
    for (const { text, secret } of samplesOf(shape).slice(0, 5)) {
      const shown = redactForApproval(text)
      expect(shown).not.toContain(secret)
      expect(shown).toMatch(/\[redacted: [A-Za-z][\w ]+(?: \S{4}\.\.\.\S{4})?, \d+ characters\]/)
    }
  })

  it.each(SHAPES)('%s is the same in pieces as at once', (...shape) => {
    for (const { text } of samplesOf(shape).slice(0, 5)) {
      const whole = redactSecrets(text)
      for (let cut = 0; cut <= text.length; cut += 1 + Math.floor(text.length / 40)) {
        const stream = createRedactingStream([])
        expect(stream.push(text.slice(0, cut)) + stream.push(text.slice(cut)) + stream.end()).toBe(whole)
      }
    }
  })
})
