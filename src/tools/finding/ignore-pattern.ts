import type { Component } from '../../core/glob/glob.ts'
import type { Token } from '../../core/glob/parse.ts'
import { literalName } from '../../core/glob/walk.ts'
import { readIgnoreSet } from './ignore-set.ts'
import { compileRules, lengthOf } from './rule-machine.ts'
import type { Effort } from './rule-machine.ts'
import { trimEndOf } from '../../core/text/trim-end.ts'

/** One line of an ignore file. */
export interface IgnoreRule {
  /** Whether it re-includes what it matches. */
  readonly isNegated: boolean
  readonly isForFolders: boolean
  /** The names of its pattern from the folder of the ignore file on; a pattern for a name anywhere begins with `**`. */
  readonly components: readonly Component[]
}

/** Parses a line as git does; null for comments, blank lines and patterns that can never match. */
export function parseIgnoreLine(line: string): IgnoreRule | null {
  const text = trimEnd(line)
  if (text === '' || text.startsWith('#')) return null
  const isNegated = text.startsWith('!')
  const positive = isNegated ? text.slice(1) : text
  const isForFolders = positive.endsWith('/')
  const pattern = isForFolders ? positive.slice(0, -1) : positive
  const isAnchored = pattern.includes('/')
  const names = readNames(pattern.startsWith('/') ? pattern.slice(1) : pattern)
  const [first] = names ?? []
  if (names === null || first === undefined) return null
  if (!isAnchored) return { isNegated, isForFolders, components: ['**', first.tokens] }
  const components = names.map(({ tokens, isDoubleStar }): Component => (isDoubleStar ? '**' : tokens))
  // A trailing `**` means everything in a folder, but not the folder itself.
  const closed: readonly Component[] =
    components.at(-1) === '**' ? [...components, [{ kind: 'star' }]] : components
  return { isNegated, isForFolders, components: closed }
}

/** Trailing blanks count only after a backslash, and a line may end with CR LF. */
function trimEnd(line: string): string {
  const text = line.endsWith('\r') ? line.slice(0, -1) : line
  if (!text.endsWith(' ')) return text
  const trimmed = trimEndOf(text, ' ')
  const backslashes = trimmed.length - trimEndOf(trimmed, '\\').length
  return backslashes % 2 === 1 ? `${trimmed} ` : trimmed
}

interface NamePattern {
  readonly tokens: readonly Token[]
  readonly isDoubleStar: boolean
}

/** The names of a pattern; null if it can match nothing. */
function readNames(pattern: string): readonly NamePattern[] | null {
  const characters = Array.from(pattern)
  const names: NamePattern[] = []
  let tokens: Token[] = []
  let stars = 0
  let at = 0
  const endName = (): boolean => {
    names.push({ tokens, isDoubleStar: stars >= 2 && tokens.length === 1 })
    const isSomething = tokens.length > 0
    tokens = []
    stars = 0
    return isSomething
  }
  while (at < characters.length) {
    const isEscaped = characters[at] === '\\'
    if (isEscaped) at += 1
    const character = characters[at]
    if (character === undefined) return null
    at += 1
    if (character === '/') {
      if (!endName()) return null
    } else if (isEscaped) tokens.push({ kind: 'character', character })
    else if (character === '*') {
      stars += 1
      if (tokens.at(-1)?.kind !== 'star') tokens.push({ kind: 'star' })
    } else if (character === '?') tokens.push({ kind: 'any' })
    else if (character === '[') {
      const set = readIgnoreSet(characters, at - 1)
      if (set === null) return null
      tokens.push(set.token)
      at = set.end
    } else tokens.push({ kind: 'character', character })
  }
  return endName() ? names : null
}

/** The rules of one ignore file. */
export interface IgnoreRules {
  /** Whether all lines count; patterns with wildcards may be too long together. */
  readonly isWhole: boolean
  /**
   * Whether the last matching rule ignores an entry; null if none matches. The path is relative to the rules' folder.
   */
  readonly judge: (path: string, isFolder: boolean, effort: Effort) => boolean | null
}

/** Parses an ignore file, up to the line with which its patterns with wildcards are too long; null if it has no rules. */
export function parseIgnoreRules(text: string, mostWildCharacters = Infinity): IgnoreRules | null {
  const lines = (text.startsWith('\uFEFF') ? text.slice(1) : text).split('\n')
  const index = createIndex()
  let left = mostWildCharacters
  for (const line of lines) {
    const rule = parseIgnoreLine(line)
    if (rule === null) continue
    left -= index.add(rule)
    if (left < 0) return index.close(false)
  }
  return index.close(true)
}

/** Where the last rule for a name or a path stands; one for folders does not count for a file. */
interface LastRules {
  readonly forFiles: Map<string, number>
  readonly forFolders: Map<string, number>
}

/** Rules without wildcards are looked up, and all others are followed at once. */
function createIndex() {
  const rules: IgnoreRule[] = []
  const wild: number[] = []
  const byName: LastRules = { forFiles: new Map(), forFolders: new Map() }
  const byPath: LastRules = { forFiles: new Map(), forFolders: new Map() }

  function place({ forFiles, forFolders }: LastRules, text: string, isForFolders: boolean): number {
    forFolders.set(text, rules.length - 1)
    if (!isForFolders) forFiles.set(text, rules.length - 1)
    return 0
  }

  return {
    /** Adds a rule, and tells how many characters it has if it has wildcards. */
    add(rule: IgnoreRule): number {
      rules.push(rule)
      const { components, isForFolders } = rule
      const isAnywhere = components[0] === '**'
      const names = (isAnywhere ? components.slice(1) : components).map(literalName)
      if (names.every((name) => name !== null)) {
        const [name = ''] = names
        if (!isAnywhere) return place(byPath, names.join('/'), isForFolders)
        if (names.length === 1) return place(byName, name, isForFolders)
      }
      wild.push(rules.length - 1)
      return lengthOf(components)
    },
    close(isWhole: boolean): IgnoreRules | null {
      if (rules.length === 0) return null
      const machine = compileRules(wild.flatMap((at) => rules[at] ?? []))
      return {
        isWhole,
        judge(path, isFolder, effort) {
          const kind = isFolder ? 'forFolders' : 'forFiles'
          const last = Math.max(
            byName[kind].get(path.slice(path.lastIndexOf('/') + 1)) ?? -1,
            byPath[kind].get(path) ?? -1,
            wild[machine.findLast(path, isFolder, effort)] ?? -1,
          )
          const rule = rules[last]
          return rule === undefined ? null : !rule.isNegated
        },
      }
    },
  }
}
