import type { Span } from './span.ts'

/** How far a word is followed from a value in it; no name is longer. */
const LONGEST_WORD = 300
/** Where a host is named, or a user before it; some programs need no slash for that. */
const IN_AUTHORITY = /(?::\/\/|\bhttps?:\/?)([^\s/\\?#"'`<>]*)$/i
/** What follows the user or the password of a URL. */
export const LOGIN_END = /^[^\s/\\?#"'`<>@]*@/
const IN_PATH = /[A-Za-z][\w+.-]*:\/\/[^\s?#"'`<>]*$/
const IN_URL = /[A-Za-z][\w+.-]*:\/\/[^\s"'`<>]*$/
/** What a name goes on with if a value is only the first part of it: the rest of a host, or the end of a file's name. */
const REST_OF_NAME = /^[\w-]{0,63}(?:\.[\w-]{1,63}){0,8}\.[A-Za-z][\w-]{0,23}(?![\w@-])/
const WORD_BEFORE = /[^\s"'`;&|<>()=,]*$/
const WORD_AFTER = /^[^\s"'`;&|<>()=,]*/
/** Labels with dots between them, the last of which is a top-level domain or the end of a file's name. */
const NAME = /^(?:[a-z0-9_](?:[a-z0-9_-]{0,62})\.)+[a-z]{2,24}(?::\d{1,5})?$/i

/** Whether a value has the form of a host's or a file's name: whoever reads it has to see where it leads. */
const isPlaceName = (value: string): boolean => value.length <= LONGEST_WORD && NAME.test(value)

/**
 * Whether what has the form of a secret stands where a host, a file or a path is named. Anybody can have a host or a file
 * whose name looks like a token, and a question in which it is hidden does not say what is asked or run.
 */
export const standsForPlace = (text: string, { start, end }: Pick<Span, 'start' | 'end'>): boolean => {
  const before = text.slice(Math.max(0, start - LONGEST_WORD), start)
  const after = text.slice(end, end + LONGEST_WORD)
  const [, login] = IN_AUTHORITY.exec(before) ?? []
  // A user and a password come before the host; they are not what is asked.
  if (login !== undefined) return login.includes('@') || !LOGIN_END.test(after)
  if (IN_PATH.test(before)) return true
  // A query is read by the server alone.
  if (IN_URL.test(before)) return false
  if (isPlaceName(text.slice(start, end)) || REST_OF_NAME.test(after)) return true
  const [lead = ''] = WORD_BEFORE.exec(before) ?? []
  const [rest = ''] = WORD_AFTER.exec(after) ?? []
  return /[/@]$/.test(lead) || /^[/@]/.test(rest)
}
