import { asWritten, compileTokens } from './match-tokens.ts'
import type { Shape } from './match-tokens.ts'
import type { Component, Glob, Token } from './parse.ts'

export { parseGlob } from './parse.ts'
export type { Component, Glob, ParsedGlob } from './parse.ts'

/**
 * `foldCase` ignores case and compares in composed form, as case-insensitive file systems do. With `dot` false a
 * leading dot must be written in the pattern; by default wildcards match it, because a deny must not miss it.
 */
export type GlobOptions = { readonly foldCase?: boolean; readonly dot?: boolean }

/** One name of a path, as written and as compared. */
type Name = { readonly written: string; readonly folded: string }

type NameMatcher = (name: Name) => boolean

/** Lowercase first: some letters only round-trip that way. Normalize again, because case mapping can decompose. */
const fold = (text: string): string =>
  /^[\0-\u007F]*$/.test(text)
    ? text.toUpperCase()
    : text.normalize('NFC').toLowerCase().toUpperCase().normalize('NFC')

/** How the parts of a pattern are compared with the names of a path. */
type Rules<Part, Item> = {
  readonly isStar: (part: Part) => boolean
  readonly fits: (part: Part, item: Item) => boolean
  readonly maySkip: (item: Item) => boolean
}

/** Backtracks to the latest star only, which is sufficient and takes at most parts × items steps. */
const matchesAll = <Part, Item>(
  parts: readonly Part[],
  items: readonly Item[],
  { isStar, fits, maySkip }: Rules<Part, Item>,
): boolean => {
  let at = 0
  let star = -1
  let skipped = 0
  let next = 0
  while (next < items.length) {
    const part = parts[at]
    const item = items[next]
    const retried = items[skipped]
    if (part !== undefined && isStar(part)) {
      star = at
      skipped = next
      at += 1
    } else if (part !== undefined && item !== undefined && fits(part, item)) {
      at += 1
      next += 1
    } else if (star !== -1 && retried !== undefined && maySkip(retried)) {
      skipped += 1
      next = skipped
      at = star + 1
    } else return false
  }
  return parts.slice(at).every(isStar)
}

const matchesPieces = (pieces: readonly string[], name: string): boolean => {
  const first = pieces[0] ?? ''
  if (pieces.length === 1) return name === first
  const last = pieces.at(-1) ?? ''
  if (!name.startsWith(first) || !name.endsWith(last)) return false
  let at = first.length
  for (const piece of pieces.slice(1, -1)) {
    const found = name.indexOf(piece, at)
    if (found === -1) return false
    at = found + piece.length
  }
  return at <= name.length - last.length
}

const textOf = (token: Token): string => (token.kind === 'character' ? token.character : '')

const splitAtStars = (tokens: readonly Token[]): string[] => {
  const pieces = ['']
  for (const token of tokens) {
    if (token.kind === 'star') pieces.push('')
    else pieces.push((pieces.pop() ?? '') + textOf(token))
  }
  return pieces
}

/** Rewrites the text between wildcards as whole runs, because some characters combine. */
const rewriteRuns = (tokens: readonly Token[], rewrite: (text: string) => string): Token[] => {
  const rewritten: Token[] = []
  let run = ''
  const endRun = (): void => {
    for (const character of rewrite(run)) rewritten.push({ kind: 'character', character })
    run = ''
  }
  for (const token of tokens) {
    if (token.kind === 'character') run += token.character
    else {
      endRun()
      rewritten.push(token)
    }
  }
  endRun()
  return rewritten
}

const compose = (text: string): string => text.normalize('NFC')

/** A pattern for a name without its case: the texts of it that some forms of a name are to fit, one of them at least. */
export type FoldedPattern =
  | { readonly text: string }
  | { readonly folded: readonly Token[] }
  | { readonly composedAlike: readonly Token[]; readonly foldedAlike: readonly Token[] }

/** The forms of a name that folded patterns are held against. */
export const formsOf = (name: string): { readonly composed: string; readonly folded: string } => ({
  composed: compose(name),
  folded: fold(name),
})

/** The shape in which characters of `composedAlike` and `foldedAlike` are the same. */
export const foldedShape: Shape = fold

