import { statSync } from 'node:fs'
import { delimiter, join, resolve } from 'node:path'
import { kindOrMissing, realPathOf } from '../confine/inspect-path.ts'
import type { PathKind } from '../confine/inspect-path.ts'
import { expandHome } from './follow-path.ts'

/** A command of the user's configuration, and how its words find files. */
export interface NamingCommand {
  readonly words: readonly string[]
  /** The folders in which it may start; relative words begin there. */
  readonly starts: readonly string[]
  readonly home: string
  /** The value of PATH with which it runs. */
  readonly path: string
  /** Where looking at paths is to be counted. */
  readonly kindOf?: (path: string) => PathKind
}

/** A path that a command names. */
export interface NamedPlace {
  /** Absolute; links are not followed. */
  readonly path: string
  /** Whether it is only a word that happens to be a name in a folder. */
  readonly isLoose: boolean
}

/** What may stand before or behind a path in a word: blanks, the signs of options, lists, addresses and shells. */
const BESIDE_PATHS = /[\s"'`=;&|<>()[\]{}:,@#?!*$\\^%+]/
const ESCAPES = /[%\\]/
const QUOTES = /["'`\\]/g
/** A path may hold such signs itself, but not many of them. */
const MOST_CUTS = 12
/** A folder that is named can make a relative word a path, which may be a folder again. */
const ROUNDS = 3
/** The kernel accepts no longer path. */
const MAX_LENGTH = 4_096

/**
 * Every path that a command names, however its words spell it: alone, as the value of an option, behind its letter, in a
 * list, in a line for a shell, as a file URL, by a name that PATH finds, or below a folder that another word names. A
 * path that does not exist counts if it is whole. It is better to find too much here: what lies in no root is of no
 * consequence.
 */
export function findNamedPlaces({
  words,
  starts,
  home,
  path,
  kindOf = kindOrMissing,
}: NamingCommand): readonly NamedPlace[] {
  const spellings = [...new Set(words.flatMap(spellingsOf))]
  const found = new Map<string, NamedPlace>()
  for (const word of spellings)
    for (const file of findOnPath(word, path, kindOf)) found.set(file, { path: file, isLoose: false })
  let bases: readonly string[] = [...new Set([...starts, home])]
  for (let round = 0; round < ROUNDS && bases.length > 0; round++) {
    const known = new Set(found.keys())
    for (const word of spellings)
      for (const place of scan(word, { bases, home, kindOf }))
        if (!place.isLoose || !found.has(place.path)) found.set(place.path, place)
    bases = [...found.keys()].filter((place) => !known.has(place) && isFolder(place, kindOf))
  }
  return [...found.values()]
}

function spellingsOf(word: string): readonly string[] {
  return [word, decode(word), word.replaceAll(QUOTES, '')]
}

/** A text without its percent signs, if they are those of an address. */
export function decode(word: string): string {
  try {
    return decodeURIComponent(word)
  } catch {
    return word
  }
}

/** The programs on PATH that a part of a word names; a command may start others than its first word, as `env` does. */
function findOnPath(word: string, path: string, kindOf: Looking['kindOf']): readonly string[] {
  const names = word.split(BESIDE_PATHS).filter((name) => name !== '' && !name.includes('/'))
  const folders = path.split(delimiter).filter((folder) => folder !== '')
  return names.flatMap((name) =>
    folders.map((folder) => join(folder, name)).filter((file) => kindOf(file) !== 'missing'),
  )
}

/** Where paths begin, and how they are looked at. */
interface Looking {
  readonly bases: readonly string[]
  readonly home: string
  readonly kindOf: (path: string) => PathKind
}

/** The paths in a word, from left to right: at each place where one can begin, the longest that exists. */
function scan(word: string, { bases, home, kindOf }: Looking): readonly NamedPlace[] {
  const ends = [...cutsOf(word), word.length]
  const found: NamedPlace[] = []
  const isThere = (path: string): boolean => kindOf(withoutSlashes(path)) !== 'missing'
  let passed = 0
  for (let at = 0; at < word.length; at++) {
    if (!canBegin(word, at)) continue
    while ((ends[passed] ?? word.length) <= at) passed++
    const near = ends.slice(passed, passed + MOST_CUTS)
    const longest = [...new Set([...near, word.length])].filter((end) => end - at <= MAX_LENGTH).toReversed()
    const read = (end: number) => readingsOf(word.slice(at, end), at > 0, bases, home)
    const end = longest.find((one) => read(one).some(isThere))
    if (end !== undefined) {
      const isLoose = !word.slice(at, end).includes('/')
      const paths = read(end).filter(isThere).flatMap(alsoReally)
      found.push(...paths.map((path) => ({ path, isLoose })))
      at = end - 1
    } else if (word[at] === '/' && isEdge(word, at) && !ESCAPES.test(word[near[0] ?? 0] ?? '')) {
      // Whatever made it later would decide what runs. An escaped path is read in its other spelling.
      const path = resolve(word.slice(at, near[0]))
      if (path.length <= MAX_LENGTH) found.push({ path, isLoose: false })
    }
  }
  return found
}

function cutsOf(word: string): readonly number[] {
  return Array.from(word.matchAll(new RegExp(BESIDE_PATHS, 'g')), ({ index }) => index)
}

/** At an edge within a word, and at any slash. */
function canBegin(word: string, at: number): boolean {
  return !BESIDE_PATHS.test(word[at] ?? '') && (word[at] === '/' || isEdge(word, at))
}

/** At the start, behind a sign, and behind the letter of an option. */
function isEdge(word: string, at: number): boolean {
  return at === 0 || BESIDE_PATHS.test(word[at - 1] ?? '') || (at === 2 && /^-[A-Za-z]/.test(word))
}

/** What a text can mean as a path. Behind something else, as in `$HOME/x`, a slash need not be the top folder. */
function readingsOf(
  text: string,
  isBehind: boolean,
  bases: readonly string[],
  home: string,
): readonly string[] {
  if (/^[./]*$/.test(text)) return []
  if (text.startsWith('~/')) return [expandHome(text, home)]
  if (!text.startsWith('/')) return bases.map((base) => `${base}/${text}`)
  return [text, ...(isBehind ? bases.map((base) => `${base}${text}`) : [])]
}

function withoutSlashes(path: string): string {
  let end = path.length
  while (end > 1 && path[end - 1] === '/') end--
  return path.slice(0, end)
}

/** A path as it is written and, because the system follows links before it goes up, where it really leads. */
function alsoReally(path: string): readonly string[] {
  const real = path.includes('..') ? realPathOf(path) : null
  return real === null ? [resolve(path)] : [resolve(path), real]
}

function isFolder(path: string, kindOf: Looking['kindOf']): boolean {
  const kind = kindOf(path)
  if (kind !== 'link') return kind === 'folder'
  try {
    return statSync(path).isDirectory()
  } catch {
    return false
  }
}
