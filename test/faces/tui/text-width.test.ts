import { visibleWidth } from '@earendil-works/pi-tui'
import { describe, expect, it } from 'vitest'
import { breakRows, breakWords, columnsOf, layWords, truncateEnd } from '../../../src/terminal/fit-rows.ts'

const LAST_CODE_POINT = 0x10ffff
const ASSIGNED = /[\p{L}\p{M}\p{N}\p{P}\p{S}\p{Z}]/u
const EMOJI = /\p{Emoji}/u

describe('the width of text', () => {
  it('is never less than the screen library counts, for any character and its emoji form', () => {
    const short: string[] = []
    for (let code = 0x20; code <= LAST_CODE_POINT; code++) {
      if (code >= 0xd800 && code <= 0xdfff) continue
      const character = String.fromCodePoint(code)
      const texts = EMOJI.test(character) ? [character, `${character}\uFE0F`] : [character]
      // The library counts one character as two columns at most.
      const isShort = (text: string): boolean => columnsOf(text) < 2 && visibleWidth(text) > columnsOf(text)
      if (ASSIGNED.test(character) && texts.some(isShort)) short.push(code.toString(16))
    }
    expect(short).toEqual([])
  })

  it.for(['👩‍👩‍👧‍👦', '🇩🇪', '1️⃣', 'é', 'น้ำ', 'क्षि', '字', '\u001b[31mred\u001b[39m'])(
    'counts %s at least as wide as the screen library does',
    (text) => {
      expect(columnsOf(text)).toBeGreaterThanOrEqual(visibleWidth(text))
    },
  )

  it('does not count styles, and closes them where a row is cut', () => {
    const styled = `\u001b[31m${'字'.repeat(5)}\u001b[39m end`
    expect(columnsOf(styled)).toBe(14)
    expect(truncateEnd(styled, 6)).toBe('\u001b[31m字字\u001b[0m…')
    expect(truncateEnd('plain text', 6)).toBe('plain…')
    expect(truncateEnd(styled, 14)).toBe(styled)
  })

  it('lays a sentence between words, keeps an address whole, and lines and their indentation as they are', () => {
    expect(layWords('  one two three\n\nfour', 9)).toBe('  one two\n    three\n\nfour')
    expect(layWords('see https://example.org/long now', 10)).toBe('see\n  https://example.org/long\n  now')
    expect(layWords('a  b', 4)).toBe('a  b')
  })

  it('breaks between words where it can, in them where it must, and never inside a style', () => {
    expect(breakWords('  one two  three', 8)).toEqual(['  one', 'two ', 'three'])
    expect(breakRows(`\u001b[1m${'x'.repeat(5)}\u001b[22m`, 2)).toEqual(['\u001b[1mxx', 'xx', 'x\u001b[22m'])
  })
})
