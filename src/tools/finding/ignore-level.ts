import { parseIgnoreRules } from './ignore-pattern.ts'
import type { IgnoreRules } from './ignore-pattern.ts'
import { MAX_IGNORE_BYTES } from './ignore-notes.ts'
import type { IgnoreNotes } from './ignore-notes.ts'
import type { Files, Walk } from '../../core/powers.ts'

/** The text of a file in a folder, by its path from there; null if there is none. */
type IgnoreSource = (path: string) => string | null

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
  /** How many rules there are in all. */
  readonly count: number
}

/** The kinds of ignore files, the strongest first. */
export const KINDS = ['.rgignore', '.ignore', '.gitignore', '.git/info/exclude'] as const

/** The level above the root: only the configured patterns. */
function topLevel(patterns: readonly string[]): IgnoreLevel {
  const configured = parseIgnoreRules(patterns.join('\n'))
  return { prefix: '', configured, kinds: KINDS.map(() => []), count: configured?.count ?? 0 }
}

/** The level of a folder, below that of its parent; the path is relative to the root, '' for the root. */
export function openLevel(above: IgnoreLevel, folder: string, read: IgnoreSource): IgnoreLevel {
  const prefix = folder === '' ? '' : `${folder}/`
  let { count } = above
  const kinds = above.kinds.map((rulesAbove, at) => {
    const text = read(KINDS[at] ?? '')
    const rules = text === null ? null : parseIgnoreRules(text)
    count += rules?.count ?? 0
    return rules === null ? rulesAbove : [{ rules, offset: prefix.length }, ...rulesAbove]
  })
  return { prefix, configured: above.configured, kinds, count }
}

/** Whether an entry of the level's folder is ignored. */
export function isIgnored(level: IgnoreLevel, name: string, isFolder: boolean): boolean {
  const path = level.prefix + name
  if (level.configured?.judge(name, path, isFolder) === true) return true
  for (const kind of level.kinds) {
    for (const { rules, offset } of kind) {
      const verdict = rules.judge(name, path.slice(offset), isFolder)
      if (verdict !== null) return verdict
    }
  }
  return false
}

/** What is needed to read ignore files. */
export interface IgnoreReader {
  readonly files: Files
  readonly notes: IgnoreNotes
}

/** The same, with the configured patterns. */
export interface IgnoreContext extends IgnoreReader {
  readonly patterns: readonly string[]
}

const decoder = new TextDecoder('utf-8')

/** Joins a folder and a name; '' is the root. */
export function pathIn(folder: string, name: string): string {
  return folder === '' ? name : `${folder}/${name}`
}

/** The level of a folder reached by its path, including those of all folders above it. */
export function levelAt({ files, patterns, notes }: IgnoreContext, folder: string): IgnoreLevel {
  let level = topLevel(patterns)
  // Ignore files above this root do not apply to a folder in another root.
  if (folder.startsWith('/')) return openLevel(level, folder, sourceByPath({ files, notes }, folder))
  level = openLevel(level, '', sourceByPath({ files, notes }, ''))
  let path = ''
  for (const name of folder === '' ? [] : folder.split('/')) {
    path = pathIn(path, name)
    level = openLevel(level, path, sourceByPath({ files, notes }, path))
  }
  return level
}

/** Looks up ignore files by name. Most folders contain none, and a missing intermediate folder fails faster. */
export function sourceByPath({ files, notes }: IgnoreReader, folder: string): IgnoreSource {
  return (path) => {
    const [first = path] = path.split('/')
    const isReachable = first === path || files.follow(pathIn(folder, first))?.kind === 'dir'
    return isReachable ? readText({ files, notes }, pathIn(folder, path)) : null
  }
}

/** Looks up ignore files in the folder that a walk is in: the walk knows which names exist. */
export function sourceByWalk({ files, notes }: IgnoreReader, walk: Walk, folder: string): IgnoreSource {
  return (path) => {
    const [first = path] = path.split('/')
    return walk.holds(first) ? readText({ files, notes }, pathIn(folder, path)) : null
  }
}

function readText({ files, notes }: IgnoreReader, path: string): string | null {
  const found = files.peekStart(path, MAX_IGNORE_BYTES)
  if (found.is !== 'read') {
    if (found.is === 'refused') notes.addUnread(path)
    return null
  }
  const text = decoder.decode(found.bytes)
  if (found.isWhole) return text
  notes.addPartly(path)
  // The last line may be cut, and half a pattern means something else.
  return text.slice(0, text.lastIndexOf('\n') + 1)
}