/** What `compileName` compares without case, for those who hold many patterns against a name at once. */
export const foldPattern = (tokens: readonly Token[]): FoldedPattern => {
  if (!tokens.every((token) => token.kind === 'character' || token.kind === 'star'))
    return { composedAlike: rewriteRuns(tokens, compose), foldedAlike: rewriteRuns(tokens, fold) }
  const folded = rewriteRuns(tokens, fold)
  return tokens.some(({ kind }) => kind === 'star') ? { folded } : { text: folded.map(textOf).join('') }
}

const compileName = (tokens: readonly Token[], foldCase: boolean): NameMatcher => {
  if (tokens.every((token) => token.kind === 'character' || token.kind === 'star')) {
    const pieces = splitAtStars(tokens).map(foldCase ? fold : asWritten)
    return ({ folded }) => matchesPieces(pieces, folded)
  }
  if (!foldCase) {
    const matches = compileTokens(tokens, asWritten)
    return ({ written }) => matches(Array.from(written))
  }
  // Folding may turn one character into two (ß into SS): a name matches if it does so before or after folding.
  const before = compileTokens(rewriteRuns(tokens, compose), fold)
  const after = compileTokens(rewriteRuns(tokens, fold), fold)
  return ({ written, folded }) => before(Array.from(compose(written))) || after(Array.from(folded))
}

const beginsWithDot = (tokens: readonly Token[]): boolean =>
  tokens[0] !== undefined && textOf(tokens[0]) === '.'

/** Compiles the test for one name of a path. */
export const compileNameTest = (
  component: readonly Token[],
  { foldCase = false, dot = true }: GlobOptions = {},
): ((name: string) => boolean) => {
  const matches = compileName(component, foldCase)
  const isHiddenLeftOut = !dot && !beginsWithDot(component)
  return (written) => {
    if (isHiddenLeftOut && written.startsWith('.')) return false
    return matches({ written, folded: foldCase ? fold(written) : written })
  }
}

type CompiledComponent = '**' | NameMatcher

const SPLIT = new Map<string, readonly Name[]>()
const MOST_SPLIT = 8

/** The names of a path. Hundreds of patterns are held against the same path one after the other, so the last few are kept. */
const namesOf = (path: string, foldCase: boolean): readonly Name[] => {
  const key = `${foldCase ? 'folded' : 'plain'} ${path}`
  const known = SPLIT.get(key)
  if (known !== undefined) return known
  const names = path
    .split('/')
    .filter((name) => name !== '' && name !== '.')
    .map((written): Name => ({ written, folded: foldCase ? fold(written) : written }))
  if (SPLIT.size >= MOST_SPLIT) SPLIT.clear()
  SPLIT.set(key, names)
  return names
}

/**
 * Compiles the test for several globs at once; it returns the first one that matches a path. Paths are relative, with
 * forward slashes. `**` matches any number of names, including none, so `X/` followed by it also matches X itself; no
 * other wildcard matches a slash.
 */
export const compileGlobs = (
  globs: readonly Glob[],
  { foldCase = false, dot = true }: GlobOptions = {},
): ((path: string) => Glob | undefined) => {
  const isOpen = ({ written }: Name): boolean => dot || !written.startsWith('.')
  const compile = (component: Component): CompiledComponent => {
    if (component === '**') return component
    const matches = compileName(component, foldCase)
    return dot || beginsWithDot(component) ? matches : (name) => isOpen(name) && matches(name)
  }
  const rules: Rules<CompiledComponent, Name> = {
    isStar: (component) => component === '**',
    fits: (component, name) => component !== '**' && component(name),
    maySkip: isOpen,
  }
  const alternatives = globs.flatMap((glob) =>
    glob.alternatives.map((components) => ({ glob, components: components.map(compile) })),
  )
  return (path) => {
    const names = namesOf(path, foldCase)
    return alternatives.find(({ components }) => matchesAll(components, names, rules))?.glob
  }
}

/** Compiles the test for one glob. */
export const compileGlob = (glob: Glob, options: GlobOptions = {}): ((path: string) => boolean) => {
  const find = compileGlobs([glob], options)
  return (path) => find(path) !== undefined
}
