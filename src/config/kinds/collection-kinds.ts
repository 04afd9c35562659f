import { keepBase, oneOf } from './scalar-kinds.ts'
import { failAt, faultsUnder, isTable, notExpected } from './value-kind.ts'
import type { Fault, Reading, Tightened, ValueKind } from './value-kind.ts'

interface ListOptions {
  readonly tighter: 'subset' | 'add' | 'never'
  /** True if order and repetition matter, as in a command line. */
  readonly isSequence?: boolean
  /** True if every layer adds to the values of the layers below it. */
  readonly isAdditive?: boolean
  /** True if the entries are paths, so that `./src/` and `src` are the same entry. */
  readonly arePaths?: boolean
  /** True if the first entry has a meaning of its own, so that a tighter list must keep it. */
  readonly keepsFirst?: boolean
  /** True if "*" stands for every entry. */
  readonly hasWildcard?: boolean
}

const LONGEST_ENTRY = 4096
const EXTENSION = '^[a-z0-9][a-z0-9+-]{0,15}$'

/** A list of strings, such as names, paths or patterns. */
export function list(options: ListOptions): ValueKind<readonly string[]> {
  const { tighter, isSequence = false, isAdditive = false, arePaths = false, hasWildcard = false } = options
  const { keepsFirst = false } = options
  const identity = arePaths ? plainPath : (entry: string): string => entry

  function intersect(base: readonly string[], proposed: readonly string[]): Tightened<readonly string[]> {
    if (hasWildcard && proposed.includes('*')) return { value: base }
    if (hasWildcard && base.includes('*')) return { value: proposed }
    const allowed = new Set(base.map(identity))
    const wanted = new Set(proposed.map(identity))
    const refused = proposed.filter((entry) => !allowed.has(identity(entry)))
    const isKept = (entry: string, index: number): boolean =>
      wanted.has(identity(entry)) || (keepsFirst && index === 0)
    const value = base.filter(isKept)
    const [first] = base
    if (keepsFirst && first !== undefined && !wanted.has(identity(first))) return { value, refused: proposed }
    return refused.length === 0 ? { value } : { value, refused }
  }

  return {
    type: 'list',
    tighter,
    keepsFirst,
    expected: 'a list of strings',
    read: (raw) => (isSequence ? readStrings(raw) : readSet(raw)),
    layer: (base, next) => (isAdditive ? unite(base, next) : next),
    tighten: (base, proposed) => {
      if (tighter === 'never') return keepBase(base, proposed)
      return tighter === 'add' ? { value: unite(base, proposed) } : intersect(base, proposed)
    },
    schema: () => ({ type: 'array', items: { type: 'string', minLength: 1, description: 'One entry.' } }),
  }
}

/** An origin or host as people write it: scheme, host and port, of which only the host has to be there. */
export const ORIGIN =
  /^(?:(https?):\/\/)?(\*|(?:\*\.)?[a-z0-9_](?:[a-z0-9_.-]*[a-z0-9_])?|\[[0-9a-f:.]+\])(?::(\d{1,5}))?$/i

/** What the entries of a list of origins have to name beside a host, or must not. */
export type OriginForm = 'any' | 'with scheme' | 'host only'

const ORIGIN_FORMS: Readonly<Record<OriginForm, readonly [form: RegExp, expected: string]>> = {
  any: [/^/, 'an origin or host, such as "https://example.com" or "*.example.com"'],
  'with scheme': [/^https?:\/\/[^*]|^https?:\/\/\*\./i, 'an origin, such as "https://example.com"'],
  'host only': [/^[^*/]+$/, 'a host, such as "wiki.internal" or "127.0.0.1:8080"'],
}

