import { foldText } from '../../core/text/fold-text.ts'
import { trimEndOf } from '../../core/text/trim-end.ts'
import { failure } from '../../core/error.ts'
import { parseGlob } from '../../core/glob/glob.ts'
import type { Component, Token } from '../../core/glob/parse.ts'

/** A name of a denied pattern: as a name in folded form, or as a part of a glob. */
export type DenyName = { readonly plain: readonly Token[] } | { readonly glob: readonly Token[] } | '**'

/** One denied pattern. Everything below a match is denied as well. */
export interface DenyRule {
  readonly pattern: string
  /** The lists of names that it stands for. */
  readonly alternatives: readonly (readonly DenyName[])[]
  /** Whether its first name can be the first of the absolute path, and the first below the root. */
  readonly startsAtTop: boolean
  readonly startsAtRoot: boolean
}

/** `**` and then names with stars only at their ends; a trailing `/**` adds nothing, as folders deny their content. */
const SIMPLE = /^\*\*\/((?:\*?[^*?[\]{}\\!/]+\*?)(?:\/\*?[^*?[\]{}\\!/]+\*?)*)(?:\/\*\*)?$/

/**
 * Compiles a pattern. `**` at the start means anywhere, also above the root; a leading slash means the absolute path;
 * anything else starts at the root.
 */
export function compileDeny(pattern: string): DenyRule {
  const names = SIMPLE.exec(pattern)?.[1]?.split('/').map(readName)
  if (names !== undefined)
    return { pattern, alternatives: [['**', ...names]], startsAtTop: true, startsAtRoot: false }
  const parsed = parseGlob(pattern)
  if (!parsed.ok) {
    const message = `Cannot parse the denied pattern ${pattern}: ${parsed.message}.`
    throw failure('bad_args', message, { pattern }, ['Correct tools.sandbox.denied_patterns.'])
  }
  const isAbsolute = pattern.startsWith('/')
  return {
    pattern,
    alternatives: parsed.glob.alternatives.map((components) => components.map(asName)),
    startsAtTop: isAbsolute || pattern.startsWith('**'),
    startsAtRoot: !isAbsolute,
  }
}

function readName(pattern: string): DenyName {
  const star = { kind: 'star' } as const
  const written = pattern.replaceAll('*', '')
  const characters = Array.from(pattern.endsWith('*') ? foldText(written) : foldName(written))
  return {
    plain: [
      ...(pattern.startsWith('*') ? [star] : []),
      ...characters.map((character) => ({ kind: 'character', character }) as const),
      ...(pattern.endsWith('*') ? [star] : []),
    ],
  }
}

function asName(component: Component): DenyName {
  return component === '**' ? component : { glob: component }
}

/** Windows drops these at the end of a name. */
const DROPPED = '. '

/** A name in a form that is the same for all spellings that may open the same file. */
export function foldName(name: string): string {
  const folded = foldText(name)
  return folded.endsWith('.') || folded.endsWith(' ') ? trimEndOf(folded, DROPPED) : folded
}
