import { startGlobs } from '../../core/glob/walk.ts'
import type { GlobPlace } from '../../core/glob/walk.ts'
import { isIgnored, levelAt, openLevel, sourceByPath, takeVisits } from './ignore-level.ts'
import type { IgnoreContext, IgnoreLevel } from './ignore-level.ts'
import type { MovePath } from '../../core/tool.ts'
import { groupByBase, movePattern, parseAlternatives } from './path-patterns.ts'
import type { Alternative } from './path-patterns.ts'
import type { Scope, WalkRequest } from './walk-files.ts'
import type { Component } from '../../core/glob/glob.ts'

/** Which files to search. */
export interface SearchScope {
  /** Files and folders to start from, with what is included below each. */
  readonly starts: readonly { readonly path: string; readonly scope: Scope }[]
  /** Whether a file is included, by its path from the root; none is once the budget is used up. */
  readonly includes: (path: string) => boolean
  /** The same exclusions in the search program's syntax, as far as it can express them. */
  readonly without: readonly string[]
  readonly only: readonly string[] | null
  readonly withHidden: boolean
}

/** What a scope is judged with; a search that judges many names may use up the budget of a walk. */
type ScopeContext = Omit<IgnoreContext, 'effort'> & Pick<WalkRequest, 'budget'>

const EVERYTHING: Alternative = ['**']

/** The state for one folder. */
interface Folder {
  readonly level: IgnoreLevel
  readonly scope: Scope
}

/** Compiles include and exclude paths that passed the check. */
export function createSearchScope(
  { budget, ...reader }: ScopeContext,
  include: readonly string[],
  exclude: readonly string[],
): SearchScope {
  const context = { ...reader, effort: { steps: 0 } }
  const wanted = include.length === 0 ? [EVERYTHING] : parseAlternatives(include).flatMap(widen)
  const unwanted = parseAlternatives(exclude).map((one) => (one.length === 0 ? EVERYTHING : anyDepth(one)))
  const none = startGlobs(unwanted)
  const branches = groupByBase(wanted).flatMap(({ base, rests }) => {
    const left = enterAll(none, base)
    const place = startGlobs(rests, { dot: false })
    return left === null ? [] : [createBranch({ context, base, place, left })]
  })
  return {
    starts: branches.map(({ path, scope }) => ({ path, scope })),
    includes(path) {
      if (budget.left < 0) return false
      const isIncluded = branches.some((branch) => branch.includes(path))
      budget.left -= takeVisits(context.effort)
      return isIncluded
    },
    without: [...simplePatterns(context.patterns), ...unwanted.flatMap((one) => anchoredGlob(one) ?? [])],
    only: fileNameGlobs(wanted),
    withHidden: wanted.some(writesDot),
  }
}

interface Branch {
  readonly path: string
  readonly scope: Scope
  readonly includes: (path: string) => boolean
}

interface BranchParts {
  readonly context: IgnoreContext
  readonly base: string
  /** What is included below the base, and what is excluded there. */
  readonly place: GlobPlace
  readonly left: GlobPlace
}

function createBranch({ context, base, place, left }: BranchParts): Branch {
  const scope = scopeBetween(place, left)
  const known = new Map<string, Folder | null>()

  const folderAt = (path: string): Folder | null => {
    const found = known.get(path)
    if (found !== undefined) return found
    const opened = path === base ? { level: levelAt(context, base), scope } : openBelow(path)
    known.set(path, opened)
    return opened
  }

  const openBelow = (path: string): Folder | null => {
    const { folder, name } = split(path)
    const above = folderAt(folder)
    const below = above?.scope.enter(name) ?? null
    if (above === null || below === null || isIgnored(above.level, name, true)) return null
    return { level: openLevel(above.level, path, sourceByPath(context, path)), scope: below }
  }

  return {
    path: base,
    scope,
    includes(path) {
      // A path requested by name is not ignored.
      if (path === base) return place.isMatch
      if (base !== '' && !path.startsWith(`${base}/`)) return false
      const { folder, name } = split(path)
      const here = folderAt(folder)
      return here !== null && here.scope.includes(name) && !isIgnored(here.level, name, false)
    },
  }
}

