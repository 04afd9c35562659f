import { REDACTED } from './secret-names.ts'

/**
 * How much a value looks like a secret. `none`: a word, a path, a call or a placeholder. `some`: words with a number,
 * the way people choose passwords and programmers name variables. `mixed`: letters and digits that form no words.
 * `random`: long, as a program makes them.
 */
export type Look = 'none' | 'some' | 'mixed' | 'random'

const RANK: Record<Look, number> = { none: 0, some: 1, mixed: 2, random: 3 }

export const isAtLeast = (look: Look, least: Look): boolean => RANK[look] >= RANK[least]

const MIN_CHARS = 6
const MIN_RANDOM_CHARS = 16
/** Longer values are data: no secret on one line is this long. */
const MAX_CHARS = 2048
/** How much of a value is judged. */
const SAMPLE_CHARS = 512

/** Code, templates, patterns and sentences. */
const CODE =
  /[\s"'`(){}[\]\\|]|\$[A-Za-z_]|%[sdv@]|<[^>]{0,64}>|\*\*|\.\.\.|…|=>|::|:\/\/|&&|[^\u0020-\u007E]|^[.~@]|^--?[A-Za-z]|^[<>=!]|\*</
const VERSION = /^0x[0-9a-f]{1,8}$|^[v^~]?\d+(?:[._:/T+-]\d+)*(?:[.-]?(?:alpha|beta|rc|pre|dev)[.-]?\d*)?Z?$/i
/** Words, with or without separators, and a number at the end. */
const WORDS = /^[A-Za-z]+(?:[_.:/-][A-Za-z]+)*[_.:/-]?\d{0,4}$/
const MEMBERS = /^[A-Za-z_$][\w$]*(?:\??\.[A-Za-z_$][\w$]*)+$/
/** What names of variables and examples are made of. */
const VOCABULARY =
  /pass|pwd|token|secret|key|auth|cred|user|login|admin|test|example|sample|dummy|fake|mock|demo|your|redacted|change|placeholder|default|value|string|name|foo|bar|baz|xxx|access|client|bearer/i
const TECHNICAL =
  /^(?:u?int|float|utf|sha|md|base|rsa|hs|rs|es|ps|ed|x|aes|oauth|http|ipv|pkcs|curve|secp|argon|bcrypt|v|[a-z])-?\d{1,5}(?:[_-]?[a-z]{1,8})?$/i
/** Frequent letter pairs of English. Words are made of them; random text has few. */
const PAIRS = new Set(
  (
    'th he in er an re on at en nd ti es or te of ed is it al ar st to nt ng se ha as ou io le ve co me de hi ri ro ic ' +
    'ne ea ra ce li ch ll be ma si om ur ca el ta la ns di fo ho pe ec pr no ct us ac ot il tr ly nc et ut ss so rs un ' +
    'lo wa ge ie wh ee wi em ad ol rt po we na ul ni ts mo ow pa im mi ai sh ir su id os iv ia am fi ci vi pl ig tu ev ' +
    'ld ry mp fe bl ab gh ty op wo sa ay ex ke fr oo av ag if ap gr od bo sp rd do uc bu ei ov rm ep tt oc fa ef cu sc'
  ).split(' '),
)
/** Above this share of English pairs the letters are words. */
const WORDY = 0.5
/** Random letters alone, without digits, are believed only far below it. */
const WORDLESS = 0.36
/** Signs that a password has and code seldom has within a word. */
const SIGNS = /[!#$%^*+~?@]/g
const HEX = /^(?:0x)?[0-9a-f-]+$/i

/** How much of the letters is English, from 0 to 1; undefined if too few letters are next to each other. */
const englishShare = (text: string): number | undefined => {
  let all = 0
  let english = 0
  for (const run of text.toLowerCase().match(/[a-z]{2,}/g) ?? []) {
    all += run.length - 1
    english += pairShare(run) * (run.length - 1)
  }
  return all < 4 ? undefined : english / all
}

/** The share of English pairs in one word. */
const pairShare = (word: string): number => {
  let english = 0
  for (let at = 0; at < word.length - 1; at++) if (PAIRS.has(word.slice(at, at + 2))) english += 1
  return english / (word.length - 1)
}

const count = (text: string, pattern: RegExp): number => text.match(pattern)?.length ?? 0

/** Whether a program made this: hexadecimal digits, or letters and digits without words. */
const isRandom = (value: string): boolean => {
  if (value.length < MIN_RANDOM_CHARS) return false
  const sample = value.slice(0, SAMPLE_CHARS)
  const digits = count(sample, /\d/g)
  const letters = count(sample, /[A-Za-z]/g)
  if (HEX.test(sample)) return digits >= 3 && letters >= 2
  const share = englishShare(sample)
  // Random letters may look like words by chance, but names do not change to numbers or capitals this often.
  if (count(sample, /\d+/g) >= Math.max(4, sample.length / 10)) return true
  if (digits > 0 && count(sample, /[a-z][A-Z]/g) >= Math.max(5, sample.length / 7)) return true
  if (digits >= 2) return share === undefined ? letters >= 4 : share < WORDY
  const isLong = sample.length >= 20 && /[a-z]/.test(sample) && /[A-Z]/.test(sample)
  return isLong && share !== undefined && share < WORDLESS
}

/** A few characters over and over, as placeholders have them. */
const isFiller = (value: string): boolean => new Set(value).size < MIN_CHARS - 1

/** How much a value looks like a secret, whatever its name. */
export const lookOf = (value: string): Look => {
  if (value.length < MIN_CHARS || value.length > MAX_CHARS || value.includes(REDACTED)) return 'none'
  if (CODE.test(value) || VERSION.test(value) || isFiller(value.slice(0, SAMPLE_CHARS))) return 'none'
  if (isRandom(value)) return 'random'
  if (!/[A-Za-z]/.test(value) || TECHNICAL.test(value) || value.includes('/') || MEMBERS.test(value))
    return 'none'
  if (!/\d/.test(value)) return count(value, SIGNS) >= 2 ? 'some' : 'none'
  const isNamed = VOCABULARY.test(value)
  if (WORDS.test(value)) return isNamed ? 'none' : 'some'
  const share = englishShare(value)
  return isNamed || (share !== undefined && share > WORDY) ? 'some' : 'mixed'
}

/** Whether a value of a known format is more than `ghp_xxxxxxxx`. */
export const isVaried = (value: string): boolean =>
  (/\d/.test(value) || /^[A-Z]+$/.test(value)) && new Set(value).size > MIN_CHARS

/** Whether a part of a text can be such a value; most texts have none, and this is quicker than to look for each format. */
export const mayHoldVaried = (text: string): boolean => HOLDS_VARIED.test(text)

const HOLDS_VARIED = new RegExp(String.raw`\d|[A-Z]{${MIN_CHARS + 1}}`)

/** No word is this long, however many are joined. */
const LONGER_THAN_WORDS = 40

/**
 * Whether a value that somebody else chose is to be hidden wherever it occurs. One that is short, or that is words or a
 * path such as any text has, says nothing by itself, and hiding it would take these words out of every text.
 */
export const isSecretByItself = (value: string): boolean => {
  if (isAtLeast(lookOf(value), 'some') || isPin(value)) return true
  if (value.length < MIN_RANDOM_CHARS || /\s/.test(value)) return false
  return value.length >= LONGER_THAN_WORDS || /\d/.test(value) || isUnreadable(value)
}

/** A word of a name, whether it is joined by signs, by capitals or not at all. */
const WORD = /[A-Z]?[a-z]{2,}|[A-Z]{2,}/g

/**
 * Whether a value gives nothing to read: most of its letters form no words. Whatever stands around it, only such a value
 * may be hidden from a person who approves it, because anybody can name a script like a token or put its path between
 * the lines of a key.
 */
export const isUnreadable = (value: string): boolean => {
  const sample = value.slice(0, SAMPLE_CHARS)
  if (count(sample, /\d+/g) >= Math.max(4, sample.length / 10)) return true
  let read = 0
  for (const [word] of sample.matchAll(WORD)) if (pairShare(word.toLowerCase()) > WORDY) read += word.length
  return read < WORDY * count(sample, /[A-Za-z]/g)
}

/** Whether a part of a key is long and more than words with a number at the end. */
export const isKeyPart = (part: string): boolean =>
  part.length >= MIN_RANDOM_CHARS && /\d/.test(part) && /[A-Za-z]/.test(part) && !WORDS.test(part)

/** A password of digits alone; one that counts up is an example. */
export const isPin = (value: string): boolean =>
  /^\d{6,32}$/.test(value) && !isFiller(value) && !'0123456789012345678901234567890123456789'.includes(value)

/** Whether this is `name:password` in base64. */
export const isEncodedLogin = (value: string): boolean => {
  if (!/^[A-Za-z0-9+/]{8,1024}={0,2}$/.test(value)) return false
  try {
    return /^[\u0020-\u007E]+:[\u0020-\u007E]+$/.test(atob(value))
  } catch {
    return false
  }
}
