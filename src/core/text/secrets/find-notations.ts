import { isAtLeast, isEncodedLogin, isVaried, lookOf } from './looks.ts'
import { judgeValue } from './find-assignments.ts'
import { nameKindOf } from './secret-names.ts'
import type { Span } from './span.ts'

const SCHEME = /\b(Bearer|Basic|SSWS)[ \t]{1,4}([\w.~+/=-]{8,2048})/gi
const URL_LOGIN = /:\/\/([^\s/:@"'`<>]{0,256}):([^\s/"'`<>]{1,1024})(?=@)/g
const LOGIN = /(?<![\w-])(?:-u|--user|--proxy-user)[= ][ \t]{0,8}["']?([^\s:"'`]{1,256}):([^\s"'`;&|<>()]+)/g
const SHORT_OPTION =
  /\b(?:mysql(?:dump|admin)?|mariadb|sshpass)\b[^\n;&|]{0,200}?[ \t]-p[ \t]?["']?([^\s"'`;&|<>()-][^\s"'`;&|<>()]{0,256})/g
const COOKIE = /(?<![\w-])(?:Set-)?Cookie:[ \t]{0,8}([^\n"'`]+)/gi
const COOKIE_VALUE = /=([^\s;,"'&|<>()]+)/g
const NETRC = /(?:^|[\r\n]|[ \t]login[ \t]+\S{1,128})[ \t]*password[ \t]+(\S{1,256})(?=[ \t]*(?:[\r\n]|$))/g
/** A line of a password file of PostgreSQL: host, port, database, user, password. */
const PGPASS =
  /(?:^|[\r\n])[^\s:#/]{1,253}:(?:\d{3,5}|\*):(?!\d+:)[^\s:]{1,63}:([^\s:]{1,63}):([^\s:]{4,256})(?=[ \t]*(?:[\r\n]|$))/g
/** A private key of a client, whatever its format. */
const CLIENT_KEY = /client-key-data["']?[ \t]{0,8}[:=][ \t]{0,8}["']?([A-Za-z0-9+/]{40,}={0,2})/g
const XML = />([^<>\s]{6,1024})<\//g
const NAMED_VALUE =
  /["']([\w.-]{1,128})["'][ \t]{0,8}(?:,[ \t]{0,8})?["']?value["']?[ \t]{0,8}[:=][ \t]{0,8}["']([^"'\n]{1,1024})["']/gi
/** A value on the line after its name, as in YAML. */
const NEXT_LINE =
  /:[ \t]{0,8}(?:[|>][+-]?)?[ \t]{0,8}(?:\r\n?|\n)[ \t]{1,64}["']?([^\s"'#][^\s"']{4,1022}[^\s"':])["']?[ \t]{0,8}(?=[\r\n]|$)/g
const NEXT_VALUE =
  /name["']?[:=][ \t]{0,8}["']?([\w.-]{1,128})["']?,?[ \t]{0,8}(?:\r\n?|\n)[ \t]{1,64}["']?value["']?[:=][ \t]{0,8}["']?([^\s"'#][^\s"']{5,1023})["']?,?[ \t]{0,8}(?=[\r\n]|$)/g
const NAME_BEFORE = /(?:^|[^\w.-])([\w.-]{1,128})["']?$/
const LONGEST_NAME = 130

/** A line whose value may follow on the next one; a stream must not be cut after it. */
export const OPEN_LINE =
  /[\w.-]["']?:[ \t]{0,8}(?:[|>][+-]?)?[ \t]{0,8}(?:\r\n?|\n)$|name["']?[:=][ \t]{0,8}["']?[\w.-]{1,128}["']?,?[ \t]{0,8}(?:\r\n?|\n)$/

/** Examples that stand for a password in documents. */
const PLACEHOLDER =
  /^(?:.{1,3}|[*x.\u2026]+|p(?:ass)?w(?:or)?d|pass(?:wd|word|phrase)?|secret|token|(?:your|my|the|db|user|some)?[_-]?(?:pass(?:word|wd)?|secret|token|key)|user(?:name)?|bar|baz|pwd|example|test(?:ing)?|postgres|root|admin|guest|\d{1,5})$/i
const TEMPLATE = /[${}<>[\]()\\]|%[sdv@]|\*\*/

type Judge = (match: RegExpExecArray) => { readonly at: number; readonly kind: string } | undefined

/** The group of a match that is the secret. */
const scan = (text: string, pattern: RegExp, judge: Judge): readonly Span[] => {
  const spans: Span[] = []
  for (const match of text.matchAll(pattern)) {
    const found = judge(match)
    if (found === undefined) continue
    const value = match[found.at] ?? ''
    const offset = found.at === 0 ? 0 : match[0].lastIndexOf(value)
    spans.push({ start: match.index + offset, end: match.index + offset + value.length, kind: found.kind })
  }
  return spans
}

const judgeNamed = (name: string, value: string, least: 'some' | 'mixed'): string | undefined => {
  const kind = nameKindOf(name)
  if (kind === undefined) return undefined
  return judgeValue(kind, value, kind === 'key' ? 'random' : kind === 'password' ? 'some' : least)
}

/** The name is in the match. */
const judgePair =
  (least: 'some' | 'mixed'): Judge =>
  ([, name = '', value = '']) => {
    const kind = judgeNamed(name, value, least)
    return kind === undefined ? undefined : { at: 2, kind }
  }

/** The name ends where the match begins. */
const judgeAfterName: Judge = ({ 1: value = '', index, input }) => {
  const [, name = ''] = NAME_BEFORE.exec(input.slice(Math.max(0, index - LONGEST_NAME), index)) ?? []
  const kind = judgeNamed(name, value, 'mixed')
  return kind === undefined ? undefined : { at: 1, kind }
}

const judgeScheme: Judge = ([, scheme = '', value = '']) => {
  const isSecret =
    scheme.toLowerCase() === 'basic' ? isEncodedLogin(value) : isAtLeast(lookOf(value), 'mixed')
  return isSecret ? { at: 2, kind: `${scheme} credentials` } : undefined
}

const judgeUrl: Judge = ([, user = '', value = '']) =>
  value === user || PLACEHOLDER.test(value) || TEMPLATE.test(user + value)
    ? undefined
    : { at: 2, kind: 'password in a URL' }

const judgeLogin: Judge = ([, user = '', value = '']) =>
  value === user || !isAtLeast(lookOf(value), 'some') ? undefined : { at: 2, kind: 'password' }

const judgeWord: Judge = ([, value = '']) =>
  isAtLeast(lookOf(value), 'some') ? { at: 1, kind: 'password' } : undefined

const findCookies = (text: string): readonly Span[] =>
  [...text.matchAll(COOKIE)].flatMap(({ index, 0: whole, 1: rest = '' }) => {
    const from = index + whole.length - rest.length
    return scan(rest, COOKIE_VALUE, ([, value = '']) =>
      isAtLeast(lookOf(value), 'mixed') ? { at: 1, kind: 'cookie' } : undefined,
    ).map(({ start, end, kind }) => ({ start: start + from, end: end + from, kind }))
  })

/** Secrets that a notation gives away: URLs, headers, options, cookies, XML, and values below their names. */
export const findNotations = (text: string): readonly Span[] => [
  ...scan(text, SCHEME, judgeScheme),
  ...scan(text, URL_LOGIN, judgeUrl),
  ...scan(text, LOGIN, judgeLogin),
  ...scan(text, SHORT_OPTION, judgeWord),
  ...scan(text, NETRC, judgeWord),
  ...scan(text, PGPASS, judgeLogin),
  ...scan(text, CLIENT_KEY, ([, value = '']) =>
    isVaried(value) ? { at: 1, kind: 'private key' } : undefined,
  ),
  ...scan(text, XML, judgeAfterName),
  ...scan(text, NAMED_VALUE, judgePair('mixed')),
  ...scan(text, NEXT_LINE, judgeAfterName),
  ...scan(text, NEXT_VALUE, judgePair('some')),
  ...findCookies(text),
]