/** Includes what `place` includes and `left` does not exclude. */
function scopeBetween(place: GlobPlace, left: GlobPlace): Scope {
  return {
    includes: (name) => place.enter(name).isMatch && !left.enter(name).isMatch,
    enter: (name) => {
      const wanted = place.enter(name)
      const unwanted = left.enter(name)
      return wanted.isOpen && !unwanted.isMatch ? scopeBetween(wanted, unwanted) : null
    },
  }
}

/** The place after all names of a path; null if the path or a folder above it already matches. */
function enterAll(start: GlobPlace, path: string): GlobPlace | null {
  let place = start
  for (const name of path === '' ? [] : path.split('/')) {
    place = place.enter(name)
    if (place.isMatch) return null
  }
  return place
}

/**
 * A pattern for a name matches at any depth; a path that does not end in a wildcard also matches everything below it.
 */
function widen(alternative: Alternative): readonly Alternative[] {
  if (alternative.length === 0) return [EVERYTHING]
  const wide = anyDepth(alternative)
  const last = wide.at(-1)
  const isNamed = last !== undefined && last !== '**' && last.every(({ kind }) => kind === 'character')
  return isNamed ? [wide, [...wide, '**']] : [wide]
}

/** A filter that starts in the working folder of a call, as it is written from the root. */
export function moveFilter(filter: string, move: MovePath): string {
  const isForNames = !filter.includes('/') && parseAlternatives([filter]).some((one) => anyDepth(one) !== one)
  return movePattern(isForNames ? `**/${filter}` : filter, move)
}

function anyDepth(alternative: Alternative): Alternative {
  const [only] = alternative
  const isName = alternative.length === 1 && only !== undefined && only !== '**'
  return isName && only.some(({ kind }) => kind !== 'character') ? ['**', ...alternative] : alternative
}

function writesDot(alternative: Alternative): boolean {
  return alternative.some((component) => {
    const first = component === '**' ? undefined : component[0]
    return first?.kind === 'character' && first.character === '.'
  })
}

function split(path: string): { readonly folder: string; readonly name: string } {
  const slash = path.lastIndexOf('/')
  return { folder: slash === -1 ? '' : path.slice(0, slash), name: path.slice(slash + 1) }
}

/** Characters that can be passed to the search program unescaped. */
const PLAIN = /^[^\\*?[\]{}!,:/]$/u
/** A configured pattern that has the same meaning in both syntaxes. */
const SIMPLE_PATTERN = /^[\w.*/-]+$/

/** An alternative in the search program's syntax, or null if the two might not agree. */
function anchoredGlob(alternative: Alternative): string | null {
  const names = alternative.map((component) => (component === '**' ? component : nameGlob(component)))
  return names.includes(null) ? null : `/${names.join('/')}`
}

/** The globs for the names of files that can match one of the alternatives; null if any name can. */
function fileNameGlobs(alternatives: readonly Alternative[]): readonly string[] | null {
  const names = alternatives.map((one) => nameGlob(one.at(-1) ?? '**'))
  const globs = names.filter((name) => name !== null)
  return globs.length === names.length && globs.length > 0 ? [...new Set(globs)] : null
}

/** The configured ignore patterns that can be passed to the search program. */
function simplePatterns(patterns: readonly string[]): readonly string[] {
  return patterns.filter((pattern) => SIMPLE_PATTERN.test(pattern))
}

function nameGlob(component: Component): string | null {
  if (component === '**') return null
  let glob = ''
  for (const token of component) {
    if (token.kind === 'star') glob += '*'
    else if (token.kind === 'any') glob += '?'
    else if (token.kind === 'character' && PLAIN.test(token.character)) glob += token.character
    else return null
  }
  return glob
}
