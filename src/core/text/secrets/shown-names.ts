import { findNameable } from './find-alone.ts'
import type { Nameable } from './find-alone.ts'
import { isLineOfValues, isLogin, leftOf } from './value-position.ts'

/** A text of a call: what it says, and which of its values may be hidden. */
export interface Said {
  readonly text: string
  /**
   * `lines` are contents, whose lines may be values; of `words` of a command, it is known otherwise which are shown; a `key`
   * is a name and uses none; of a `setting`, it is hidden what its variable is set to.
   */
  readonly as: 'text' | 'lines' | 'words' | 'key' | { readonly setting: string }
}

/** These are never names: whoever asks has no way to read, to make or to fetch something by them. */
const NO_NAMES: ReadonlySet<string> = new Set(['private key', 'password hash'])
/** So many variables are looked for in the texts; of more of them, all values are shown. */
const MOST_VARIABLES = 64

/**
 * What would be hidden in texts although it may be the name of something: whatever does not stand only where a secret
 * does, and whatever a variable is set to that the texts use.
 */
export const namesAmong = (texts: readonly Said[]): readonly string[] => {
  const shown = new Set<string>()
  const set: (readonly [variable: string, value: string])[] = []
  for (const { text, as } of texts)
    for (const span of nameableIn(text)) {
      const value = text.slice(span.start, span.end)
      const left = typeof as === 'object' ? { name: as.setting, isSecret: true } : leftOf(text, span.from)
      if (left !== undefined) set.push([left.name, value])
      if (as !== 'words' && left?.isSecret !== true && !isValue(text, span, as)) shown.add(value)
    }
  const hidden = set.filter(([, value]) => !shown.has(value))
  const used = usedAmong(new Set(hidden.map(([variable]) => variable)), texts)
  return [...shown, ...hidden.flatMap(([variable, value]) => (used.has(variable) ? [value] : []))]
}

const nameableIn = (text: string): readonly Nameable[] =>
  findNameable(text).filter(({ kind }) => !NO_NAMES.has(kind))

const isValue = (text: string, span: Nameable, as: Said['as']): boolean =>
  isLogin(text, span) || (as === 'lines' && isLineOfValues(text, span))

/** Which variables occur where nothing is assigned to them. */
const usedAmong = (variables: ReadonlySet<string>, texts: readonly Said[]): ReadonlySet<string> => {
  if (variables.size === 0 || variables.size > MOST_VARIABLES) return variables
  const any = [...variables].map((name) => name.replaceAll(/[^\w]/g, String.raw`\$&`)).join('|')
  const use = new RegExp(
    `(?<=\\$[{(]?|%|!)(?:${any})(?![\\w-])|(?<![\\w-])(?:${any})(?![\\w-]|["'\`\\]\\\\]{0,4}[ \\t]{0,8}(?:[:?]?=|:))`,
    'g',
  )
  return new Set(
    texts.flatMap(({ text, as }) => (as === 'words' || as === 'key' ? [] : (text.match(use) ?? []))),
  )
}

/** What is hidden in texts: each value, and the words and parts of words that it may be a part of. */
export const hiddenAmong = (
  texts: readonly string[],
  places: ReadonlySet<string>,
): ReadonlyMap<string, ReadonlySet<string>> => {
  const hidden = new Map<string, Set<string>>()
  for (const text of texts)
    for (const { start, end } of nameableIn(text)) {
      const value = text.slice(start, end)
      if (places.has(value)) continue
      const words = hidden.get(value) ?? new Set([value])
      hidden.set(value, words)
      if (words.size >= MOST_WORDS) continue
      const [lead = ''] = /\S*$/.exec(text.slice(Math.max(0, start - NAME_CHARS), start)) ?? []
      const [rest = ''] = /^\S*/.exec(text.slice(end, end + NAME_CHARS)) ?? []
      const word = lead + value + rest
      for (const part of [word, ...word.split(PART)])
        if (part.includes(value) && part.length <= NAME_CHARS) words.add(part)
    }
  return hidden
}

/** No file system has a longer name. */
const NAME_CHARS = 255
const MOST_WORDS = 8
/** What separates the parts of a word: an option from its value, and what is given to a program as code. */
const PART = /[\s"'`=:,;&|<>()]+/
