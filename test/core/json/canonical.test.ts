import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { canonicalJson } from '../../../src/core/json/canonical.ts'
import type { JsonValue } from '../../../src/core/json/value.ts'
import { roundsOf } from '../../harness/long-run.ts'

const reverseKeys = (value: unknown): JsonValue =>
  JSON.parse(
    JSON.stringify(value, (_, inner: unknown) =>
      typeof inner === 'object' && inner !== null && !Array.isArray(inner)
        ? Object.fromEntries(Object.entries(inner).toReversed())
        : inner,
    ),
  )

describe('canonicalJson', () => {
  it('sorts keys by code unit and leaves no blanks', () => {
    expect(canonicalJson({ b: [1, { z: null, a: 'x y' }], a: -0, '😀': 1, '\uFF5E': 2, A: true })).toBe(
      '{"A":true,"a":0,"b":[1,{"a":"x y","z":null}],"😀":1,"\uFF5E":2}',
    )
  })

  it('is the same for the same value in any order, and parses back to it', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 3 }), (value) => {
        const plain: JsonValue = JSON.parse(JSON.stringify(value))
        const text = canonicalJson(plain)
        expect(canonicalJson(reverseKeys(plain))).toBe(text)
        expect(JSON.parse(text)).toEqual(plain)
      }),
      { numRuns: roundsOf(200, 2000) },
    )
  })

  it('copes with more levels than arguments may have', () => {
    let deep: JsonValue = 1
    for (let level = 0; level < 500; level += 1) deep = { a: [deep] }
    expect(canonicalJson(deep)).toHaveLength(500 * '{"a":[]}'.length + 1)
  })
})
