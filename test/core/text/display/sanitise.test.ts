import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createSanitiser, sanitise } from '../../../../src/core/text/display/sanitise.ts'
import { anyText } from '../any-text.ts'
import { LINEAR_AT_MOST, measureGrowth } from '../growth.ts'
import { roundsOf } from '../../../harness/long-run.ts'

const ESC = '\u001B'
const BEL = '\u0007'
const ST = `${ESC}\\`

/** Written with properties, not with the product's own list; joiners and selectors are judged apart. */
const NEVER_SHOWN =
  /[[\p{Cc}--[\n\t]]\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}\p{Default_Ignorable_Code_Point}\u{13430}-\u{13455}]/v
const SOMETIMES_SHOWN = /\u200C|\u200D|\uFE0E|\uFE0F|[\u{E0100}-\u{E01EF}]/gv

const piece = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.constantFrom(ESC, '[', ']', '(', 'P', '_', BEL, ST, '\\', '\u009B', '\u009D', '\u009C'),
  },
  {
    weight: 4,
    arbitrary: fc.constantFrom('1;2', 'm', ';', '\n', '\r', '\r\n', '\t', ' ', '    ', '\u0018', '\u007F'),
  },
  {
    weight: 3,
    arbitrary: fc.constantFrom('\u200D', '\u200C', '\uFE0F', '👩', '💻', '🏽', '❤', '1', 'ب', 'क', '漢'),
  },
  {
    weight: 3,
    arbitrary: fc.constantFrom('\uD83D', '\uDE00', '\uDB40', '\uDC41', '\u202E', '\uFEFF', '\u{E0100}'),
  },
  { weight: 2, arbitrary: anyText(4) },
)
const hostileText = fc.array(piece, { maxLength: 24 }).map((pieces) => pieces.join(''))

const cut = (text: string, cuts: readonly number[]): string[] => {
  const places = [
    0,
    ...cuts.map((at) => at % (text.length + 1)).toSorted((one, other) => one - other),
    text.length,
  ]
  return places.slice(1).map((end, index) => text.slice(places[index], end))
}

const sanitiseChunks = (chunks: readonly string[], isOneLine: boolean): string => {
  const sanitiser = createSanitiser({ oneLine: isOneLine })
  return chunks.map((chunk) => sanitiser.push(chunk)).join('') + sanitiser.end()
}

const oneLine = (text: string): string => sanitise(text, { oneLine: true })

const byCharacter = (text: string): string => sanitiseChunks(text.split(''), true)

describe('every character of Unicode', () => {
  it('is shown as it is, or spelled out if it is one that a reader does not see', () => {
    const wrong: string[] = []
    for (let point = 0; point <= 0x10ffff; point++) {
      const character = String.fromCodePoint(point)
      if (point === 13 || point === 27 || (point >= 0x80 && point <= 0x9f)) continue
      const isShown = sanitise(character) === character
      if (isShown === NEVER_SHOWN.test(character)) wrong.push(point.toString(16))
    }
    expect(wrong).toEqual([])
  })
})

