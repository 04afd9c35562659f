import { assert, property, string } from 'fast-check'
import { expect, it } from 'vitest'
import { compareCodePoints } from '../../../src/core/text/compare.ts'
import { roundsOf } from '../../harness/long-run.ts'

const names = string({ unit: 'binary', maxLength: 6 })

it('orders names by code point, as their bytes are ordered', () => {
  assert(
    property(names, names, (a, b) => {
      expect(Math.sign(compareCodePoints(a, b))).toBe(Buffer.compare(Buffer.from(a), Buffer.from(b)))
    }),
    { numRuns: roundsOf(200, 2000) },
  )
  expect(compareCodePoints('\uFFFD', '\u{1F600}')).toBeLessThan(0)
})
