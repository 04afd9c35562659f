/**
 * What counts as hidden: characters that a terminal acts on, or that a reader does not see. The sanitizer replaces
 * them, JSON output escapes them and notes name them, so the set is defined once, here: control characters except tab
 * and line ends, bidi controls, line and paragraph separators, everything Unicode marks as a format character (Cf) or
 * as default-ignorable (joiners, fillers, selectors, tags), the controls of hieroglyphs and lone surrogates. It is
 * spelled out because property classes take a millisecond to build; a test compares it with them. Each user decides
 * about carriage returns: before a line feed they are harmless.
 */
const HIDDEN = [
  String.raw`[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F-\u009F\u00AD\u034F\u0600-\u0605\u061C\u06DD\u070F\u0890\u0891\u08E2\u115F\u1160\u17B4\u17B5`,
  String.raw`\u180B-\u180F\u200B-\u200F\u2028-\u202E\u2060-\u206F\u3164\uD800-\uDFFF\uFE00-\uFE0F\uFEFF\uFFA0`,
  String.raw`\uFFF0-\uFFFB\u{110BD}\u{110CD}\u{13430}-\u{13455}\u{1BCA0}-\u{1BCA3}\u{1D173}-\u{1D17A}\u{E0000}-\u{E0FFF}]`,
].join('')

/** A quick test: text without a match needs no replacing at all (a carriage return counts as a match here). */
export const SUSPICIOUS = new RegExp(String.raw`\r|${HIDDEN}`, 'v')

/** Every hidden character. */
export const EVERY_HIDDEN = new RegExp(HIDDEN, 'gv')

/** Every hidden character, and carriage returns together with a line feed that follows. */
export const HIDDEN_OR_RETURN = new RegExp(String.raw`\r\n?|${HIDDEN}`, 'gv')

/** Every hidden character, and carriage returns without a line feed. */
export const HIDDEN_OR_LONE_RETURN = new RegExp(String.raw`\r(?!\n)|${HIDDEN}`, 'gv')

/** Every hidden character, and those that end a line or move on in it. */
export const HIDDEN_OR_BLANK = new RegExp(String.raw`[\t\n\r]|${HIDDEN}`, 'gv')

/** Scripts whose ordinary spelling needs the joiner and the non-joiner between two of their letters. */
const JOINING_SCRIPTS = [
  ['Arabic', 'Syriac', 'Mongolian', 'Nko', 'Devanagari', 'Bengali', 'Gurmukhi', 'Gujarati', 'Oriya'],
  ['Tamil', 'Telugu', 'Kannada', 'Malayalam', 'Sinhala', 'Khmer', 'Myanmar', 'Tibetan'],
].flat()

const MAY_SPELL = /\u200C|\u200D|\uFE0E|\uFE0F|[\u{E0100}-\u{E01EF}]/vy

/**
 * Every neighbor required here is never hidden itself, or is kept by the same rule. So checking again after the other
 * hidden characters have been replaced gives the same answer.
 */
const buildSpelling = (): RegExp => {
  const scripts = JOINING_SCRIPTS.map((script) => String.raw`\p{Script=${script}}`).join('')
  const letter = String.raw`[[[${scripts}]&&[\p{L}\p{M}]]--\p{Default_Ignorable_Code_Point}]`
  // Digits are emoji too, but only in the frame of a key.
  const emoji = String.raw`[[\p{Emoji}\p{Extended_Pictographic}]--[0-9#*]]`
  const ways = [
    String.raw`(?<=[\p{Extended_Pictographic}\p{Emoji_Modifier}]|${emoji}\uFE0F)\u200D(?=\p{Extended_Pictographic})`,
    String.raw`(?<=${letter})[\u200C\u200D](?=${letter})`,
    String.raw`(?<=${emoji})[\uFE0E\uFE0F]`,
    String.raw`(?<=[0-9#*])\uFE0F(?=\u20E3)`,
    String.raw`(?<=\p{Script=Han})[\u{E0100}-\u{E01EF}]`,
  ]
  return new RegExp(ways.join('|'), 'vy')
}

let spelling: RegExp | undefined

const isAt = (pattern: RegExp, text: string, offset: number): boolean => {
  pattern.lastIndex = offset
  return pattern.test(text)
}

/** How far back the rule looks, in UTF-16 units: an emoji and its variation selector. */
export const LOOK_BEHIND_UNITS = 4

/** What chooses one of several shapes of an ideograph; often nobody sees a difference. */
const SHAPE = /[\u{E0100}-\u{E01EF}]/uy

/** The same for text that a person approves: two names that look alike must not pass for one. */
export const isVisibleSpelling = (text: string, offset: number): boolean =>
  isSpelling(text, offset) && !isAt(SHAPE, text, offset)

/**
 * Whether a hidden character is part of ordinary spelling: a joiner inside an emoji or between letters that join, or
 * a single variation selector right after its emoji or ideograph. Anywhere else it can only mislead.
 */
export const isSpelling = (text: string, offset: number): boolean => {
  if (!isAt(MAY_SPELL, text, offset)) return false
  spelling ??= buildSpelling()
  return isAt(spelling, text, offset)
}