describe('sequences', () => {
  it.each([
    ['colours', `${ESC}[1;31mred${ESC}[0m`, 'red'],
    ['a CSI with intermediates', `a${ESC}[?25 qb`, 'ab'],
    ['the one-character CSI', 'a\u009B31mb', 'ab'],
    ['a hyperlink ended by ST', `${ESC}]8;;https://x.test${ST}link${ESC}]8;;${ST}`, 'link'],
    ['a clipboard write ended by BEL', `a${ESC}]52;c;aGFjaw==${BEL}b`, 'ab'],
    ['the one-character OSC and ST', 'a\u009D0;title\u009Cb', 'ab'],
    ['a device control string', `a${ESC}P1$r0m${ST}b`, 'ab'],
    [
      'privacy message, program command and start of string',
      `a${ESC}^x${ST}b${ESC}_y${ST}c${ESC}Xz${ST}d`,
      'abcd',
    ],
    ['BEL inside a string that only ST ends', `a${ESC}_x${BEL}y${ST}b`, 'ab'],
    ['two-character sequences', `a${ESC}cb${ESC}7c${ESC}Dd`, 'abcd'],
    ['charset designations', `a${ESC}(Bb${ESC}#8c${ESC}%Gd`, 'abcd'],
  ])('T-OUT-02: %s are removed whole', (_, text, shown) => {
    expect(sanitise(text)).toBe(shown)
  })

  it.each([
    ['a lone ESC at the end', `a${ESC}`, 'a\\u{1B}'],
    ['ESC before a line feed', `a${ESC}\nb`, 'a\\u{1B}\nb'],
    ['ESC before an ESC', `${ESC}${ESC}[mx`, '\\u{1B}x'],
    ['a CSI that a letter from elsewhere breaks off', `${ESC}[1;é`, '\\u{1B}[1;é'],
    ['an OSC that a line feed breaks off', `${ESC}]0;title\nnext line`, '\\u{1B}]0;title\nnext line'],
    ['an OSC that another sequence breaks off', `${ESC}]0;t${ESC}[31mred`, '\\u{1B}]0;tred'],
    ['a DCS that a cancel breaks off', `${ESC}Pq\u0018rest`, '\\u{1B}Pq\\u{18}rest'],
    ['an OSC that never ends', `${ESC}]52;c;aGk`, '\\u{1B}]52;c;aGk'],
    ['a string that ends in half a terminator', `${ESC}]0;t${ESC}`, '\\u{1B}]0;t\\u{1B}'],
    ['a charset designation without its letter', `${ESC}(é`, '\\u{1B}(é'],
    ['C1 introducers in a string that never ends', `${ESC}]0;\u009B31m`, '\\u{1B}]0;\\u{9B}31m'],
  ])('T-OUT-02: %s is shown, harmless, and swallows nothing', (_, text, shown) => {
    expect(sanitise(text)).toBe(shown)
  })

  it('NFR-SEC-05: a string does not reach over the end of its line, even to a terminator', () => {
    expect(sanitise(`${ESC}]0;title\nkeep this${BEL}`)).toBe('\\u{1B}]0;title\nkeep this\\u{7}')
  })

  it('NFR-SEC-05: a string that has not ended after 4096 characters is text from there on', () => {
    const inside = `${ESC}]0;${'x'.repeat(4091)}${BEL}after`
    const beyond = `${ESC}]0;${'x'.repeat(4092)}${BEL}after`
    expect(sanitise(inside)).toBe('after')
    expect(sanitise(beyond)).toBe(`\\u{1B}]0;${'x'.repeat(4092)}\\u{7}after`)
    expect(sanitise(`${ESC}[${'1;'.repeat(3000)}mafter`)).toBe(`\\u{1B}[${'1;'.repeat(3000)}mafter`)
  })

  it('FR-OUT-02: dropping a sequence never joins the halves of another one', () => {
    expect(sanitise(`${ESC}${ESC}[m[31mx`)).toBe('\\u{1B}[31mx')
    expect(sanitise(`\uDB40${ESC}[m\uDC41`)).toBe('\\u{E0041}')
  })
})

