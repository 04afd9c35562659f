const BEYOND_ASCII = /[^\u0000-\u007f]/gu

/** The marks that stand for what ends or moves a line. */
const MARKS: Readonly<Record<string, string>> = { '⏎': '\\n', '⇥': '\\t', '␍': '\\r' }

/**
 * Text of a call for a screen that shows ASCII only: what it cannot show is spelled out, so that different texts do not
 * look alike and a line end does not look like an ordinary sign.
 */
export function spellOut(text: string): string {
  return text.replace(
    BEYOND_ASCII,
    (character) => MARKS[character] ?? `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  )
}
