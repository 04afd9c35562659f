import { assert, property, string, uint8Array } from 'fast-check'
import { describe, expect, it } from 'vitest'
import { exactName, latin1Name, readableName, systemName } from '../../../src/host/root/exact-name.ts'
import { compareByCodePoint } from '../../../src/host/root/name-order.ts'

const names = string({ unit: 'binary', maxLength: 6 })
const bytes = uint8Array({ minLength: 1, maxLength: 12 }).map((array) => Buffer.from(array))

describe('names as bytes', () => {
  it('loses no byte of any name', () => {
    assert(
      property(bytes, (name) => {
        const exact = exactName(name.toString('latin1'))
        expect(Buffer.from(systemName(exact))).toEqual(name)
        expect(latin1Name(exact)).toBe(name.toString('latin1'))
      }),
      { numRuns: 2000 },
    )
  })

  it('reads a name as UTF-8 where it is, and puts replacement characters where it is not', () => {
    assert(
      property(bytes, (name) => {
        expect(readableName(exactName(name.toString('latin1')))).toBe(name.toString('utf8'))
      }),
      { numRuns: 2000 },
    )
    expect(exactName(Buffer.from('grün 😀').toString('latin1'))).toBe('grün 😀')
  })

  it('keeps two names apart that read alike', () => {
    assert(
      property(bytes, bytes, (a, b) => {
        expect(exactName(a.toString('latin1')) === exactName(b.toString('latin1'))).toBe(a.equals(b))
      }),
    )
  })
})

describe('the order of names', () => {
  it('is that of code points', () => {
    assert(
      property(names, names, (a, b) => {
        expect(Math.sign(compareByCodePoint(a, b))).toBe(Buffer.compare(Buffer.from(a), Buffer.from(b)))
      }),
      { numRuns: 2000 },
    )
    expect(compareByCodePoint('\uFFFD', '\u{1F600}')).toBeLessThan(0)
  })
})
