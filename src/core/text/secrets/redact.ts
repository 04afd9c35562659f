import { COMMAND, redactAssignments } from './redact-assignments.ts'
import { isSecretName, REDACTED } from './secret-names.ts'
import type { JsonObject, JsonValue } from '../../json/value.ts'

/** Shorter values occur by chance in any text. */
const MIN_KNOWN_CHARS = 6

/** Formats that no ordinary word has. */
const ISSUED = new RegExp(
  [
    String.raw`(?<![A-Za-z0-9])(?:`,
    [
      'gh[oprsu]_[A-Za-z0-9]{10,}',
      'github_pat_[A-Za-z0-9_]{10,}',
      'glpat-[A-Za-z0-9_-]{10,}',
      'xox[abeoprs]-[A-Za-z0-9-]{8,}',
      '(?:AKIA|ASIA)[A-Z0-9]{12,}',
      'AIza[A-Za-z0-9_-]{20,}',
      'npm_[A-Za-z0-9]{30,}',
      'hf_[A-Za-z0-9]{20,}',
      '[rs]k_(?:live|test)_[A-Za-z0-9]{10,}',
    ].join('|'),
    ')',
  ].join(''),
  'g',
)

/** Formats that words can have too; such words contain no digit. */
const LIKELY = /(?<![A-Za-z0-9])sk-[A-Za-z0-9_-]{8,}|(?<=\bBearer[ \t]{1,4})[\w.~+/=-]{8,}/gi
const WEB_TOKEN = /(?<![\w-])eyJ[\w-]{8,}\.[\w-]{8,}(?:\.[\w-]*)?/g
const URL_PASSWORD = /(:\/\/[^\s/:@"'`<>]{0,256}:)([^\s/"'`<>]{1,1024})(?=@)/g
const LOGIN = /(?<![\w-])((?:-u|--user|--proxy-user)[= ][ \t]{0,8}["']?[^\s:"'`]{1,256}:)([^\s"'`;&|<>()]+)/g
const COOKIE = /(?<![\w-])((?:Set-)?Cookie:[ \t]{0,8})([^\n"']+)/gi
const COOKIE_WORD = /(?<![\w-])((?:Set-)?Cookie:[ \t]{0,8})([^\s"'`;&|<>()]+)/gi

const hideIfLikely = (value: string): string => (/\d/.test(value) ? REDACTED : value)

const escapeForRegExp = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`)

/** A value as written, and as it looks inside JSON and inside a URL. */
const formsOf = (value: string): string[] =>
  value.length < MIN_KNOWN_CHARS || REDACTED.includes(value)
    ? []
    : [value, JSON.stringify(value).slice(1, -1), encodeURIComponent(value.toWellFormed())]

const redactKnown = (text: string, known: readonly string[]): string => {
  const forms = [...new Set(known.flatMap(formsOf))].toSorted((one, other) => other.length - one.length)
  return forms.length === 0
    ? text
    : text.replace(new RegExp(forms.map(escapeForRegExp).join('|'), 'g'), REDACTED)
}

const redact = (text: string, known: readonly string[], keepCommands: boolean): string => {
  const hide = (whole: string, lead: string, value: string): string =>
    keepCommands && COMMAND.test(value) ? whole : lead + REDACTED
  const shapeless = redactPrivateKeys(redactKnown(text, known), keepCommands)
    .replace(ISSUED, REDACTED)
    .replace(LIKELY, hideIfLikely)
    .replace(WEB_TOKEN, REDACTED)
    .replace(URL_PASSWORD, hide)
    .replace(LOGIN, hide)
    .replace(keepCommands ? COOKIE_WORD : COOKIE, hide)
  return redactAssignments(shapeless, keepCommands)
}

/**
 * Replaces everything that looks like a secret, and every known value, with `[redacted]`; the names around it stay.
 * Takes linear time on any text, and a second pass changes nothing.
 */
export const redactSecrets = (text: string, known: readonly string[] = []): string =>
  redactFully(text, known, false)

/**
 * The same for text that a person approves. Redaction must not become a place to hide a command, so a value ends
 * where a shell would start reading another command, and a quoted value that contains such a character is shown.
 */
export const redactForApproval = (text: string, known: readonly string[] = []): string =>
  redactFully(text, known, true)

const MOST_ROUNDS = 8

/**
 * A cheap pre-check: any secret we detect contains one of these. Most text contains none. Lowercasing first is twice
 * as fast as ignoring case.
 */
const HINT =
  /gh[oprsu]_|github_pat_|glpat-|xox|akia|asia|aiza|npm_|hf_|[rs]k[-_]|bearer|eyj|:\/\/|-u|cookie:|pass|pwd|credential|auth|token|secret|key/

const mayHoldSecret = (text: string, known: readonly string[]): boolean =>
  HINT.test(text.toLowerCase()) || known.flatMap(formsOf).some((form) => text.includes(form))

/** Removing one secret can join the halves of another, so passes repeat until nothing changes. */
function redactFully(text: string, known: readonly string[], isForApproval: boolean): string {
  if (!mayHoldSecret(text, known)) return text
  let now = text
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const next = redact(now, known, isForApproval)
    if (next === now) break
    now = next
  }
  return now
}

const BEGIN = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g
const END = '-----END '
const KEY_TEXT = /[A-Za-z0-9+/=\s\\:,-]*/y
const KEY_LINE = /[A-Za-z0-9+/=]{16,}/g
const MAX_KEY_CHARS = 65_536

/**
 * Hides the text between the BEGIN and END lines of a private key; without an END line, as far as it looks like a
 * key. With `keepCommands` only the key's own lines are hidden, so that nothing else can hide between the two.
 */
const redactPrivateKeys = (text: string, keepCommands: boolean): string => {
  let out = ''
  let done = 0
  let end = -1
  BEGIN.lastIndex = 0
  for (let match = BEGIN.exec(text); match !== null; match = BEGIN.exec(text)) {
    const start = match.index + match[0].length
    // Search again only after passing the last one: many BEGIN lines without an END must not each scan the rest.
    if (end < start) end = text.indexOf(END, start)
    if (end === -1) end = Number.POSITIVE_INFINITY
    KEY_TEXT.lastIndex = start
    KEY_TEXT.test(text)
    const stop = end - start <= MAX_KEY_CHARS ? end : KEY_TEXT.lastIndex
    const body = text.slice(start, stop)
    const hidden = body.replace(KEY_LINE, REDACTED)
    if (hidden !== body) {
      out += text.slice(done, start) + (keepCommands ? hidden : REDACTED)
      done = stop
    }
    BEGIN.lastIndex = stop
  }
  return out + text.slice(done)
}

/** The same value with likely secrets removed from its strings; the same object if there are none. */
export function redactObject(value: JsonObject, known: readonly string[]): JsonObject {
  let isChanged = false
  const entries = Object.entries(value).map(([name, inner]) => {
    const shown =
      typeof inner === 'string' && inner !== '' && isSecretName(name) ? REDACTED : redactValue(inner, known)
    isChanged ||= shown !== inner
    return [name, shown] as const
  })
  return isChanged ? Object.fromEntries(entries) : value
}

function redactValue(value: JsonValue, known: readonly string[]): JsonValue {
  if (typeof value === 'string') return redactSecrets(value, known)
  if (typeof value !== 'object' || value === null) return value
  if (!Array.isArray(value)) return redactObject(value as JsonObject, known)
  const items = value as readonly JsonValue[]
  const shown = items.map((item) => redactValue(item, known))
  return shown.some((item, index) => item !== items[index]) ? shown : value
}
