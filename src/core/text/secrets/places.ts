import { shownWords, shownWordsOf } from '../../command/shown-words.ts'
import { isJsonObject } from '../../json/value.ts'
import type { JsonValue } from '../../json/value.ts'
import type { Span } from './span.ts'

/** How far a word is followed from a value in it; no name is longer. */
const LONGEST_WORD = 300
/** Where a host is named, or a user before it; some programs need no slash for that. */
const IN_AUTHORITY = /(?::\/\/|\bhttps?:\/?)([^\s/\\?#"'`<>]*)$/i
const LOGIN_END = /^[^\s/\\?#"'`<>@]*@/
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

/** Arguments that are paths, in any tool. */
const PATHS = new Set([
  'path',
  'paths',
  'from',
  'to',
  'cwd',
  'read',
  'write',
  'directory',
  'include_paths',
  'exclude_paths',
])
/** Arguments that are commands: a line for a shell, or the words themselves. */
const COMMANDS = new Set(['cmd', 'command'])

/** The paths that arguments name, and what runs: whoever is asked has to see them, whatever they look like. */
export const placesIn = (value: JsonValue | undefined): readonly string[] => {
  const named = namedIn(value, '')
  const variables = new Set(named.flatMap(variablesIn))
  return variables.size === 0 ? named : [...named, ...valuesOf(variables, value)]
}

const namedIn = (value: JsonValue | undefined, name: string): readonly string[] => {
  if (COMMANDS.has(name)) return runningIn(value)
  if (typeof value === 'string') return PATHS.has(name) && value !== '' ? [value] : []
  if (Array.isArray(value)) return value.flatMap((one: JsonValue) => namedIn(one, name))
  if (!isJsonObject(value)) return []
  return Object.entries(value).flatMap(([key, inner]) => namedIn(inner, key))
}

const variablesIn = (word: string): readonly string[] =>
  [...word.matchAll(/\$\{?!?([A-Za-z_]\w*)/g)].map(([, name = '']) => name)

/** What is run or written under the name of a variable. */
const valuesOf = (names: ReadonlySet<string>, value: JsonValue | undefined): readonly string[] => {
  if (typeof value === 'string')
    return [...value.matchAll(SETTING)].flatMap(([, name = '', set = '']) => (names.has(name) ? [set] : []))
  if (Array.isArray(value)) return value.flatMap((one: JsonValue) => valuesOf(names, one))
  if (!isJsonObject(value)) return []
  return Object.entries(value).flatMap(([key, inner]) =>
    names.has(key) && typeof inner === 'string' ? [inner] : valuesOf(names, inner),
  )
}

const SETTING = /(?<!\w)([A-Za-z_]\w{0,127})=["']?([^\s"'`;&|<>()]+)/g

const runningIn = (command: JsonValue | undefined): readonly string[] => {
  if (typeof command === 'string') return shownWordsOf(command)
  return Array.isArray(command) ? shownWords(command.filter((word) => typeof word === 'string')) : []
}

/** The same for a question, which also says which other names are those of files, and which files would land. */
export const placesOf = ({ call, names = [], changes = [] }: Asked): readonly string[] => [
  ...placesIn(call.args),
  ...names,
  ...changes.flatMap(({ path, from }) => (from === undefined ? [path] : [path, from])),
]

interface Asked {
  readonly call: { readonly args: JsonValue }
  readonly names?: readonly string[]
  readonly changes?: readonly { readonly path: string; readonly from?: string }[]
}
