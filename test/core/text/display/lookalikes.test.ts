import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { sanitise } from '../../../../src/core/text/display/sanitise.ts'
import { roundsOf } from '../../../harness/long-run.ts'

/** Text as a question shows it. */
const ask = (text: string): string => sanitise(text, { oneLine: true, showSequences: true })
const from = (...points: readonly number[]): string => String.fromCodePoint(...points)
const spelled = (point: number): string => `\\u{${point.toString(16).toUpperCase()}}`

/** Characters that show nothing, or nothing but room. */
const BLANK = {
  'no-break space': 0xa0,
  'ogham space mark': 0x1680,
  'en quad': 0x2000,
  'hair space': 0x200a,
  'narrow no-break space': 0x202f,
  'medium mathematical space': 0x205f,
  'braille blank': 0x2800,
  'ideographic space': 0x3000,
  'soft hyphen': 0xad,
  'hangul choseong filler': 0x115f,
  'hangul jungseong filler': 0x1160,
  'hangul filler': 0x3164,
  'halfwidth hangul filler': 0xffa0,
  'zero width space': 0x200b,
  'word joiner': 0x2060,
  'invisible separator': 0x2063,
  'mongolian vowel separator': 0x180e,
  'byte order mark': 0xfeff,
  'tag space': 0xe0020,
  'variation selector': 0xfe0f,
} as const

/** Letters that pass for a Latin one inside a Latin word. */
const LETTERS = {
  'cyrillic a': 0x430,
  'cyrillic ie': 0x435,
  'cyrillic o': 0x43e,
  'cyrillic er': 0x440,
  'cyrillic es': 0x441,
  'cyrillic u': 0x443,
  'cyrillic dze': 0x455,
  'cyrillic i': 0x456,
  'cyrillic je': 0x458,
  'cyrillic palochka': 0x4cf,
  'cyrillic capital a': 0x410,
  'cyrillic capital er': 0x420,
  'greek omicron': 0x3bf,
  'greek nu': 0x3bd,
  'greek rho': 0x3c1,
  'greek capital alpha': 0x391,
  'armenian oh': 0x585,
  'cherokee a': 0x13aa,
  'fullwidth a': 0xff41,
  'fullwidth capital r': 0xff32,
  'mathematical bold r': 0x1d42b,
  'mathematical monospace m': 0x1d696,
  'ipa g': 0x261,
  'small capital o': 0x1d0f,
  'kelvin sign': 0x212a,
  'roman numeral l': 0x217c,
} as const

/** Signs that pass for those of paths and commands. */
const SIGNS = {
  'fullwidth solidus': 0xff0f,
  'division slash': 0x2215,
  'fraction slash': 0x2044,
  'big solidus': 0x29f8,
  'fullwidth full stop': 0xff0e,
  'one dot leader': 0x2024,
  'fullwidth semicolon': 0xff1b,
  'greek question mark': 0x37e,
  'fullwidth vertical line': 0xff5c,
  'fullwidth ampersand': 0xff06,
  'fullwidth greater-than': 0xff1e,
  'fullwidth dollar': 0xff04,
  'fullwidth reverse solidus': 0xff3c,
  ratio: 0x2236,
} as const

const OTHERS = ['a', 'rm', ' ', '/', '-', 'привет', 'дом', 'о', 'δ', '日本', '\n', '⟨', '\\u{430}']

describe('in a question', () => {
  it.each(Object.entries(BLANK))('a %s is spelled out', (_name, point) => {
    expect(ask(`rm${from(point)}-rf x`)).toBe(`rm${spelled(point)}-rf x`)
    expect(ask(`a${from(point)}`)).toBe(`a${spelled(point)}`)
  })

  it.each(Object.entries(BLANK))('a long run of it is counted: %s', (_name, point) => {
    expect(ask(`rm${from(point).repeat(400)}-rf x`).length).toBeLessThan(60)
    expect(ask(`rm${from(point).repeat(400)}-rf x`)).toContain('400')
  })

  it.each(Object.entries(LETTERS))('a %s in a Latin word is spelled out', (_name, point) => {
    expect(ask(`src/p${from(point)}y.ts`)).toBe(`src/p${spelled(point)}y.ts`)
    expect(ask(`${from(point)}bc`)).toBe(`${spelled(point)}bc`)
  })

  it.each(Object.entries(SIGNS))('a %s beside ASCII is spelled out', (_name, point) => {
    expect(ask(`src${from(point)}x`)).toBe(`src${spelled(point)}x`)
  })

  it.each([
    ['a dash that looks like an option', 'rm \u2212rf x', 'rm \\u{2212}rf x'],
    ['an en dash before an option', 'git log \u2013oneline', 'git log \\u{2013}oneline'],
    ['a command of Cyrillic letters only', '\u0441\u0440 a b', '\\u{441}\\u{440} a b'],
    ['a file name of Cyrillic letters only', 'cat \u0430.txt', 'cat \\u{430}.txt'],
    ['a word in fullwidth letters', '\uFF52\uFF4D x', '\\u{FF52}\\u{FF4D} x'],
    ['two Greek letters that look Latin', '\u03BF\u03BD x', '\\u{3BF}\\u{3BD} x'],
  ])('%s is spelled out', (_name, text, shown) => {
    expect(ask(text)).toBe(shown)
  })

  it.each([
    'Написать файл: он о том, что у нас есть, и с чем',
    'rm -rf сборка/дом.txt',
    'commit -m "исправить ошибку"',
    'Γράψε το αρχείο με όνομα καλημέρα.txt',
    'Δt = 5 μs, λx, π, Ω, and α = 0.5',
    'ファイルを書く　「名前」。（変更）',
    '한국어 파일 이름.txt',
    'كتابة الملف',
    'Übergröße façade naïve kapı žluťoučký',
    'an en dash – and an em dash—between words',
    'plain ASCII only: rm -rf "a b" && echo $HOME',
  ])('ordinary writing stays as it is: %s', (text) => {
    expect(ask(text)).toBe(text)
  })

  it('the same holds for what is only printed: nothing is spelled out there that is seen', () => {
    expect(sanitise(`p${from(0x430)}y`)).toBe(`p${from(0x430)}y`)
  })

  it('shows a text again as it was, also where it counted blanks', () => {
    const shown = ask('привет \u2800  а')
    expect(shown).toBe('привет⟨4 blanks⟩а')
    expect(ask(shown)).toBe(shown)
  })

  it('law: what is shown once is shown the same again, and no Latin word keeps a twin', () => {
    const piece = fc.constantFrom(
      ...Object.values(LETTERS).map((point) => from(point)),
      ...Object.values(SIGNS).map((point) => from(point)),
      ...Object.values(BLANK).map((point) => from(point)),
      ...OTHERS,
    )
    const twins = new RegExp(`\\p{Script=Cyrillic}|[${Object.values(LETTERS).map(spelled).join('')}]`, 'v')
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const shown = ask(pieces.join(''))
        expect(ask(shown)).toBe(shown)
        for (const [word] of shown.matchAll(/[\p{L}\p{M}\p{N}_]+/gv))
          if (/[a-z]/i.test(word)) expect(word).not.toMatch(twins)
      }),
      { numRuns: roundsOf(200, 2000) },
    )
  })
})
