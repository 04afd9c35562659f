import { isSecretName, REDACTED } from './secret-names.ts'

/**
 * A name and its assignment sign, or a long option whose value is the next word. It can begin only at the start of a
 * word, which keeps the search linear.
 */
const ASSIGNMENT =
  /(?<![\w.-])(?:(--[\w.-]+)[ \t]+(?=[^\s-])|([\w.-]+)(?:\\*["'])?\]?[ \t]{0,8}(=>|:=|={1,3}|:)[ \t]{0,8})/g
const SCHEME = /(?:Bearer|Basic|Token|Digest|Negotiate|ApiKey)[ \t]+/iy
const OPENING = /(\\*)(["'`])/y
const QUOTE_STOP = /["'`\\\n]/g
const BARE = /[^\s"'`]+/y
const BARE_WORD = /[^\s"'`;&|<>()]+/y

/** Characters after which a shell reads another command. */
export const COMMAND = /[;&|<>\n`]|\$\(/
const CLOSERS = ')]},;'
const MAX_ESCAPED_VALUE = 4096

/** Values that reveal nothing: language and schema keywords, placeholders, and references to variables. */
const HARMLESS =
  /^(?:true|false|null|nil|none|undefined|string|str|number|int|integer|boolean|bool|any|unknown|object|\*+|<[\w -]{1,40}>)$/i
const VARIABLE = /\$(?:[A-Z_][A-Z0-9_]*|\{[A-Z_][A-Z0-9_]*\})/y

/** A value without its quotes; the quote is empty for a bare word. */
type Span = { readonly start: number; readonly end: number; readonly quote: string }

const endOf = (pattern: RegExp, text: string, from: number): number => {
  pattern.lastIndex = from
  return pattern.test(text) ? pattern.lastIndex : from
}

/** Where the quote closes; if it does not close on its line, the rest of the line counts as the value. */
const findQuote = (text: string, from: number, quote: string): number => {
  QUOTE_STOP.lastIndex = from
  for (let stop = QUOTE_STOP.exec(text); stop !== null; stop = QUOTE_STOP.exec(text)) {
    if (stop[0] === quote || stop[0] === '\n') return stop.index
    if (stop[0] === '\\') QUOTE_STOP.lastIndex = stop.index + 2
  }
  return text.length
}

const findQuoted = (text: string, from: number): Span | undefined => {
  OPENING.lastIndex = from
  const [opening = '', slashes = '', quote = ''] = OPENING.exec(text) ?? []
  if (opening === '') return undefined
  const start = from + opening.length
  if (slashes === '') return { start, end: findQuote(text, start, quote), quote }
  // JSON inside a string: the closing quote is escaped the same way as the opening one.
  const length = text.slice(start, start + MAX_ESCAPED_VALUE).indexOf(opening)
  return length === -1 ? undefined : { start, end: start + length, quote: opening }
}

const findBare = (text: string, start: number, keepCommands: boolean): Span | undefined => {
  const isDone = text.startsWith(REDACTED, start)
  const least = isDone ? start + REDACTED.length : endOf(VARIABLE, text, start)
  let end = endOf(keepCommands ? BARE_WORD : BARE, text, start)
  while (end > least && CLOSERS.includes(text.charAt(end - 1))) end -= 1
  const isScalar = isDone || !'{[('.includes(text.charAt(start))
  return end > start && isScalar ? { start, end, quote: '' } : undefined
}

const findValue = (text: string, from: number, keepCommands: boolean): Span | undefined => {
  const quoted = findQuoted(text, from)
  if (quoted === undefined) return findBare(text, from, keepCommands)
  const { start, end, quote } = quoted
  if (!keepCommands) return quoted
  // A shell runs the contents of backquotes, and whatever seems to follow a quote that is never closed.
  if (quote === '`') return undefined
  return text.startsWith(quote, end) ? quoted : findBare(text, start, true)
}

const isShown = (value: string, keepCommands: boolean): boolean =>
  value === '' ||
  HARMLESS.test(value) ||
  endOf(VARIABLE, value, 0) === value.length ||
  (keepCommands && COMMAND.test(value))

/**
 * Hides values assigned to names that sound secret. With `keepCommands` a value never extends over what a shell would
 * read as another command, because the person who approves a command must see all of it.
 */
export const redactAssignments = (text: string, keepCommands: boolean): string => {
  let out = ''
  let done = 0
  ASSIGNMENT.lastIndex = 0
  for (let match = ASSIGNMENT.exec(text); match !== null; match = ASSIGNMENT.exec(text)) {
    const [whole, option, variable = '', sign] = match
    const after = match.index + whole.length
    if (!isSecretName(option ?? variable)) continue
    const from = endOf(SCHEME, text, after)
    const span = findValue(text, from, keepCommands)
    if (span === undefined || (sign === '=>' && span.quote === '')) continue
    if (isShown(text.slice(span.start, span.end), keepCommands)) continue
    out += text.slice(done, span.start) + REDACTED
    done = span.end
    ASSIGNMENT.lastIndex = done
  }
  return out + text.slice(done)
}
