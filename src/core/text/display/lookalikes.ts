import type { Stage } from './escape-sequences.ts'

/** Longer runs of blanks are shown as a count, so that they cannot push anything out of sight. */
export const MAX_BLANKS = 3

/** Blanks that are not an ordinary space, tab or line feed; the last one is ordinary in East Asian text. */
export const ODD_BLANKS = String.raw`\u00A0\u1680\u2000-\u200A\u202F\u205F\u2800\u3000`

/** Scripts with letters that look like Latin ones. In a Latin word, each of their letters misleads. */
const LATIN_LIKE = ['Cyrillic', 'Armenian', 'Cherokee', 'Coptic', 'Lisu', 'Deseret', 'Osage', 'Georgian']

/** Their letters, and those of Greek, that no reader can tell from a Latin one: a word of these can pass for another. */
const TWINS = [
  String.raw`\u0430\u0435\u043A\u043E\u0440\u0441\u0443\u0445\u0455\u0456\u0458\u04AF\u04BB\u04CF\u0501\u051B\u051D`,
  String.raw`\u0405\u0406\u0408\u0410\u0412\u0415\u041A\u041C-\u041E\u0420-\u0423\u0425\u04AE\u04BA\u050C\u051A\u051C`,
  String.raw`\u03B1\u03B3\u03B9\u03BA\u03BD\u03BF\u03C1\u03C5\u03C7\u03F2\u03F3\u037F\u03F9`,
  String.raw`\u0391\u0392\u0395-\u0397\u0399\u039A\u039C\u039D\u039F\u03A1\u03A4\u03A5\u03A7`,
  String.raw`\u053C\u054D\u054F\u0555\u0570\u0575\u0578\u057D\u0581\u0585`,
].join('')

/** Other forms of ASCII letters and digits: IPA, small capitals, numerals, fullwidth and mathematical ones. */
const FORMS = String.raw`\u0251\u0261\u0269\u1D00-\u1D22\u212A\u2160-\u217F\uFF10-\uFF19\uFF21-\uFF3A\uFF41-\uFF5A\u{1D400}-\u{1D7FF}`

/** Signs that look like those of paths and commands; beside ASCII they mislead. */
const SIGNS = [
  String.raw`\u01C0\u01C3\u02B9\u02BC\u037E\u2024\u2044\u2215\u2223\u2236\u2571\u27CB\u29F8\uA789`,
  String.raw`\uFE52\uFE54\uFE55\uFE68\uFF02\uFF04\uFF06\uFF07\uFF0B\uFF0E\uFF0F\uFF1A-\uFF1E\uFF20\uFF3C\uFF3F\uFF40\uFF5C\uFF5E`,
].join('')

/** At the beginning of a word these look like the start of an option. */
const DASHES = String.raw`\u2010-\u2015\u2212\uFE58\uFE63\uFF0D`

/** Built on first use, because property classes take a while. */
const buildPatterns = () => {
  const scripts = LATIN_LIKE.map((script) => String.raw`\p{Script=${script}}`).join('')
  const eastAsian = String.raw`\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Hangul}\u3001-\u303F\uFF01\uFF08\uFF09\uFF0C\uFF1F\uFF61-\uFF9F`
  return {
    words: /\\u\{[0-9A-F]+\}|⟨\d+ (?:blanks|times)⟩|[\p{L}\p{M}\p{N}_]+/gv,
    latin: /\p{Script=Latin}/v,
    misleadsInLatin: new RegExp(String.raw`[[${scripts}]&&\p{L}]|[${TWINS}]`, 'gv'),
    onlyTwins: new RegExp(String.raw`^(?:[${TWINS}]|\p{M}|\p{N}|_)+$`, 'v'),
    oneGreek: /^\p{Script=Greek}$/v,
    natives: [...LATIN_LIKE, 'Greek'].map((name) => ({
      script: new RegExp(String.raw`\p{Script=${name}}`, 'v'),
      native: new RegExp(String.raw`[[\p{Script=${name}}&&\p{L}]--[${TWINS}]]`, 'v'),
    })),
    forms: new RegExp(`[${FORMS}]`, 'gv'),
    signs: new RegExp(`[${SIGNS}]+`, 'gv'),
    dashes: new RegExp(String.raw`(?<=^|[\s'"=])[${DASHES}]+(?=[A-Za-z0-9])`, 'gv'),
    blanks: new RegExp(String.raw`[ \t\n${ODD_BLANKS}]+`, 'gv'),
    oddBlank: new RegExp(
      String.raw`[[${ODD_BLANKS}]--\u3000]|(?<![${eastAsian}])\u3000(?![${eastAsian}])`,
      'gv',
    ),
  }
}