describe('characters', () => {
  it('FR-OUT-02: printable text, line feeds and tabs stay as they are', () => {
    const text = 'plain\ttext\nnaïve 日本語 עברית 😀 🇩🇪 ⟨x⟩ \u00A0 — ñ'
    expect(sanitise(text)).toBe(text)
  })

  it.each([
    ['C0', 'a\u0000\u0008\u000Bb', 'a\\u{0}\\u{8}\\u{B}b'],
    ['DEL and C1', 'a\u007F\u0085b', 'a\\u{7F}\\u{85}b'],
    ['bidi overrides, isolates and marks', '\u202E\u2066\u200F\u061C', '\\u{202E}\\u{2066}\\u{200F}\\u{61C}'],
    ['zero-width characters', 'a\u200Bb\u2060c\uFEFFd', 'a\\u{200B}b\\u{2060}c\\u{FEFF}d'],
    ['tag characters', '\u{E0001}\u{E0041}\u{E007F}', '\\u{E0001}\\u{E0041}\\u{E007F}'],
    ['line and paragraph separators', 'a\u2028b\u2029c', 'a\\u{2028}b\\u{2029}c'],
    ['interlinear annotation', '\uFFF9a\uFFFAb\uFFFB', '\\u{FFF9}a\\u{FFFA}b\\u{FFFB}'],
    ['fillers and the soft hyphen', '\u3164\u115F\u00AD', '\\u{3164}\\u{115F}\\u{AD}'],
    ['lone surrogates', 'a\uD800b\uDC00c', 'a\\u{D800}b\\u{DC00}c'],
  ])('T-OUT-02: %s become visible', (_, text, shown) => {
    expect(sanitise(text)).toBe(shown)
  })

  it('FR-OUT-02: CRLF is a line end, a lone carriage return is shown because it overwrites the line', () => {
    expect(sanitise('safe\r\nnext')).toBe('safe\nnext')
    expect(sanitise('rm -rf /\rls      ')).toBe('rm -rf /\\u{D}ls      ')
    expect(sanitise('a\r\r\nb\r')).toBe('a\\u{D}\nb\\u{D}')
  })

  it.each(['👩🏽‍💻', '❤️‍🔥', '🏳️‍🌈', '🧔‍♂️', '1️⃣', 'می‌خواهم', 'क्‍ष', '葛\u{E0100}'])(
    'FR-OUT-02: joiners and selectors that spell %s stay',
    (text) => {
      expect(sanitise(text)).toBe(text)
    },
  )

  it.each([
    ['between Latin letters', 'pay\u200Dpal', 'pay\\u{200D}pal'],
    ['at the end of an emoji', '👩\u200D', '👩\\u{200D}'],
    ['doubled', '👩\u200D\u200D💻', '👩\\u{200D}\\u{200D}💻'],
    ['as hidden text after an emoji', '😀\u{E0101}\u{E0102}\uFE01', '😀\\u{E0101}\\u{E0102}\\u{FE01}'],
    ['selectors in a row', '❤\uFE0F\uFE0F', '❤\uFE0F\\u{FE0F}'],
    ['a selector behind a digit', 'v2\uFE0F.sh', 'v2\\u{FE0F}.sh'],
    ['a selector behind a sign that is on a keyboard', '#\uFE0F *\uFE0E', '#\\u{FE0F} *\\u{FE0E}'],
  ])('T-OUT-02: joiners and selectors %s become visible', (_, text, shown) => {
    expect(sanitise(text)).toBe(shown)
  })

  it('NFR-SEC-05: in what a person approves, names with other shapes of an ideograph do not look alike', () => {
    expect(sanitise('葛\u{E0100} ❤\uFE0F', { showSequences: true })).toBe('葛\\u{E0100} ❤\uFE0F')
  })
})