/** A list of origins on the web. */
export function origins(form: OriginForm, options: ListOptions): ValueKind<readonly string[]> {
  const entries = list(options)
  const [fits, expected] = ORIGIN_FORMS[form]

  function read(raw: unknown): Reading<readonly string[]> {
    const reading = entries.read(raw)
    if (!reading.ok) return reading
    const faults = reading.value.flatMap((entry, index): readonly Fault[] =>
      ORIGIN.test(entry) && fits.test(entry)
        ? []
        : [{ path: [index], message: `it must be ${expected}`, found: { value: entry } }],
    )
    return faults.length > 0 ? { ok: false, faults } : reading
  }

  return { ...entries, expected: `a list, each entry ${expected}`, read }
}

/** A list that may contain only the given words. */
export function wordList<const Words extends readonly [string, ...string[]]>(
  words: Words,
): ValueKind<readonly Words[number][]> {
  const names = list({ tighter: 'subset' })
  const keepWords = (entries: readonly string[]): readonly Words[number][] =>
    words.filter((word) => entries.includes(word))

  function read(raw: unknown): Reading<readonly Words[number][]> {
    const reading = names.read(raw)
    if (!reading.ok) return reading
    const faults = reading.value.flatMap((entry, index): readonly Fault[] =>
      words.some((word) => word === entry)
        ? []
        : [
            {
              path: [index],
              message: `it must be ${oneOf(words)}`,
              found: { value: entry },
              meant: { given: entry, among: words },
            },
          ],
    )
    return faults.length > 0 ? { ok: false, faults } : { ok: true, value: keepWords(reading.value) }
  }

  return {
    type: 'list',
    tighter: 'subset',
    expected: `a list of ${words.map((word) => `"${word}"`).join(', ')}`,
    words,
    read,
    layer: (_base, next) => next,
    tighten: (base, proposed) => {
      const { value, refused } = names.tighten(base, proposed)
      return refused === undefined ? { value: keepWords(value) } : { value: keepWords(value), refused }
    },
    schema: () => ({ type: 'array', items: { enum: [...words], description: 'One entry.' } }),
  }
}

function readSet(raw: unknown): Reading<readonly string[]> {
  const reading = readStrings(raw)
  return reading.ok ? { ok: true, value: unite(reading.value, []) } : reading
}

/** Reads a list of strings. */
export function readStrings(raw: unknown): Reading<readonly string[]> {
  if (!Array.isArray(raw)) {
    const hint = typeof raw === 'string' ? `write ["${raw.slice(0, 60)}"]` : undefined
    return notExpected('a list of strings', raw, hint)
  }
  const faults: Fault[] = []
  const entries: string[] = []
  for (const [index, entry] of raw.entries()) {
    const reading = readText(entry)
    if (reading.ok) entries.push(reading.value)
    else faults.push(...faultsUnder(index, reading.faults))
  }
  return faults.length === 0 ? { ok: true, value: entries } : { ok: false, faults }
}

/** One line of text, which no file that may only tighten can change; an optional one may be empty. */
export function text({ isOptional = false } = {}): ValueKind<string> {
  return {
    type: 'text',
    tighter: 'never',
    expected: 'a string',
    read: (raw) => (isOptional && raw === '' ? { ok: true, value: '' } : readText(raw)),
    layer: (_base, next) => next,
    tighten: keepBase,
    schema: () => ({ type: 'string', minLength: isOptional ? 0 : 1, maxLength: LONGEST_ENTRY }),
  }
}

/** A line that every shell would split at its blanks, and change nothing in. */
const PLAIN_LINE = /^[\w@%+=:,./ -]+$/

/** A program and its arguments, as a list or as one line of plain words; no file that may only tighten can change it. */
export function commandLine(): ValueKind<readonly string[]> {
  const line = 'a command, as a list of words or as one line'

  function read(raw: unknown): Reading<readonly string[]> {
    if (raw === '') return { ok: true, value: [] }
    if (typeof raw !== 'string') return Array.isArray(raw) ? readStrings(raw) : notExpected(line, raw)
    const reading = readText(raw)
    if (!reading.ok) return reading
    if (PLAIN_LINE.test(raw)) return { ok: true, value: raw.split(' ').filter((word) => word !== '') }
    return failAt({
      message: 'it must be one program with plain words, because no shell runs it',
      hint: 'write a list, such as ["sh", "-c", "…"], if a shell is meant',
    })
  }

  return {
    type: 'list',
    tighter: 'never',
    expected: line,
    read,
    layer: (_base, next) => next,
    tighten: keepBase,
    schema: () => ({
      anyOf: [
        { type: 'string' },
        { type: 'array', items: { type: 'string', minLength: 1, description: 'One word.' } },
      ],
    }),
  }
}

