import { parseIgnoreRules } from './ignore-rules.ts'
import type { IgnoreRules } from './ignore-rules.ts'

/** What is known of a folder that may hold ignore files. */
export interface IgnoreSource {
  /** The text of a file in it, by its path from there; null if there is none. */
  readonly read: (path: string) => string | null
  readonly isRepository: () => boolean
}

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

/** The names of ignore files, the strongest first; those of git hold within their repository only. */
const PLAIN_FILES = ['.rgignore', '.ignore'] as const
const GIT_FILES = ['.gitignore', '.git/info/exclude'] as const

/** The level above the root: only the configured patterns. */
export function topLevel(patterns: readonly string[]): IgnoreLevel {
  return { prefix: '', configured: parseIgnoreRules(patterns.join('\n')), kinds: [[], [], [], []] }
}

/** The level of a folder, under that of the folder above it; the path is relative to the root, '' for the root. */
export function openLevel(above: IgnoreLevel, folder: string, source: IgnoreSource): IgnoreLevel {
  const prefix = folder === '' ? '' : `${folder}/`
  const isRepository = source.isRepository()
  const [plain, ignore, git, exclude] = above.kinds
  const kinds = [
    extend(plain, source.read(PLAIN_FILES[0]), prefix),
    extend(ignore, source.read(PLAIN_FILES[1]), prefix),
    extend(isRepository ? [] : git, source.read(GIT_FILES[0]), prefix),
    isRepository ? extend([], source.read(GIT_FILES[1]), prefix) : (exclude ?? []),
  ]
  return { prefix, configured: above.configured, kinds }
}

function extend(above: readonly RulesAt[] = [], text: string | null, prefix: string): readonly RulesAt[] {
  const rules = text === null ? null : parseIgnoreRules(text)
  return rules === null ? above : [{ rules, offset: prefix.length }, ...above]
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