describe('one line', () => {
  it('NFR-SEC-05: line feeds and tabs become signs', () => {
    expect(sanitise('ls\nrm -rf /\tx', { oneLine: true })).toBe('ls⏎rm -rf /⇥x')
  })

  it('NFR-SEC-05: blanks cannot push the dangerous part out of sight', () => {
    expect(oneLine(`ls${' '.repeat(300)}; rm -rf /`)).toBe('ls⟨300 blanks⟩; rm -rf /')
    expect(oneLine(`ls${'\u3000\u00A0\u2800'.repeat(100)}; rm`)).toBe('ls⟨300 blanks⟩; rm')
    expect(oneLine(`ls${'\n \n'.repeat(100)}rm`)).toBe('ls⏎⟨300 blanks⟩rm')
    expect(oneLine(`ls${` ${ESC}[m`.repeat(300)}; rm`)).toBe('ls⟨300 blanks⟩; rm')
    expect(oneLine('a   b')).toBe('a   b')
    expect(oneLine('a    ')).toBe('a⟨4 blanks⟩')
  })
})

describe('laws', () => {
  it('SRD/C-05: nothing that a terminal acts on, and nothing invisible, comes through', () => {
    fc.assert(
      fc.property(hostileText, (text) => {
        expect(NEVER_SHOWN.exec(sanitise(text).replace(SOMETIMES_SHOWN, ''))).toBeNull()
      }),
      { numRuns: roundsOf(2000, 20_000) },
    )
  })

  it('FR-OUT-02: a stream gives the same however it is cut, also inside a sequence or a surrogate pair', () => {
    fc.assert(
      fc.property(
        hostileText,
        fc.array(fc.nat(), { maxLength: 6 }),
        fc.boolean(),
        (text, cuts, isOneLine) => {
          const whole = sanitise(text, { oneLine: isOneLine })
          expect(sanitiseChunks(cut(text, cuts), isOneLine)).toBe(whole)
        },
      ),
      { numRuns: roundsOf(2000, 20_000) },
    )
  })

  it('FR-OUT-02: the limit of a sequence falls on the same character however a stream is cut', () => {
    const long = fc.tuple(fc.constantFrom(']', '[', 'P', '('), fc.integer({ min: 4085, max: 4100 }))
    fc.assert(
      fc.property(long, fc.array(fc.nat(), { maxLength: 4 }), ([kind, length], cuts) => {
        const text = `a${ESC}${kind}${(kind === '(' ? '!' : '1').repeat(length)}${BEL}b${ESC}[mc`
        expect(sanitiseChunks(cut(text, cuts), false)).toBe(sanitise(text))
        expect(sanitiseChunks(text.split(''), false)).toBe(sanitise(text))
      }),
      { numRuns: roundsOf(20, 100) },
    )
  })

  it('FR-OUT-02: what has been sanitised is not changed by a second time', () => {
    fc.assert(
      fc.property(hostileText, fc.boolean(), (text, isOneLine) => {
        const once = sanitise(text, { oneLine: isOneLine })
        expect(sanitise(once, { oneLine: isOneLine })).toBe(once)
      }),
      { numRuns: roundsOf(2000, 20_000) },
    )
  })

  it('FR-OUT-02: a sanitiser that has ended starts afresh', () => {
    const sanitiser = createSanitiser({ oneLine: true })
    expect(sanitiser.push(`a  ${ESC}]0;`) + sanitiser.end()).toBe('a  \\u{1B}]0;')
    // Inside the sequence that broke off, the bell would end it and nothing be left.
    expect(sanitiser.push('title\u0007  ') + sanitiser.end()).toBe('title\\u{7}  ')
  })
})

describe('hostile megabytes', () => {
  it.each([
    ['ESC', ESC],
    ['beginnings of strings', `${ESC}]`],
    ['parameters', '1;'],
    ['C1 introducers', '\u009B'],
    ['unended strings', `${ESC}]${'x'.repeat(40)}`],
    ['half terminators', `${ESC}P${ESC}`],
    ['joiners', '👩\u200D'],
    ['high surrogates', '\uD83D'],
    ['blanks', ' '],
  ])('NFR-SEC-05: time grows no faster than a run of %s', (_, unit) => {
    expect(measureGrowth((text) => oneLine(`${ESC}[${text}`), unit)).toBeLessThan(LINEAR_AT_MOST)
  })

  it.each([
    ['signs that look like a slash', '\uFF0F'],
    ['dashes', '\u2013'],
    ['letters with a Latin twin', '\u0430'],
    ['marks', 'a\u0338'],
    ['odd blanks', ' \u3000'],
  ])('NFR-SEC-05: in a question, time grows no faster than a run of %s', (_, unit) => {
    const ask = (text: string): string => sanitise(text, { oneLine: true, showSequences: true })
    expect(measureGrowth(ask, unit)).toBeLessThan(LINEAR_AT_MOST)
  })

  it('NFR-SEC-05: a megabyte that arrives character by character is no slower than its length', () => {
    expect(measureGrowth(byCharacter, `${ESC}]${'x'.repeat(5000)}`)).toBeLessThan(LINEAR_AT_MOST)
  })
})
