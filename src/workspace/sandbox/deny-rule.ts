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

const ASCII = /^[\0-\x7f]*$/
/** Some file systems ignore these in a name: a name that contains one still opens the plain name. */
const IGNORED = /[\u200C-\u200F\u202A-\u202E\u206A-\u206F\uFEFF]/g
/** Windows drops these at the end of a name. */
const DROPPED = '. '

/** Part of a name, without case and in composed form. */
function foldText(text: string): string {
  if (ASCII.test(text)) return text.toLowerCase()
  // Upper before lower case: some letters, like the long s, only reach their plain form that way.
  return text.replaceAll(IGNORED, '').normalize('NFC').toUpperCase().toLowerCase().normalize('NFC')
}

/** A name in a form that is the same for all spellings that may open the same file. */
export function foldName(name: string): string {
  const folded = foldText(name)
  return folded.endsWith('.') || folded.endsWith(' ') ? trimEndOf(folded, DROPPED) : folded
}
