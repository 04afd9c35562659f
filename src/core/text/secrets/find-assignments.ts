import { isAtLeast, isEncodedLogin, isPin, lookOf } from './looks.ts'
import type { Look } from './looks.ts'
import { nameKindOf, REDACTED } from './secret-names.ts'
import type { NameKind } from './secret-names.ts'
import { endOf } from './span.ts'
import type { Span } from './span.ts'

/**
 * The end of a name that may sound secret, and what connects it with its value: a sign, a tab, a call or a blank. What
 * comes before it in the name is looked up afterwards, which keeps the search linear and quick.
 */
const ASSIGNMENT =
  /(pass(?:words?|wd|phrase)?|pgpass|pwd|credentials?|authorization|token|secret|auth|keys?|base|signature|session_?id|sessid|sid|sig|webhook|salt)(?:(\\*["'])?\]?[ \t]{0,8}(=>|:=|={1,3}|:|,|\()[ \t]{0,8}|(\t)[ \t]{0,8}|[ \t]{1,8}(?=[^\s-]))/gi
const NAME_START = /(?<![\w.-])[\w.-]+$/
const LONGEST_NAME = 128
const SCHEME = /(?:Bearer|Basic|Token|Digest|Negotiate|ApiKey|SSWS)[ \t]+/iy
const OPENING = /(\\*)(["'`])/y
const QUOTE_STOP = /["'`\\\n]/g
/** Bounded, because the rest of a long word is looked at again for each name in it. */
const BARE = /[^\s"'`]{1,2049}/y
/** Where another pair begins in a connection string or a query. */
const NEXT_PAIR = /[;&,][A-Za-z][\w .-]{0,40}[=:]/
const VARIABLE = /\$(?:[A-Z_][A-Z0-9_]*|\{[A-Z_][A-Z0-9_]*\})/y
const CLOSERS = ')]},;'
const MAX_ESCAPED_VALUE = 4096
const LINE_LEAD =
  /^[ \t]*(?:[+-][ \t]*)?(?:(?:export|set|setenv|ENV|ARG|readonly|declare -x|-e|--env)[ \t]+)?["']?$/
const LINE_REST = /[ \t]{0,64}(?:\r|\n|$|[#;])/y
const LONGEST_LEAD = 80

/** A value without its quotes; the quote is empty for a bare word. */
interface Value {
  readonly start: number
  readonly end: number
  readonly quote: string
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

const findQuoted = (text: string, from: number): Value | undefined => {
  OPENING.lastIndex = from
  const [opening = '', slashes = '', quote = ''] = OPENING.exec(text) ?? []
  if (opening === '') return undefined
  const start = from + opening.length
  if (slashes === '') return { start, end: findQuote(text, start, quote), quote }
  // JSON inside a string: the closing quote is escaped the same way as the opening one.
  const length = text.slice(start, start + MAX_ESCAPED_VALUE).indexOf(opening)
  return length === -1 ? undefined : { start, end: start + length, quote: opening }
}

const findBare = (text: string, start: number): Value | undefined => {
  const least = text.startsWith(REDACTED, start) ? start + REDACTED.length : endOf(VARIABLE, text, start)
  let end = endOf(BARE, text, start)
  const pair = text.slice(start, end).search(NEXT_PAIR)
  if (pair > 0) end = start + pair
  while (end > least && CLOSERS.includes(text.charAt(end - 1))) end -= 1
  return end > start && !'{[('.includes(text.charAt(start)) ? { start, end, quote: '' } : undefined
}

/** How an assignment is written. */
interface Written {
  readonly name: string
  readonly isOption: boolean
  readonly isNameQuoted: boolean
  /** What stands between name and value. */
  readonly sign: string
  /** Where the name begins. */
  readonly at: number
  /** Where the sign ends, blanks included. */
  readonly after: number
}

/**
 * The least look that a value needs here. A quoted text or a line of its own is a literal; a bare word within a line of
 * code is more likely the name of a variable, so that it has to be random.
 */
const leastLook = (kind: NameKind, text: string, written: Written, value: Value): Look | undefined => {
  const { name, sign, isNameQuoted, isOption } = written
  const isQuoted = value.quote !== ''
  const isBlank = sign === ' ' && !isOption
  if (!isQuoted && (isBlank || ['=>', ',', '('].includes(sign))) return undefined
  if (sign === ',' && !isNameQuoted) return undefined
  if (kind === 'key') return 'random'
  const isVariable = /^[A-Z][A-Z0-9_]*$/.test(name)
  const isTight = sign === '=' && written.after === value.start
  const usual = kind === 'password' || (isVariable && (isTight || isQuoted)) ? 'some' : 'mixed'
  if (sign === '(' || (sign === ',' && !isVariable) || sign === '\t') return 'mixed'
  if (isBlank) return isVariable ? usual : 'mixed'
  if (isQuoted || isOption || isHeader(text, written.at, value.end)) return usual
  if (isWholeLine(text, written.at, value.end)) return usual
  if (!isTight) return /^(?:==|===)$/.test(sign) ? undefined : 'random'
  return /[,)]/.test(text.charAt(value.end)) ? 'mixed' : usual
}

/** `"Name: value"`, as a header is given to a command or written in code. */
const isHeader = (text: string, from: number, end: number): boolean =>
  from > 0 && `"'\``.includes(text.charAt(from - 1)) && text.charAt(from - 1) === text.charAt(end)

const isWholeLine = (text: string, from: number, end: number): boolean => {
  const before = text.slice(Math.max(0, from - LONGEST_LEAD), from)
  const line = before.slice(before.lastIndexOf('\n') + 1)
  const isShort = line.length < LONGEST_LEAD || line.length === from
  LINE_REST.lastIndex = end
  return isShort && LINE_LEAD.test(line) && LINE_REST.test(text)
}

const NAMES: Record<NameKind, string> = { password: 'password', secret: 'secret', key: 'key' }

/** What kind of secret a value is; undefined if it does not look like one. */
export const judgeValue = (kind: NameKind, value: string, least: Look): string | undefined => {
  const isSecret =
    isAtLeast(lookOf(value), least) ||
    (kind === 'password' && least === 'some' && isPin(value)) ||
    (kind === 'secret' && isEncodedLogin(value))
  return isSecret ? NAMES[kind] : undefined
}

/** How the assignment that was found is written. */
const readWritten = (text: string, match: RegExpExecArray): Written => {
  const [whole, end = '', nameQuote, sign, tab] = match
  const [lead = ''] = NAME_START.exec(text.slice(Math.max(0, match.index - LONGEST_NAME), match.index)) ?? []
  const name = lead + end
  return {
    name,
    isOption: name.startsWith('--'),
    isNameQuoted: nameQuote !== undefined,
    sign: sign ?? tab ?? ' ',
    at: match.index - lead.length,
    after: match.index + whole.length,
  }
}

/** Values assigned to names that sound secret, if they look like secrets. */
export const findAssignments = (text: string): readonly Span[] => {
  const spans: Span[] = []
  for (const match of text.matchAll(ASSIGNMENT)) {
    const written = readWritten(text, match)
    const kind = nameKindOf(written.name)
    if (kind === undefined || written.after < (spans.at(-1)?.end ?? 0)) continue
    const from = endOf(SCHEME, text, written.after)
    const value = findQuoted(text, from) ?? findBare(text, from)
    const least = value === undefined ? undefined : leastLook(kind, text, written, value)
    if (value === undefined || least === undefined) continue
    const start = Math.min(endOf(SCHEME, text, value.start), value.end)
    const found = judgeValue(kind, text.slice(start, value.end), least)
    if (found !== undefined) spans.push({ start, end: value.end, kind: found })
  }
  return spans
}
