import { passEscape, widthAt } from './elisp-escape.ts'
import type { EscapeEnd } from './elisp-escape.ts'
import { quoteCharacter } from './syntax-problem.ts'
import type { SyntaxFault } from './syntax-problem.ts'

/** A token of Emacs Lisp, as far as nesting is concerned. */
export type ElispToken =
  | { readonly is: 'open'; readonly start: number; readonly end: number; readonly closer: ')' | ']' }
  /** `datum` is complete by itself; `prefix` needs something after it, such as a quote does. */
  | { readonly is: 'close' | 'prefix' | 'datum' | 'dot'; readonly start: number; readonly end: number }
  | { readonly is: 'fault'; readonly end: number; readonly fault: SyntaxFault }
  | { readonly is: 'end' }

const SPACE = /[\u0000-\u0020\u00a0]+/y
const SYMBOL = /[^\u0000-\u0020\u00a0"';()[\]`,\\]*(?:\\[^][^\u0000-\u0020\u00a0"';()[\]`,\\]*)*/y
const AFTER_CHARACTER = /[\u0000-\u0020"';()[\]#?`,.]/y
const AFTER_DOT = /[\u0000-\u0020\u00a0"';([#?`,]/y
const HASH_OPEN = /#(?:s?\(|\^{0,2}\[)/y
const HASH_PREFIX = /#(?:'|\d+=)/y
const HASH_DATUM = /#(?:#|\$|\d+#|(?:\d+[rR]|[:_xobXOB]))/y
const HASH_SKIPPED = /#(?:!.*|@\d+)/y
const BIT_STRING = /#&\d+(?=")/y
const BLOCK_EDGE = /#\||\|#/g

/** Reads the token at or after an offset, skipping whitespace and comments. */
export function readToken(text: string, from: number): ElispToken {
  let at = from
  for (;;) {
    at = passMatch(SPACE, text, at) ?? at
    const letter = text[at]
    if (letter === undefined) return { is: 'end' }
    if (letter === ';') at = endOfLine(text, at)
    else if (letter === '#' && text[at + 1] === '|') {
      const end = endOfBlock(text, at)
      if (end === null) return unended(text, at, '"|#", which ends the block comment', 'Close it with "|#".')
      at = end
    } else if (letter === '#' && passMatch(HASH_SKIPPED, text, at) !== null) {
      at = passMatch(HASH_SKIPPED, text, at) ?? at
    } else return readAt(text, at, letter)
  }
}

function readAt(text: string, at: number, letter: string): ElispToken {
  switch (letter) {
    case '(':
      return { is: 'open', start: at, end: at + 1, closer: ')' }
    case '[':
      return { is: 'open', start: at, end: at + 1, closer: ']' }
    case ')':
    case ']':
      return { is: 'close', start: at, end: at + 1 }
    case "'":
    case '`':
      return { is: 'prefix', start: at, end: at + 1 }
    case ',':
      return { is: 'prefix', start: at, end: at + (text[at + 1] === '@' ? 2 : 1) }
    case '"':
      return readString(text, at, at)
    case '?':
      return readCharacter(text, at)
    case '#':
      return readHash(text, at)
    case '.':
      if (at + 1 >= text.length || passMatch(AFTER_DOT, text, at + 1) !== null) {
        return { is: 'dot', start: at, end: at + 1 }
      }
      return readSymbol(text, at, at)
    default:
      return readSymbol(text, at, at)
  }
}

function readString(text: string, start: number, quote: number): ElispToken {
  let at = quote + 1
  for (;;) {
    const letter = text[at]
    if (letter === undefined) {
      const next = 'Add the closing quote; a quote inside the string is written as \\".'
      return unended(text, quote, 'a closing quote for the string that begins here', next)
    }
    if (letter === '"') return { is: 'datum', start, end: at + 1 }
    if (letter === '\\') {
      const escape = passEscape(text, at + 1, true)
      if (!escape.ok && escape.at < text.length) {
        const suggestion = 'Complete the escape, or write \\\\ for a backslash.'
        return badEscape(text, escape, { offset: at, end: endOfString(text, at + 1) }, suggestion)
      }
      at = escape.ok ? escape.end : text.length
    } else at += 1
  }
}

/** Where a string with a bad escape probably ends, so that checking can continue after it. */
function endOfString(text: string, from: number): number {
  let at = from
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1
  return Math.min(at + 1, text.length)
}

function readCharacter(text: string, start: number): ElispToken {
  const letter = text[start + 1]
  if (letter === undefined) return unended(text, start, 'a character after "?"', 'Write the character.')
  if (letter === ' ' || letter === '\t') return { is: 'datum', start, end: start + 2 }
  let end = start + 1 + widthAt(text, start + 1)
  if (letter === '\\') {
    const escape = passEscape(text, start + 2, false)
    if (!escape.ok) {
      const suggestion = 'Complete the escape, or write ?\\\\ for a backslash.'
      return badEscape(text, escape, { offset: start, end: Math.max(escape.at, start + 2) }, suggestion)
    }
    ;({ end } = escape)
  }
  if (end >= text.length || passMatch(AFTER_CHARACTER, text, end) !== null) return { is: 'datum', start, end }
  const fault = {
    offset: start,
    expected: 'one character after "?"',
    found: `more of it, beginning with ${quoteCharacter(text, end)}`,
    suggestion: 'Put a space behind the character, or write a string.',
  }
  return { is: 'fault', fault, end: passMatch(SYMBOL, text, end) ?? end }
}

function readHash(text: string, start: number): ElispToken {
  const opened = passMatch(HASH_OPEN, text, start)
  if (opened !== null) return { is: 'open', start, end: opened, closer: text[opened - 1] === '(' ? ')' : ']' }
  const prefixed = passMatch(HASH_PREFIX, text, start)
  if (prefixed !== null) return { is: 'prefix', start, end: prefixed }
  const bits = passMatch(BIT_STRING, text, start)
  if (bits !== null) return readString(text, start, bits)
  const named = passMatch(HASH_DATUM, text, start)
  if (named !== null) {
    return /[#$]/.test(text[named - 1] ?? '')
      ? { is: 'datum', start, end: named }
      : readSymbol(text, start, named)
  }
  const fault = {
    offset: start,
    expected: 'a form that Emacs can read after "#"',
    found: quoteCharacter(text, start + 1),
    suggestion: 'Write \\# if the name of a symbol begins with it.',
  }
  return { is: 'fault', fault, end: start + 1 }
}

function readSymbol(text: string, start: number, from: number): ElispToken {
  const end = passMatch(SYMBOL, text, from) ?? from
  if (text[end] !== '\\') return { is: 'datum', start, end: Math.max(end, start + 1) }
  return unended(text, end, 'a character after the backslash', 'Write \\\\ for a backslash in a name.')
}

/** What the end of the text cut off; nothing after it is left to check. */
function unended(text: string, offset: number, expected: string, suggestion: string): ElispToken {
  const fault = { offset, expected, found: 'the end of the file', suggestion }
  return { is: 'fault', fault, end: text.length }
}

/** A bad escape at an offset, and where reading continues after it. */
function badEscape(
  text: string,
  { at, expected }: Extract<EscapeEnd, { readonly ok: false }>,
  place: { readonly offset: number; readonly end: number },
  suggestion: string,
): ElispToken {
  const { offset, end } = place
  return { is: 'fault', fault: { offset, expected, found: quoteCharacter(text, at), suggestion }, end }
}

function endOfLine(text: string, at: number): number {
  const end = text.indexOf('\n', at)
  return end === -1 ? text.length : end + 1
}

/** Block comments nest. */
function endOfBlock(text: string, start: number): number | null {
  let depth = 0
  BLOCK_EDGE.lastIndex = start
  for (let edge = BLOCK_EDGE.exec(text); edge !== null; edge = BLOCK_EDGE.exec(text)) {
    depth += edge[0] === '#|' ? 1 : -1
    if (depth === 0) return BLOCK_EDGE.lastIndex
  }
  return null
}

function passMatch(pattern: RegExp, text: string, at: number): number | null {
  pattern.lastIndex = at
  return pattern.test(text) ? pattern.lastIndex : null
}
