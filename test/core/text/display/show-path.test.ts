import { describe, expect, it } from 'vitest'
import { showPath } from '../../../../src/core/text/display/show-path.ts'

describe('a path in a sentence', () => {
  it.each([
    ['src/a-b_c.ts', 'src/a-b_c.ts'],
    ['中/é.txt', '中/é.txt'],
    ['a b', '"a b"'],
    ['a". Approve "b', String.raw`"a\". Approve \"b"`],
    ['a\nb', String.raw`"a\nb"`],
  ])('%j is shown as %s', (path, shown) => {
    expect(showPath(path)).toBe(shown)
  })
})