/** Reads a string that is a name, a path, a pattern or the like. */
export function readText(raw: unknown): Reading<string> {
  if (typeof raw !== 'string') return notExpected('a string', raw)
  if (raw.trim() === '') return failAt({ message: 'it must not be empty' })
  if (raw.length > LONGEST_ENTRY) {
    return failAt({ message: `it must not be longer than ${String(LONGEST_ENTRY)} characters` })
  }
  if (/\p{Cc}/u.test(raw)) return notExpected('free of control characters', raw)
  return { ok: true, value: raw }
}

/** One of several words for each file extension, from the loosest to the tightest; `unnamed` applies to all others. */
export function wordByExtension<const Words extends readonly [string, ...string[]]>(
  words: Words,
  unnamed: NoInfer<Words[number]>,
): ValueKind<Readonly<Record<string, Words[number]>>> {
  type WordMap = Readonly<Record<string, Words[number]>>
  const expected = `a table from file extension to ${oneOf(words)}`
  const rank = (word: Words[number] | undefined): number => words.indexOf(word ?? unnamed)

  function read(raw: unknown): Reading<WordMap> {
    if (!isTable(raw)) return notExpected(expected, raw)
    const faults: Fault[] = []
    const entries: [string, Words[number]][] = []
    for (const [extension, value] of Object.entries(raw)) {
      const word = words.find((known) => known === value)
      if (!new RegExp(EXTENSION).test(extension)) {
        const hint = 'write it in lower case and without the dot, such as ts'
        faults.push({ path: [extension], message: 'this is not a file extension', hint })
      } else if (word === undefined) {
        const meant = { given: value, among: words }
        faults.push({ path: [extension], message: `it must be ${oneOf(words)}`, found: { value }, meant })
      } else entries.push([extension, word])
    }
    return faults.length === 0 ? { ok: true, value: mapOf(entries) } : { ok: false, faults }
  }

  function tighten(base: WordMap, proposed: WordMap): Tightened<WordMap> {
    const held = new Map(Object.entries(base))
    const difference = ([extension, word]: [string, Words[number]]): number =>
      rank(word) - rank(held.get(extension))
    const refused = Object.entries(proposed).filter((entry) => difference(entry) < 0)
    const kept = Object.entries(proposed).filter((entry) => difference(entry) > 0)
    const value = mapOf([...held, ...kept])
    return refused.length === 0 ? { value } : { value, refused: mapOf(refused) }
  }

  return {
    type: 'map',
    tighter: 'order',
    expected,
    words,
    read,
    layer: (base, next) => mapOf([...Object.entries(base), ...Object.entries(next)]),
    tighten,
    schema: () => ({
      type: 'object',
      propertyNames: { pattern: EXTENSION },
      additionalProperties: { enum: [...words], description: 'What holds for this extension.' },
    }),
  }
}

/** A map without a prototype: an extension such as `constructor` must not find anything inherited. */
function mapOf<Word>(entries: readonly (readonly [string, Word])[]): Readonly<Record<string, Word>> {
  const map: Record<string, Word> = Object.create(null)
  for (const [extension, word] of entries) map[extension] = word
  return map
}

/** The map with these words. */
export function wordsFor<const Word extends string>(
  words: Readonly<Record<string, Word>>,
): Readonly<Record<string, Word>> {
  return mapOf(Object.entries(words))
}

function unite(first: readonly string[], second: readonly string[]): readonly string[] {
  return [...new Set([...first, ...second])]
}

function plainPath(path: string): string {
  const parts = path.split('/').filter((part, index) => part !== '.' && (part !== '' || index === 0))
  return parts.length === 0 ? '.' : parts.join('/')
}
