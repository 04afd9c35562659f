/** A syntax error: what was found and expected, and at which UTF-16 offset. */
export type SyntaxFailure = { readonly offset: number; readonly message: string }

const BLANKS = /[ \t\n\r]*/y
const PLAIN = /[^"\\\u0000-\u001F]*/y
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y
const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y
const WORD = /true|false|null/y

const endOf = (token: RegExp, text: string, from: number): number => {
  token.lastIndex = from
  return token.test(text) ? token.lastIndex : from
}

/** The offset behind the blanks that begin at `from`. */
export const skipBlanks = (text: string, from: number): number => endOf(BLANKS, text, from)

/** The offset behind the number or word that begins at `from`; the same offset if there is none. */
export const skipScalar = (text: string, from: number): number => {
  const end = endOf(NUMBER, text, from)
  return end > from ? end : endOf(WORD, text, from)
}

/** The offset behind the string whose opening quote stands at `from`. */
export const skipString = (text: string, from: number): number | SyntaxFailure => {
  let at = from + 1
  for (;;) {
    at = endOf(PLAIN, text, at)
    const unit = text.charAt(at)
    if (unit === '"') return at + 1
    if (unit === '')
      return { offset: at, message: 'the text ends inside a string; its closing quote is missing' }
    if (unit !== '\\') {
      return { offset: at, message: `unescaped ${nameUnit(text, at)} inside a string; write it as an escape` }
    }
    const end = endOf(ESCAPE, text, at)
    if (end === at) return { offset: at, message: 'a backslash that begins no escape JSON knows' }
    at = end
  }
}

/** Says in words which character stands at an offset, in ASCII. */
export const nameUnit = (text: string, at: number): string => {
  const point = text.codePointAt(at)
  if (point === undefined) return 'the end of the text'
  if (point === 0xfeff) return 'a byte order mark'
  return point > 0x20 && point < 0x7f
    ? `"${String.fromCodePoint(point)}"`
    : `U+${point.toString(16).toUpperCase().padStart(4, '0')}`
}
