import { parseIgnoreRules } from './ignore-rules.ts'
import type { IgnoreRules } from './ignore-rules.ts'

/** The text of a file in a folder, by its path from there; null if there is none. */
export type IgnoreSource = (path: string) => string | null

/** Rules with the folder they were found in: paths are taken from there. */
interface RulesAt {
  readonly rules: IgnoreRules
  /** How many characters to leave away from a path to have it start in that folder. */
  readonly offset: number
}

/** What decides about the entries of one folder: rules of its own and of those above, the nearest first. */
export interface IgnoreLevel {
  /** Relative to the root, with a slash at the end; '' for the root. */
  readonly prefix: string
  /** The user's own patterns, which no file can take back. */
  readonly configured: IgnoreRules | null
  /** One list for each kind of file, the strongest kind first; within a kind the nearest file decides. */
  readonly kinds: readonly (readonly RulesAt[])[]
}

/** The kinds of ignore files, the strongest first. */
const KINDS = ['.rgignore', '.ignore', '.gitignore', '.git/info/exclude'] as const

/** The level above the root: only the configured patterns. */
export function topLevel(patterns: readonly string[]): IgnoreLevel {
  return { prefix: '', configured: parseIgnoreRules(patterns.join('\n')), kinds: KINDS.map(() => []) }
}

/** The level of a folder, under that of the folder above it; the path is relative to the root, '' for the root. */
export function openLevel(above: IgnoreLevel, folder: string, read: IgnoreSource): IgnoreLevel {
  const prefix = folder === '' ? '' : `${folder}/`
  const kinds = above.kinds.map((rulesAbove, at) => {
    const text = read(KINDS[at] ?? '')
    const rules = text === null ? null : parseIgnoreRules(text)
    return rules === null ? rulesAbove : [{ rules, offset: prefix.length }, ...rulesAbove]
  })
  return { prefix, configured: above.configured, kinds }
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
