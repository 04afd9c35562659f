import { expandBraces } from './braces.ts'

const MAX_PATTERN_CHARS = 4096

/** One position in a name: a literal character, any character, one of a set, or any number of characters. */
export type Token =
  | { readonly kind: 'character'; readonly character: string }
  | { readonly kind: 'any' }
  | { readonly kind: 'star' }
  | {
      readonly kind: 'set'
      readonly isNegated: boolean
      readonly ranges: readonly (readonly [string, string])[]
    }

/** A pattern for one name, or `**` for any number of names. */
export type Component = '**' | readonly Token[]

/** A parsed pattern: its alternatives, each as components. */
export type Glob = { readonly pattern: string; readonly alternatives: readonly (readonly Component[])[] }

type Failure = { readonly ok: false; readonly message: string }
type SetRead = { readonly ok: true; readonly token: Token; readonly end: number } | Failure
type ComponentsRead = { readonly ok: true; readonly components: readonly Component[] } | Failure

/** A glob, or what is wrong with the pattern. */
export type ParsedGlob = { readonly ok: true; readonly glob: Glob } | Failure

const fail = (message: string): Failure => ({ ok: false, message })

const readSet = (characters: readonly string[], from: number): SetRead => {
  const isNegated = characters[from + 1] === '!' || characters[from + 1] === '^'
  const first = from + (isNegated ? 2 : 1)
  const ranges: (readonly [string, string])[] = []
  let at = first
  const readOne = (): string => {
    if (characters[at] === '\\') at += 1
    const character = characters[at] ?? ''
    at += 1
    return character
  }
  while (at < characters.length && (characters[at] !== ']' || at === first)) {
    if (characters[at] === '/') return fail('a set in brackets cannot hold "/"')
    if (characters[at] === '[' && characters[at + 1] === ':') {
      return fail('named classes like [:alpha:] are not supported; write the ranges')
    }
    const low = readOne()
    const isRange = characters[at] === '-' && characters[at + 1] !== ']'
    if (isRange) at += 1
    const high = isRange ? readOne() : low
    if ((low.codePointAt(0) ?? 0) > (high.codePointAt(0) ?? 0)) {
      return fail(`the range ${low}-${high} runs backwards`)
    }
    ranges.push([low, high])
  }
  if (characters[at] !== ']') return fail('a "[" is never closed; write \\[ for the character')
  return { ok: true, token: { kind: 'set', isNegated, ranges }, end: at + 1 }
}

const isWritten = (name: readonly Token[], text: string): boolean =>
  name.length === text.length &&
  name.every((token, index) => token.kind === 'character' && token.character === text[index])

const readComponents = (pattern: string): ComponentsRead => {
  const characters = Array.from(pattern)
  const components: Component[] = []
  let name: Token[] = []
  let stars = 0
  let at = 0

  const endComponent = (): void => {
    const isDoubleStar = stars === 2 && name.length === 1
    const isNothing = name.length === 0 || isWritten(name, '.')
    if (!isNothing) components.push(isDoubleStar ? '**' : name)
    name = []
    stars = 0
  }

  while (at < characters.length) {
    const character = characters[at] ?? ''
    at += 1
    if (character === '/') endComponent()
    else if (character === '*') {
      stars += 1
      if (name.at(-1)?.kind !== 'star') name.push({ kind: 'star' })
    } else if (character === '?') name.push({ kind: 'any' })
    else if (character === '[') {
      const set = readSet(characters, at - 1)
      if (!set.ok) return set
      name.push(set.token)
      at = set.end
    } else if (character === '\\') {
      const escaped = characters[at] ?? '/'
      if (escaped === '/') return fail('a backslash must come before the character it escapes')
      name.push({ kind: 'character', character: escaped })
      at += 1
    } else name.push({ kind: 'character', character })
  }
  endComponent()
  if (components.some((component) => component !== '**' && isWritten(component, '..'))) {
    return fail('".." in a pattern matches nothing, because paths are compared without it')
  }
  // A folder with a trailing slash means its contents.
  if (pattern.endsWith('/') && components.at(-1) !== '**') components.push('**')
  return { ok: true, components }
}

/** Parses a pattern for paths that are relative to a root and use forward slashes. */
export const parseGlob = (pattern: string): ParsedGlob => {
  if (pattern === '') return fail('the pattern is empty')
  if (pattern.length > MAX_PATTERN_CHARS)
    return fail(`the pattern is longer than ${MAX_PATTERN_CHARS} characters`)
  const expanded = expandBraces(pattern)
  if (!expanded.ok) return expanded
  const alternatives: (readonly Component[])[] = []
  for (const plain of expanded.patterns) {
    const read = readComponents(plain)
    if (!read.ok) return read
    alternatives.push(read.components)
  }
  return { ok: true, glob: { pattern, alternatives } }
}
