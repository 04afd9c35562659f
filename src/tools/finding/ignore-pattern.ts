import { compileGlob, compileNameTest } from '../../core/glob/glob.ts'
import type { Component } from '../../core/glob/glob.ts'
import type { Token } from '../../core/glob/parse.ts'
import { literalName } from '../../core/glob/walk.ts'
import { readIgnoreSet } from './ignore-set.ts'

/** One line of an ignore file. */
export interface IgnoreRule {
  /** Whether it re-includes what it matches. */
  readonly isNegated: boolean
  readonly isForFolders: boolean
  /** The only name that it can match, or null if there are several. */
  readonly name: string | null
  /** Tests a name, and its path from the folder of the ignore file. */
  readonly matches: (name: string, path: string) => boolean
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
  if (!isAnchored) {
    return {
      isNegated,
      isForFolders,
      name: literalName(first.tokens),
      matches: compileNameTest(first.tokens),
    }
  }
  const components = names.map(({ tokens, isDoubleStar }): Component => (isDoubleStar ? '**' : tokens))
  // A trailing `**` means everything in a folder, but not the folder itself.
  const closed: readonly Component[] =
    components.at(-1) === '**' ? [...components, [{ kind: 'star' }]] : components
  const matches = compileGlob({ pattern, alternatives: [closed] })
  const last = closed.at(-1)
  const name = last === undefined || last === '**' ? null : literalName(last)
  return { isNegated, isForFolders, name, matches: (_, path) => matches(path) }
}

/** Trailing blanks count only after a backslash, and a line may end with CR LF. */
function trimEnd(line: string): string {
  const text = line.endsWith('\r') ? line.slice(0, -1) : line
  if (!text.endsWith(' ')) return text
  const trimmed = text.replace(/ +$/, '')
  const backslashes = /\\*$/.exec(trimmed)?.[0].length ?? 0
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
  /** How many there are, because each costs time for every entry. */
  readonly count: number
  /**
   * Whether the last matching rule ignores an entry; null if none matches. The path is relative to the rules' folder.
   */
  readonly judge: (name: string, path: string, isFolder: boolean) => boolean | null
}

interface Placed {
  readonly rule: IgnoreRule
  readonly at: number
}

/** Parses an ignore file; null if it has no rules. */
export function parseIgnoreRules(text: string): IgnoreRules | null {
  const lines = (text.startsWith('\uFEFF') ? text.slice(1) : text).split('\n')
  const rules = lines.flatMap((line) => parseIgnoreLine(line) ?? [])
  return rules.length === 0 ? null : indexRules(rules)
}

/** Most rules end in a plain name: those are looked up, and only the others are all tried, the last one first. */
function indexRules(rules: readonly IgnoreRule[]): IgnoreRules {
  const placed = rules.map((rule, at): Placed => ({ rule, at })).toReversed()
  const byName = Map.groupBy(placed, ({ rule }) => rule.name)
  const others = byName.get(null) ?? []
  return {
    count: rules.length,
    judge(name, path, isFolder) {
      const applies = ({ rule }: Placed): boolean => isFolder || !rule.isForFolders
      const plain = byName.get(name)?.find((one) => applies(one) && one.rule.matches(name, path))
      for (const one of others) {
        if (plain !== undefined && one.at < plain.at) break
        if (applies(one) && one.rule.matches(name, path)) return !one.rule.isNegated
      }
      return plain === undefined ? null : !plain.rule.isNegated
    },
  }
}
