import type { Component } from '../../core/glob/glob.ts'
import type { Alternative } from './path-patterns.ts'

/** What a name may hold to be handed on as it is. */
const PLAIN = /^[^\\*?[\]{}!,:/]$/u
/** A configured pattern that means the same to everybody. */
const SIMPLE_PATTERN = /^[\w.*/-]+$/

/** An alternative in the search program's syntax, or null where the two are not sure to agree. */
export function anchoredGlob(alternative: Alternative): string | null {
  const names = alternative.map((component) => (component === '**' ? component : nameGlob(component)))
  return names.includes(null) ? null : `/${names.join('/')}`
}

/** The globs for the names of files that can match one of the alternatives; null if any name can. */
export function fileNameGlobs(alternatives: readonly Alternative[]): readonly string[] | null {
  const names = alternatives.map((one) => nameGlob(one.at(-1) ?? '**'))
  const globs = names.filter((name) => name !== null)
  return globs.length === names.length && globs.length > 0 ? [...new Set(globs)] : null
}

/** The configured ignore patterns that can be handed on. */
export function simplePatterns(patterns: readonly string[]): readonly string[] {
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
