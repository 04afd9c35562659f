import { parseIgnoreRules } from './ignore-pattern.ts'
import type { IgnoreRules } from './ignore-pattern.ts'
import { MAX_IGNORE_BYTES, MAX_WILD_CHARACTERS } from './ignore-notes.ts'
import type { IgnoreNotes } from './ignore-notes.ts'
import type { Effort } from './rule-machine.ts'
import type { Files, Walk } from '../../core/powers.ts'

/** The rules of a file in a folder, by its path from there; null if there are none. */
type IgnoreSource = (path: string) => IgnoreRules | null

/** Rules with the folder they were found in; their paths are relative to it. */
interface RulesAt {
  readonly rules: IgnoreRules
  /** How many characters to strip from a path to make it relative to that folder. */
  readonly offset: number
}

/** What decides about the entries of one folder: its own rules and those of the folders above, nearest first. */
export interface IgnoreLevel {
  /** Relative to the root, with a slash at the end; '' for the root. */
  readonly prefix: string
  /** The user's own patterns, which no file can undo. */
  readonly configured: IgnoreRules | null
  /** One list for each kind of file, the strongest kind first; within a kind the nearest file decides. */
  readonly kinds: readonly (readonly RulesAt[])[]
  /** What judging has cost in the whole walk. */
  readonly effort: Effort
}

/** The kinds of ignore files, the strongest first. */
export const KINDS = ['.rgignore', '.ignore', '.gitignore', '.git/info/exclude'] as const

/** The level above the root: only the configured patterns. */
function topLevel({ patterns, effort }: IgnoreContext): IgnoreLevel {
  return { prefix: '', configured: parseIgnoreRules(patterns.join('\n')), kinds: KINDS.map(() => []), effort }
}

/** The level of a folder, below that of its parent; the path is relative to the root, '' for the root. */
export function openLevel(above: IgnoreLevel, folder: string, read: IgnoreSource): IgnoreLevel {
  const prefix = folder === '' ? '' : `${folder}/`
  const kinds = above.kinds.map((rulesAbove, at) => {
    const rules = read(KINDS[at] ?? '')
    return rules === null ? rulesAbove : [{ rules, offset: prefix.length }, ...rulesAbove]
  })
  return { ...above, prefix, kinds }
}

/** Whether an entry of the level's folder is ignored. */
export function isIgnored(level: IgnoreLevel, name: string, isFolder: boolean): boolean {
  const path = level.prefix + name
  if (level.configured?.judge(path, isFolder, level.effort) === true) return true
  for (const kind of level.kinds) {
    for (const { rules, offset } of kind) {
      const verdict = rules.judge(path.slice(offset), isFolder, level.effort)
      if (verdict !== null) return verdict
    }
  }
  return false
}

/** What is needed to read ignore files. */
export interface IgnoreReader {
  readonly files: Files
  readonly notes: IgnoreNotes
  readonly effort: Effort
}

/** The same, with the configured patterns. */
export interface IgnoreContext extends IgnoreReader {
  readonly patterns: readonly string[]
}

/** A visit without any rules takes about as long as this many steps. */
const STEPS_PER_VISIT = 4_096

/** How many visits the latest effort was worth; what took less than one is free. */
export function takeVisits(effort: Effort): number {
  const visits = Math.floor(effort.steps / STEPS_PER_VISIT)
  effort.steps = 0
  return visits
}

const decoder = new TextDecoder('utf-8')

/** Joins a folder and a name; '' is the root. */
export function pathIn(folder: string, name: string): string {
  return folder === '' ? name : `${folder}/${name}`
}

/** The level of a folder reached by its path, including those of all folders above it. */
export function levelAt(context: IgnoreContext, folder: string): IgnoreLevel {
  let level = topLevel(context)
  // Ignore files above this root do not apply to a folder in another root.
  if (folder.startsWith('/')) return openLevel(level, folder, sourceByPath(context, folder))
  level = openLevel(level, '', sourceByPath(context, ''))
  let path = ''
  for (const name of folder === '' ? [] : folder.split('/')) {
    path = pathIn(path, name)
    level = openLevel(level, path, sourceByPath(context, path))
  }
  return level
}

/** Looks up ignore files by name. Most folders contain none, and a missing intermediate folder fails faster. */
export function sourceByPath(reader: IgnoreReader, folder: string): IgnoreSource {
  return (path) => {
    const [first = path] = path.split('/')
    const isReachable = first === path || reader.files.follow(pathIn(folder, first))?.kind === 'dir'
    return isReachable ? readRules(reader, pathIn(folder, path)) : null
  }
}

/** Looks up ignore files in the folder that a walk is in: the walk knows which names exist. */
export function sourceByWalk(reader: IgnoreReader, walk: Walk, folder: string): IgnoreSource {
  return (path) => {
    const [first = path] = path.split('/')
    return walk.holds(first) ? readRules(reader, pathIn(folder, path)) : null
  }
}

function readRules({ files, notes, effort }: IgnoreReader, path: string): IgnoreRules | null {
  const found = files.peekStart(path, MAX_IGNORE_BYTES)
  if (found.is !== 'read') {
    if (found.is === 'refused') notes.addUnread(path)
    return null
  }
  effort.steps += found.bytes.length
  const text = decoder.decode(found.bytes)
  if (!found.isWhole) notes.addPartly(path)
  // The last line may be cut, and half a pattern means something else.
  const whole = found.isWhole ? text : text.slice(0, text.lastIndexOf('\n') + 1)
  const rules = parseIgnoreRules(whole, MAX_WILD_CHARACTERS)
  if (rules?.isWhole === false) notes.addCostly(path)
  return rules
}
