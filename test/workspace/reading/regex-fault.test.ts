import { describe, expect, it } from 'vitest'
import { readRegexFault } from '../../../src/workspace/reading/regex-fault.ts'

const shown = (query: string, marks: string, why: string): string =>
  `rg: regex parse error:\n    (?:${query})\n${marks}\nerror: ${why}\n`

describe('what the search program has against a pattern', () => {
  it('is read with its place in the pattern itself', () => {
    const stderr = shown('a{2,1}', '        ^^^^^', 'invalid repetition count range')
    expect(readRegexFault(stderr, 'a{2,1}')).toEqual({ why: 'invalid repetition count range', position: 2 })
  })

  it.each([
    ['(a', 1],
    ['a\\((b', 4],
    ['[(](', 4],
    ['(a)(b', 4],
  ])('says where the group begins that %s never closes', (query, position) => {
    expect(readRegexFault(shown(query, '    ^', 'unclosed group'), query)).toMatchObject({ position })
  })

  it('is told from all other trouble', () => {
    expect(readRegexFault('rg: something else: No such file', 'a')).toBe(null)
    expect(readRegexFault('rg: Compiled regex exceeds size limit of 1 bytes.', 'a')).toMatchObject({
      position: null,
    })
    expect(readRegexFault('rg: the literal "\\n" is not allowed in a regex', 'a\\nb')).toMatchObject({
      position: 2,
    })
  })
})
