import { describe, expect, it } from 'vitest'
import { findNearMiss } from '../../../src/tools/lp1/near-miss.ts'
import { errorOf, runOps } from './run-patch.ts'

const BLANKS = 'differs only in white space'
const CASE = 'differs only in upper and lower case'
const PLACE = 'is in the place of'
const SIMILAR = 'is the most similar'
const DOT = 'a line that begins with a dot gets one more, so this one is written "... note:: x"'

type Case = readonly [title: string, find: string[], texts: string[], line: number, why: string]

const CASES: readonly Case[] = [
  ['tabs for blanks', ['    go()'], ['x', '\tgo()', 'y'], 2, BLANKS],
  ['blanks at the end', ['a '], ['x', 'a'], 2, BLANKS],
  ['blanks inside', ['a=b'], ['a = b'], 1, BLANKS],
  ['a no-break space', ['a\u00a0b'], ['a b'], 1, BLANKS],
  ['white space before case', ['Go'], ['go', ' Go'], 2, BLANKS],
  ['case', ['Red'], ['blue', 'red'], 2, CASE],
  ['case and white space', [' Red'], ['red'], 1, CASE],
  ['a blank line with blanks in it', [''], ['x', '  '], 2, BLANKS],
  ['the second line of the block', ['if x:', '  go()'], ['go()', 'if x:', '    go()'], 3, BLANKS],
  ['the first line of the block', ['  if x:', 'go()'], ['if x:', 'go()', 'if y:'], 1, BLANKS],
  ['the best of several places', ['{', 'b ', '}'], ['{', 'a', '}', '{', 'b', '}'], 5, BLANKS],
  ['a line that is quite another', ['a', 'b', 'c'], ['a', 'x', 'c'], 2, PLACE],
  ['a line left out', ['a', 'b'], ['a', 'x', 'b'], 2, PLACE],
  ['a block that hangs over the end', ['a', 'b'], ['x', 'a'], 2, 'last line'],
  ['a block that hangs over the start', ['a', 'b'], ['b', 'x'], 1, 'first line'],
  ['a typing error', ['const answer = 41'], ['const other = 1', 'const answer = 42'], 2, SIMILAR],
  ['a dot that was not doubled', ['. note:: x'], ['a', '.. note:: x'], 2, DOT],
  ['a dot that was not doubled, below others', ['a', '. note:: x'], ['a', '.. note:: x'], 2, DOT],
  ['a typing error and case', ['Const answer = 41'], ['const answer = 42'], 1, SIMILAR],
]

describe('the nearest miss', () => {
  it('says nothing about dots where they are not the difference', () => {
    for (const [find, text] of [
      ['. note:: y', '.. note:: x'],
      ['note:: x', '.note:: x'],
    ])
      expect(String(findNearMiss([find ?? ''], [text ?? ''])?.why)).not.toContain('begins with a dot')
  })

  it.each(CASES)('is found for %s', (_title, find, texts, line, why) => {
    const nearest = findNearMiss(find, texts)
    expect(nearest).toMatchObject({ line, text: texts[line - 1] })
    expect(nearest?.why).toContain(why)
  })

  it.each([
    ['a file without lines', ['a'], []],
    ['nothing alike', ['something long'], ['other', 'words']],
    ['blank lines where the block has text', ['alpha', ''], ['', 'zzz']],
    ['a block of blank lines in a file without', [''], ['x']],
  ])('is not made up for %s', (_title, find, texts) => {
    expect(findNearMiss(find, texts)).toBeUndefined()
  })

  it('is cut where the line is long, and never through a character', () => {
    const nearest = findNearMiss([' a' + '😀'.repeat(300)], ['a' + '😀'.repeat(300)])
    expect(nearest?.text.length).toBeLessThanOrEqual(201)
    expect(nearest?.text.isWellFormed()).toBe(true)
  })

  it('of a long block names the line that is wrong, however far down', () => {
    const texts = Array.from({ length: 300 }, (_, index) => `line ${index}`)
    const nearest = findNearMiss(texts.with(250, 'line  250'), texts)
    expect(nearest).toMatchObject({ line: 251, text: 'line 250' })
    expect(nearest?.why).toContain('line 251 of the find block')
  })

  it('stands in match_not_found, in words and as data', () => {
    const error = errorOf(runOps('one\n\ttwo\n', ['B', 'zero', '.', 'R', 'one', 'two', '.', 'x', '.']))
    expect(error).toMatchObject({ code: 'match_not_found', line: 6, nearest: { line: 3, text: '\ttwo' } })
    expect(error.message).toContain('line 3 (counted after the operations before this one), "\\ttwo"')
    expect(error.message).toContain('differs only in white space from line 2 of the find block, "two"')
  })

  it('is left out of match_not_found where there is none', () => {
    expect(errorOf(runOps('', ['E', 'a', '.']))).not.toHaveProperty('nearest')
    expect(errorOf(runOps('', ['E', 'a', '.'])).message).toContain('no lines')
  })
})
