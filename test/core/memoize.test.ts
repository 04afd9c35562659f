import { describe, expect, it } from 'vitest'
import { memoizeLast } from '../../src/core/memoize.ts'

describe('repeating', () => {
  it('gives its last answer again while both values stay the same, and never another one', () => {
    let works = 0
    const join = memoizeLast((one: string, other: number) => {
      works += 1
      return { text: `${one}${other}` }
    })
    const first = join('a', 1)
    expect(join('a', 1)).toBe(first)
    expect(works).toBe(1)
    expect(join('a', 2).text).toBe('a2')
    expect(join('b', 2).text).toBe('b2')
    expect(join('a', 1)).toEqual(first)
    expect(works).toBe(4)
  })

  it('takes an answer of undefined for an answer', () => {
    let works = 0
    const nothing = memoizeLast((_one: number, _other: number) => void works++)
    nothing(1, 1)
    nothing(1, 1)
    expect(works).toBe(1)
  })
})
