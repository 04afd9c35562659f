/** Where an escape ends, or what it lacks. */
export type EscapeEnd =
  | { readonly ok: true; readonly end: number }
  | { readonly ok: false; readonly at: number; readonly expected: string }

const MODIFIERS = 'MSHAC'
const OCTAL = /[0-7]{1,3}/y
const HEX = /[0-9a-f]*/iy

/**
 * Skips what follows a backslash in a string or a character literal; `at` is just after the backslash. Emacs reads a
 * modifier together with the character after it, so `\C-"` in a string does not end the string.
 */
export function passEscape(text: string, at: number, isInString: boolean): EscapeEnd {
  let place = at
  for (;;) {
    const letter = text[place]
    if (letter === undefined) return { ok: false, at: place, expected: 'a character after the backslash' }
    const next = afterModifier(text, place, letter, isInString && place === at)
    if (next === null) return passSimple(text, place, letter)
    if (typeof next === 'string') return { ok: false, at: place + 1, expected: next }
    if (next >= text.length) return { ok: false, at: next, expected: 'the character that is modified' }
    if (text[next] !== '\\') return { ok: true, end: next + widthAt(text, next) }
    place = next + 1
  }
}

/** Where the modified character begins; null if the letter is not a modifier, a message if its dash is missing. */
function afterModifier(
  text: string,
  at: number,
  letter: string,
  isInString: boolean,
): number | string | null {
  if (letter === '^') return at + 1
  if (letter === 's') return !isInString && text[at + 1] === '-' ? at + 2 : null
  if (!MODIFIERS.includes(letter)) return null
  return text[at + 1] === '-' ? at + 2 : `"-" after "\\${letter}"`
}

function passSimple(text: string, at: number, letter: string): EscapeEnd {
  if (letter === 'u') return passHex(text, at + 1, 4)
  if (letter === 'U') return passHex(text, at + 1, 8)
  if (letter === 'x') return { ok: true, end: at + 1 + lengthOf(HEX, text, at + 1) }
  if (letter === 'N') return passName(text, at + 1)
  const octal = lengthOf(OCTAL, text, at)
  return { ok: true, end: at + (octal === 0 ? widthAt(text, at) : octal) }
}

function passHex(text: string, at: number, count: number): EscapeEnd {
  const digits = Math.min(count, lengthOf(HEX, text, at))
  if (digits === count) return { ok: true, end: at + count }
  return { ok: false, at: at + digits, expected: `${count} hexadecimal digits` }
}

function passName(text: string, at: number): EscapeEnd {
  if (text[at] !== '{') return { ok: false, at, expected: '"{" after "\\N"' }
  const end = text.indexOf('}', at)
  return end === -1
    ? { ok: false, at: text.length, expected: '"}" after the name of the character' }
    : { ok: true, end: end + 1 }
}

function lengthOf(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at
  return pattern.exec(text)?.[0].length ?? 0
}

/** The number of UTF-16 units in the character. */
export function widthAt(text: string, at: number): number {
  return (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1
}
