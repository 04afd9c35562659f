import { runningWords, runningWordsOf } from '../../command/named-words.ts'
import { isJsonObject } from '../../json/value.ts'
import type { JsonValue } from '../../json/value.ts'
import type { Span } from './span.ts'

/** How far a word is followed from a value in it; no name is longer. */
const LONGEST_WORD = 300
/** What comes before the host of a URL: the scheme, and a user if there is one. */
const BEFORE_HOST = /:\/\/(?:[^\s/\\?#"'`<>]*@)?[\w.-]*$/
const URL_START = /[A-Za-z][\w+.-]*:\/\/[^\s"'`<>]*$/
/** What a name goes on with if a value is only the first part of it: the rest of a host, or the end of a file's name. */
const REST_OF_NAME = /^[\w-]{0,63}(?:\.[\w-]{1,63}){0,8}\.[A-Za-z][\w-]{0,23}(?![\w@-])/
const WORD_BEFORE = /[^\s"'`;&|<>()=,]*$/
const WORD_AFTER = /^[^\s"'`;&|<>()=,]*/
/** Labels with dots between them, the last of which is a top-level domain or the end of a file's name. */
const NAME = /^(?:[a-z0-9_](?:[a-z0-9_-]{0,62})\.)+[a-z]{2,24}(?::\d{1,5})?$/i

/** Whether a value has the form of a host's or a file's name: whoever reads it has to see where it leads. */
export const isPlaceName = (value: string): boolean => value.length <= LONGEST_WORD && NAME.test(value)

/**
 * Whether what has the form of an issued value stands where a host or a file is named. Anybody can have a host or a file
 * whose name looks like a token, and a question in which it is hidden does not say what is asked or run.
 */
export const standsForPlace = (text: string, { start, end }: Span): boolean => {
  // An address of which the secret is a part, such as a webhook: its kind says whose host it is.
  if (text.slice(start, end).includes('/')) return false
  const before = text.slice(Math.max(0, start - LONGEST_WORD), start)
  const after = text.slice(end, end + LONGEST_WORD)
  // A user and a password come before the host; they are not what is asked.
  const isLogin = /^[^\s/\\?#"'`<>]*@/.test(after)
  if (!isLogin && BEFORE_HOST.test(before)) return true
  // What comes behind the host is read by the server alone.
  if (URL_START.test(before)) return false
  if (isPlaceName(text.slice(start, end)) || REST_OF_NAME.test(after)) return true
  const [lead = ''] = WORD_BEFORE.exec(before) ?? []
  const [rest = ''] = WORD_AFTER.exec(after) ?? []
  return lead.endsWith('/') || rest.startsWith('/')
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
export const placesIn = (value: JsonValue | undefined, name = ''): readonly string[] => {
  if (COMMANDS.has(name)) return runningIn(value)
  if (typeof value === 'string') return PATHS.has(name) && value !== '' ? [value] : []
  if (Array.isArray(value)) return value.flatMap((one: JsonValue) => placesIn(one, name))
  if (!isJsonObject(value)) return []
  return Object.entries(value).flatMap(([key, inner]) => placesIn(inner, key))
}

const runningIn = (command: JsonValue | undefined): readonly string[] => {
  if (typeof command === 'string') return runningWordsOf(command)
  return Array.isArray(command) ? runningWords(command.filter((word) => typeof word === 'string')) : []
}

/** The same for a question, which also says which other names are those of files. */
export const placesOf = ({ call, names = [] }: Asked): readonly string[] => [...placesIn(call.args), ...names]

interface Asked {
  readonly call: { readonly args: JsonValue }
  readonly names?: readonly string[]
}
