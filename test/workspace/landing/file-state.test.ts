import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isTorn } from '../../../src/workspace/landing/file-state.ts'

const bytesOf = (maxLength: number) => fc.uint8Array({ minLength: 1, maxLength })

describe('what a power cut leaves of a file', () => {
  it('is torn where it is cut short, wherever that is', () => {
    fc.assert(
      fc.property(bytesOf(2000), fc.nat(), (wanted, cut) => {
        expect(isTorn(wanted.subarray(0, cut % wanted.length), wanted)).toBe(true)
      }),
    )
  })

  it('is torn where any sectors are zeros, unless they are so by right', () => {
    fc.assert(
      fc.property(bytesOf(3000), fc.array(fc.nat(6), { minLength: 1 }), (wanted, sectors) => {
        const found = wanted.slice()
        for (const sector of sectors) found.fill(0, sector * 512, (sector + 1) * 512)
        expect(isTorn(found, wanted)).toBe(Buffer.compare(found, wanted) !== 0)
      }),
    )
  })

  it('is not torn where it holds a byte that is not its own, or is longer, or is whole', () => {
    fc.assert(
      fc.property(bytesOf(2000), fc.nat(), fc.integer({ min: 1, max: 255 }), (wanted, at, value) => {
        const found = wanted.slice()
        const place = at % found.length
        fc.pre(found[place] !== value)
        found[place] = value
        expect(isTorn(found, wanted)).toBe(false)
        expect(isTorn(Buffer.concat([wanted, Buffer.from([0])]), wanted)).toBe(false)
        expect(isTorn(wanted, wanted)).toBe(false)
      }),
    )
  })
})
