import { assert, property, uint8Array } from 'fast-check'
import { describe, expect, it } from 'vitest'
import { exactName, latin1Name, readableName, systemName } from '../../../src/host/root/exact-name.ts'
import { roundsOf } from '../../harness/long-run.ts'

const bytes = uint8Array({ minLength: 1, maxLength: 12 }).map((array) => Buffer.from(array))

describe('names as bytes', () => {
  it('loses no byte of any name', () => {
    assert(
      property(bytes, (name) => {
        const exact = exactName(name.toString('latin1'))
        expect(Buffer.from(systemName(exact))).toEqual(name)
        expect(latin1Name(exact)).toBe(name.toString('latin1'))
      }),
      { numRuns: roundsOf(200, 2000) },
    )
  })

  it('reads a name as UTF-8 where it is, and puts replacement characters where it is not', () => {
    assert(
      property(bytes, (name) => {
        expect(readableName(exactName(name.toString('latin1')))).toBe(name.toString('utf8'))
      }),
      { numRuns: roundsOf(200, 2000) },
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
