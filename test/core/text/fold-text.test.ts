import { describe, expect, it } from 'vitest'
import { foldText } from '../../../src/core/text/fold-text.ts'

/** Every code point that is a character, or could become one. */
function* codePoints(): Generator<string> {
  for (let point = 0x80; point <= 0x10ffff; point++)
    if (point < 0xd800 || point > 0xdfff) yield String.fromCodePoint(point)
}

describe('the form in which names are compared', () => {
  it('is the same with and without any code point that file systems pass over', () => {
    const ignored = [...codePoints()].filter((one) => /\p{Default_Ignorable_Code_Point}/u.test(one))
    expect(ignored.length).toBeGreaterThan(4000)
    for (const one of ignored) {
      const name = `.e${one}nv`
      if (foldText(name) !== '.env') expect.unreachable(`U+${one.codePointAt(0)?.toString(16)}`)
    }
  })

  it('is the same for every letter, its other cases and its other compositions', () => {
    let cased = 0
    for (const one of codePoints()) {
      const folded = foldText(one)
      const others = [one.toLowerCase(), one.toUpperCase(), one.toLowerCase().toUpperCase()]
      if (others.some((other) => other !== one)) cased += 1
      for (const other of [...others, folded, one.normalize('NFD'), one.normalize('NFC')])
        if (foldText(other) !== folded)
          expect.unreachable(`U+${one.codePointAt(0)?.toString(16)} and ${JSON.stringify(other)}`)
    }
    expect(cased).toBeGreaterThan(2000)
  })

  it.each([
    ['ẞ', 'ss'],
    ['ß', 'ss'],
    ['ſ', 's'],
    ['\u212a', 'k'],
    ['ﬀ', 'ff'],
    ['Σ', 'σ'],
    ['ΑΣ', 'ας'],
    ['\u00c5', 'a\u030a'],
    ['\u1fb3', 'αι'],
  ])('is the same for %s and %s', (one, other) => {
    expect(foldText(one)).toBe(foldText(other))
  })

  it('stays what it is in a longer name', () => {
    expect(foldText('ΑΣb').startsWith(foldText('ΑΣ'))).toBe(true)
  })

  it('control: tells other names apart', () => {
    for (const [one, other] of [
      ['é', 'e'],
      ['ss', 's'],
      ['ł', 'l'],
    ] as const)
      expect(foldText(one)).not.toBe(foldText(other))
  })
})
