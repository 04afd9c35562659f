import { failure } from '../../core/error.ts'
import { compileGlob, parseGlob } from '../../core/glob/glob.ts'
import { foldText } from './fold-name.ts'

/** One denied pattern. Whatever lies below something that it matches is denied as well. */
export interface DenyRule {
  readonly pattern: string
  /** What the last part must be, folded; null if only `matches` can tell. */
  readonly last: NamePattern | null
  /** Takes the parts of the absolute path, folded, and the two forms of the path as they are. */
  readonly matches: (folded: readonly string[], absolute: string, rel: string) => boolean
}

/** A name with a star at most at each end. */
export interface NamePattern {
  readonly text: string
  readonly isOpenBefore: boolean
  readonly isOpenBehind: boolean
}

/** `**` and then names with stars only at their ends; `/**` behind adds nothing, as folders deny what they hold. */
const SIMPLE = /^\*\*\/((?:\*?[^*?[\]{}\\!/]+\*?)(?:\/\*?[^*?[\]{}\\!/]+\*?)*)(?:\/\*\*)?$/

/**
 * Compiles a pattern. `**` at the start means anywhere, also above the root; a leading slash means the absolute path;
 * anything else starts at the root.
 */
export function compileDeny(pattern: string): DenyRule {
  const names = SIMPLE.exec(pattern)?.[1]?.split('/').map(readName)
  if (names !== undefined)
    return { pattern, last: names.at(-1) ?? null, matches: (folded) => endsIn(folded, names) }
  const parsed = parseGlob(pattern)
  if (!parsed.ok) {
    const message = `The denied pattern ${pattern} cannot be understood: ${parsed.message}.`
    throw failure('bad_args', message, { pattern }, ['Correct tools.sandbox.denied_patterns.'])
  }
  const test = compileGlob(parsed.glob, { foldCase: true })
  if (pattern.startsWith('/')) return { pattern, last: null, matches: (_, absolute) => test(absolute) }
  const isAnywhere = pattern.startsWith('**')
  return { pattern, last: null, matches: (_, absolute, rel) => test(rel) || (isAnywhere && test(absolute)) }
}

function readName(pattern: string): NamePattern {
  const text = foldText(pattern.replaceAll('*', ''))
  return { text, isOpenBefore: pattern.startsWith('*'), isOpenBehind: pattern.endsWith('*') }
}

function endsIn(folded: readonly string[], names: readonly NamePattern[]): boolean {
  const offset = folded.length - names.length
  return offset >= 0 && names.every((name, at) => matchesName(name, folded[offset + at] ?? ''))
}

function matchesName({ text, isOpenBefore, isOpenBehind }: NamePattern, name: string): boolean {
  if (isOpenBefore) return isOpenBehind ? name.includes(text) : name.endsWith(text)
  return isOpenBehind ? name.startsWith(text) : name === text
}
