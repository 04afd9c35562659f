import { delimiter, join, resolve } from 'node:path'
import { decode, findNamedPlaces } from '../../fs/named-places.ts'
import type { Effort } from '../follow/effort.ts'
import { pathFrom } from '../follow/follow-named-path.ts'
import type { GitSetting } from '../git-setting.ts'
import type { NamedPath } from './named-path.ts'
import { shellWordsOf } from './shell-words.ts'

/** What separates the words of a command, quotes and expansions included: a word more than git sees does no harm. */
const BETWEEN_WORDS = /[\s"'`$()<>{}=]+/
/** Programs that run the file they are given. */
export const INTERPRETER =
  /^(?:.*\/)?(?:\w*sh|source|\.|python[\d.]*|node|deno|bun|perl|ruby|php|lua|awk|make)$/
export const NEXT_COMMAND = /[;&|\n]+|\$\(|`/

/** Files that the words of a command name. Git runs commands at the top of the work tree. */
export function findPrograms(
  setting: GitSetting,
  folder: string,
  home: string,
  effort: Effort,
): readonly NamedPath[] {
  const isAlias = setting.key.startsWith('alias.')
  const line = setting.value.replace(/^!/, '').replaceAll(/\$HOME\b|\$\{HOME\}/g, home)
  effort.spend(EACH_LINE + EACH_CHARACTER * line.length)
  const found = line.split(NEXT_COMMAND).flatMap((command) => {
    const words = command.split(BETWEEN_WORDS).filter((word) => word !== '' && !word.startsWith('-'))
    return words.flatMap((word, position): readonly NamedPath[] => {
      const evenIfMissing = word.includes('/')
        ? position < (isAlias ? 1 : 2)
        : !isAlias && position === 1 && /\.\w+$/.test(word)
      // What an interpreter runs need not be executable.
      const isScript = position === 1 && INTERPRETER.test(words[0] ?? '')
      const path = placeOf(word, folder, home)
      const made = {
        is: 'program',
        evenIfMissing,
        setting,
        ...(isAlias && !isScript ? { onlyExecutable: true } : {}),
      } as const
      // The rest of "$(git rev-parse --show-toplevel)/script", whose beginning was cut off.
      const below = word.startsWith('/') ? [{ ...made, path: `${folder}${word}`, evenIfMissing: false }] : []
      const meant = isScript ? findScripts(words[0] ?? '', word, path, folder) : []
      return [
        { ...made, path },
        ...below,
        ...meant.map((script) => ({ ...made, path: script, evenIfMissing: false })),
      ]
    })
  })
  const others = isAlias && !setting.value.startsWith('!') ? foundOnlyOnPath(line, folder) : new Set<string>()
  return [
    ...found,
    ...findSpelled(line, isAlias, { setting, folder, home }, effort),
    ...findSpaced(line, { setting, folder, home }),
    ...findQuotedRun(line, { setting, folder, home }),
  ].filter(({ path }) => !others.has(resolve(path)))
}

/**
 * Where the names would be with which git starts something for an alias, if they were paths. They are not, unless the
 * folder itself is on PATH, or they are said once more as something that a program is given.
 */
function foundOnlyOnPath(line: string, folder: string): ReadonlySet<string> {
  if (foldersOnPath(folder).includes(resolve(folder))) return new Set()
  const commands = line
    .split(NEXT_COMMAND)
    .map((command) => command.split(BETWEEN_WORDS).filter((word) => word !== ''))
  const given = new Set(commands.flatMap((words) => words.slice(1)))
  const names = commands.flatMap(([name = '']) => (name.includes('/') || given.has(name) ? [] : [name]))
  return new Set(names.map((name) => resolve(folder, name)))
}

/** The folders of PATH for what git starts at the top of a work tree; an empty one is that folder, too. */
function foldersOnPath(folder: string): readonly string[] {
  return (process.env['PATH'] ?? '').split(delimiter).map((place) => resolve(folder, place))
}

/** To take a line apart, measured in characters that are looked up meanwhile. */
const EACH_LINE = 500
const EACH_CHARACTER = 100

/** Words that end like a shell and are not one. */
export const NO_SHELL = /(?:push|stash|fetch|refresh|flush|finish|publish)$/
/** Programs that run nothing of what they are given, so that a missing file may be made. */
const RUNS_NOTHING = /^(?:.*\/)?(?:rm|rmdir|ls|mkdir|touch|echo|printf|du)$/
const NO_PATH = /[*?]|\/$/

/**
 * Paths that stand in a word with something else: as a file URL, in a list, behind the letter of an option; and what a
 * name leads to that PATH finds. A path that is missing counts wherever it stands in a command, because a prefix or a
 * function of a shell may run it.
 */
function findSpelled(
  line: string,
  isAlias: boolean,
  { setting, folder, home }: NamingPlace,
  { kindOf }: Effort,
): readonly NamedPath[] {
  const isRunByAnother = line
    .split(BESIDE_WORDS)
    .some((word) => INTERPRETER.test(word) && !NO_SHELL.test(word))
  const made = { is: 'program', setting } as const
  const onlyExecutable = isAlias && !isRunByAnother ? { onlyExecutable: true } : {}
  const places = findNamedPlaces({
    words: line.split(/\s+/).filter((word) => word !== ''),
    starts: [folder],
    home,
    path: foldersOnPath(folder).join(delimiter),
    kindOf,
  }).map(({ path, isLoose }) => ({
    ...made,
    path,
    evenIfMissing: !isLoose,
    ...(isAlias && isLoose ? { onlyExecutable: true } : onlyExecutable),
  }))
  const missing = line.split(NEXT_COMMAND).flatMap((command) => {
    const words = command.split(BETWEEN_WORDS).filter((word) => word !== '')
    if (RUNS_NOTHING.test(words[0] ?? '')) return []
    return words
      .flatMap(piecesOf)
      .filter((piece) => piece.includes('/') && !NO_PATH.test(piece))
      .map((piece) => ({
        ...made,
        path: placeOf(piece, folder, home),
        evenIfMissing: true,
        ...onlyExecutable,
      }))
  })
  return [...places, ...missing]
}

const BESIDE_WORDS = /[\s"'`$()<>{}=;&|!]+/

/** The parts of a word that may be paths. */
function piecesOf(word: string): readonly string[] {
  const bare = word.replace(/^-[A-Za-z](?=[^-])/, '')
  return [...new Set([word, bare])]
    .flatMap((one) => [one, decode(one)])
    .flatMap((one) => one.split(/[:,;@]+/))
    .filter((piece) => !piece.startsWith('-'))
}

/** Settings and variables whose whole value is a path. */
const NAMES_FILE = /(?:program|askpass)$|^GIT_SSH$/i

/** What an interpreter runs whose own path has blanks and is in quotes. */
function findQuotedRun(line: string, { setting, folder, home }: NamingPlace): readonly NamedPath[] {
  const [interpreter = '', script] = shellWordsOf(line).filter((word) => !word.startsWith('-'))
  if (script === undefined || !/\s/.test(interpreter) || !INTERPRETER.test(interpreter)) return []
  const path = placeOf(script, folder, home)
  const made = { is: 'program', setting } as const
  return [
    { ...made, path, evenIfMissing: script.includes('/') },
    ...findScripts(interpreter, script, path, folder).map((one) => ({
      ...made,
      path: one,
      evenIfMissing: false,
    })),
  ]
}

/** Where a setting is found, and where its paths start. */
interface NamingPlace {
  readonly setting: GitSetting
  readonly folder: string
  readonly home: string
}

/** Paths with blanks: in quotes, or the whole value, which git starts without a shell for some settings. */
function findSpaced(line: string, { setting, folder, home }: NamingPlace): readonly NamedPath[] {
  const words = shellWordsOf(line)
  const isFile = NAMES_FILE.test(setting.key)
  return [
    ...words.map((word, position) => ({ word, evenIfMissing: position === 0 && word.includes('/') })),
    { word: line, evenIfMissing: isFile && line.includes('/') },
  ]
    .filter(({ word }) => /\s/.test(word))
    .map(({ word, evenIfMissing }) => ({
      path: placeOf(word, folder, home),
      is: 'program',
      evenIfMissing,
      setting,
    }))
}

function placeOf(word: string, folder: string, home: string): string {
  return word.startsWith('~/') ? join(home, word.slice(2)) : pathFrom(folder, word)
}

const RUNS_JAVASCRIPT = /(?:^|\/)(?:node|deno|bun)$/
const RUNS_PYTHON = /(?:^|\/)python[\d.]*$/

/** The files that some interpreters look for if they are given a name without its ending, a folder or a module. */
function findScripts(interpreter: string, word: string, path: string, folder: string): readonly string[] {
  if (RUNS_JAVASCRIPT.test(interpreter))
    return ['.js', '.cjs', '.mjs', '/index.js', '/package.json'].map((end) => path + end)
  if (!RUNS_PYTHON.test(interpreter)) return []
  const module = pathFrom(folder, word.replaceAll('.', '/'))
  return [`${path}/__main__.py`, `${module}.py`, `${module}/__main__.py`, `${module}/__init__.py`]
}
