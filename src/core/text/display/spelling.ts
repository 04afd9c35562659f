/** Scripts whose ordinary spelling needs the joiner and the non-joiner between two of their letters. */
const JOINING_SCRIPTS = [
  ['Arabic', 'Syriac', 'Mongolian', 'Nko', 'Devanagari', 'Bengali', 'Gurmukhi', 'Gujarati', 'Oriya'],
  ['Tamil', 'Telugu', 'Kannada', 'Malayalam', 'Sinhala', 'Khmer', 'Myanmar', 'Tibetan'],
].flat()

const MAY_SPELL = /\u200C|\u200D|\uFE0E|\uFE0F|[\u{E0100}-\u{E01EF}]/vy

/**
 * Each neighbour that is asked for here is itself never hidden, or is kept by the same rule; so a second look at a
 * text whose other hidden characters have been replaced decides the same.
 */
const buildSpelling = (): RegExp => {
  const scripts = JOINING_SCRIPTS.map((script) => String.raw`\p{Script=${script}}`).join('')
  const letter = String.raw`[[[${scripts}]&&[\p{L}\p{M}]]--\p{Default_Ignorable_Code_Point}]`
  const emoji = String.raw`[\p{Emoji}\p{Extended_Pictographic}]`
  const ways = [
    String.raw`(?<=[\p{Extended_Pictographic}\p{Emoji_Modifier}]|${emoji}\uFE0F)\u200D(?=\p{Extended_Pictographic})`,
    String.raw`(?<=${letter})[\u200C\u200D](?=${letter})`,
    String.raw`(?<=${emoji})[\uFE0E\uFE0F]`,
    String.raw`(?<=\p{Script=Han})[\u{E0100}-\u{E01EF}]`,
  ]
  return new RegExp(ways.join('|'), 'vy')
}

let spelling: RegExp | undefined

const isAt = (pattern: RegExp, text: string, offset: number): boolean => {
  pattern.lastIndex = offset
  return pattern.test(text)
}

/** How far the rule looks back, in UTF-16 units: an emoji and its variation selector. */
export const LOOK_BEHIND_UNITS = 4

/**
 * Whether a hidden character stands where it spells something: a joiner inside an emoji or between letters that join,
 * a single variation selector right after the emoji or ideograph that it varies. Anywhere else it can only mislead.
 */
export const isSpelling = (text: string, offset: number): boolean => {
  if (!isAt(MAY_SPELL, text, offset)) return false
  spelling ??= buildSpelling()
  return isAt(spelling, text, offset)
}