let patterns: ReturnType<typeof buildPatterns> | undefined

/** A quick test: other text has no look-alikes. */
export const BEYOND_ASCII = /[^\p{ASCII}]/v
const REPEATED = /(\\u\{[0-9A-F]+\})\1{3,}/g

const spell = (text: string): string =>
  Array.from(text, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16).toUpperCase()}}`).join(
    '',
  )

/**
 * Spells out, as in `\u{430}`, what a person would read as something else: letters of other scripts and forms that look
 * like Latin ones, signs that look like those of paths and commands, and odd blanks. A word of one script stays as it
 * is, unless all of its letters have a Latin twin and no word beside it shows that this is text in that script.
 */
export const spellLookalikes = (text: string): string => {
  if (!BEYOND_ASCII.test(text)) return shorten(text)
  patterns ??= buildPatterns()
  const { forms, signs, dashes, blanks, oddBlank } = patterns
  // In this order, what is spelled out later is not a neighbor that an earlier step looked at.
  const letters = spellWords(text.replace(forms, spell), patterns)
  const long = new Set<number>()
  for (const { 0: run, index } of letters.matchAll(blanks))
    if (run.length > MAX_BLANKS) for (let at = 0; at < run.length; at++) long.add(index + at)
  const inked = letters.replace(oddBlank, (blank, at: number) => (long.has(at) ? blank : spell(blank)))
  return shorten(spellSigns(inked.replace(dashes, spell), signs))
}

const INK = /^[!-~]$/

/** Looks at the neighbors of each run once: a pattern that does would try a long run again from each of its signs. */
const spellSigns = (text: string, signs: RegExp): string =>
  text.replace(signs, (run, at: number) =>
    INK.test(text.charAt(at - 1)) || INK.test(text.charAt(at + run.length)) ? spell(run) : run,
  )

/** A repeated hidden character is counted. */
const shorten = (text: string): string =>
  text.replace(REPEATED, (run: string, one: string) => `${one}⟨${run.length / one.length} times⟩`)

const isMark = (word: string): boolean => /^[\\⟨]/.test(word)

const spellWords = (
  text: string,
  { words, latin, misleadsInLatin, onlyTwins, oneGreek, natives }: ReturnType<typeof buildPatterns>,
): string => {
  // What is spelled out or counted already is no word: it must not come between two words.
  const found = Array.from(text.matchAll(words), ([word]) => word).filter((word) => !isMark(word))
  const isNative = (word: string | undefined, native: RegExp): boolean =>
    word !== undefined && !latin.test(word) && native.test(word)
  let index = -1
  return text.replace(words, (word) => {
    if (isMark(word)) return word
    index += 1
    if (latin.test(word)) return word.replace(misleadsInLatin, spell)
    if (!onlyTwins.test(word) || oneGreek.test(word)) return word
    const native = natives.find(({ script }) => script.test(word))?.native
    if (native === undefined) return word
    const isText = isNative(found[index - 1], native) || isNative(found[index + 1], native)
    return isText ? word : word.replace(/\p{L}/gv, spell)
  })
}

/** The same for a stream. A word is judged by those beside it, so everything is held back until the end. */
export const createLookalikeSpeller = (): Stage => {
  let held = ''
  return {
    push: (chunk) => {
      held += chunk
      return ''
    },
    end: () => {
      const spelled = spellLookalikes(held)
      held = ''
      return spelled
    },
  }
}
