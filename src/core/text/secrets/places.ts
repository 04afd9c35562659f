import { readShown, readShownOf } from '../../command/shown-words.ts'
import type { ShownWords } from '../../command/shown-words.ts'
import { readsCode, readsScript, runsAnother } from '../../command/running-words.ts'
import { isJsonObject } from '../../json/value.ts'
import type { JsonObject, JsonValue } from '../../json/value.ts'
import { namesAmong } from './shown-names.ts'
import type { Said } from './shown-names.ts'
import { namesSecret } from './value-position.ts'

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
/** Arguments that are texts with lines; those of an edit may be parts of a line, of which only a diff tells. */
const CONTENTS = new Set(['content', 'stdin'])
const EDITED = new Set(['old', 'new'])

/** What arguments say: what is shown whatever it looks like, and texts in which there may be names. */
export interface Arguments {
  readonly named: readonly string[]
  readonly said: readonly Said[]
}

/** The paths that arguments name, and what runs: whoever is asked has to see them, whatever they look like. */
export const placesIn = (value: JsonValue | undefined): readonly string[] => {
  if (typeof value !== 'object' || value === null) return findPlaces(value)
  const places = known.get(value) ?? findPlaces(value)
  known.set(value, places)
  return places
}

/** A question is drawn again and again. */
const known = new WeakMap<object, readonly string[]>()

const findPlaces = (value: JsonValue | undefined): readonly string[] => {
  const { named, said } = readArguments(value)
  const variables = new Set(named.flatMap(variablesIn))
  const set = variables.size === 0 ? [] : valuesOf(variables, value)
  return [...named, ...set, ...namesAmong(said)]
}

/** Reads arguments. Without a diff, nobody sees whether what an edit says is a whole line. */
export const readArguments = (value: JsonValue | undefined, hasDiff: boolean = true): Arguments => {
  const named: string[] = []
  const said: Said[] = []
  const read = (inner: JsonValue, name: string, around: JsonObject): void => {
    if (COMMANDS.has(name)) {
      const { names, texts } = runningIn(inner)
      named.push(...names)
      // Code without blanks is a name and uses variables all the same.
      said.push(...[...names, ...texts].map((text) => ({ text, as: 'text' }) as const))
      said.push(...stringsIn(inner).map((text) => ({ text, as: 'words' }) as const))
    } else if (typeof inner === 'string') {
      if (PATHS.has(name)) named.push(...(inner === '' ? [] : [inner]))
      else if (name === 'stdin') {
        const { names, said: input } = readInput(inner, around)
        named.push(...names)
        said.push(...input)
      } else said.push({ text: inner, as: kindOf(name, hasDiff, inner) })
    } else if (Array.isArray(inner)) for (const one of inner as readonly JsonValue[]) read(one, name, around)
    else if (isJsonObject(inner))
      for (const [key, one] of Object.entries(inner)) {
        said.push({ text: key, as: 'key' })
        if (name === 'env' && typeof one === 'string')
          said.push({ text: one, as: namesSecret(key) ? { setting: key } : 'text' })
        else read(one, key, inner)
      }
  }
  if (value !== undefined) read(value, '', {})
  return { named, said }
}

const kindOf = (name: string, hasDiff: boolean, text: string): Said['as'] => {
  if (CONTENTS.has(name) || (hasDiff && EDITED.has(name))) return 'lines'
  // Several words are more than a value.
  return namesSecret(name) && !/\s/.test(text) ? { setting: name } : 'text'
}

/** What a command reads: what a shell is given there it runs, and what runs others may make words of it. */
const readInput = (
  text: string,
  { cmd }: JsonObject,
): Pick<Arguments, 'said'> & { names: readonly string[] } => {
  const words = Array.isArray(cmd) ? stringsIn(cmd) : []
  const as = runsAnother(words) || readsCode(words) ? 'text' : 'lines'
  const { names, texts } = readsScript(words) ? readShownOf(text) : { names: [], texts: [] }
  return { names, said: [{ text, as }, ...texts.map((inner) => ({ text: inner, as: 'text' }) as const)] }
}

/** The strings of a value, without the names of its fields. */
export const stringsIn = (value: JsonValue): readonly string[] => {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(stringsIn) : []
}

/** The names of the variables that a word uses. */
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

const runningIn = (command: JsonValue): ShownWords => {
  if (typeof command === 'string') return readShownOf(command)
  return Array.isArray(command)
    ? readShown(command.filter((word) => typeof word === 'string'))
    : { names: [], texts: [] }
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
