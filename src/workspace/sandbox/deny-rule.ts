import { failure } from '../../core/error.ts'
import { compileGlob, parseGlob } from '../../core/glob/glob.ts'

/** One denied pattern. Everything below a match is denied as well. */
export interface DenyRule {
  readonly pattern: string
  /** What the last part must match, folded; null if only `matches` can decide. */
  readonly last: NamePattern | null
  /** Takes the parts of the absolute path, folded, and the two forms of the path as they are. */
  readonly matches: (folded: readonly string[], absolute: string, rel: string) => boolean
}

/** A name with at most one star at each end. */
export interface NamePattern {
  readonly text: string
  readonly isOpenBefore: boolean
  readonly isOpenBehind: boolean
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
    return { pattern, last: names.at(-1) ?? null, matches: (folded) => endsIn(folded, names) }
  const parsed = parseGlob(pattern)
  if (!parsed.ok) {
    const message = `Cannot parse the denied pattern ${pattern}: ${parsed.message}.`
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

const ASCII = /^[\0-\x7f]*$/
/** Some file systems ignore these in a name: a name that contains one still opens the plain name. */
const IGNORED = /[\u200C-\u200F\u202A-\u202E\u206A-\u206F\uFEFF]/g
/** Windows drops these at the end of a name. */
const DROPPED = /[. ]+$/

/** Part of a name, without case and in composed form. */
function foldText(text: string): string {
  if (ASCII.test(text)) return text.toLowerCase()
  // Upper before lower case: some letters, like the long s, only reach their plain form that way.
  return text.replaceAll(IGNORED, '').normalize('NFC').toUpperCase().toLowerCase().normalize('NFC')
}

/** A name in a form that is the same for all spellings that may open the same file. */
export function foldName(name: string): string {
  const folded = foldText(name)
  return folded.endsWith('.') || folded.endsWith(' ') ? folded.replace(DROPPED, '') : folded
}

/** Rules indexed such that a name that none of them matches, like most names, costs one lookup and one test. */
export interface DenyIndex {
  /** The rules that can match a path with this last part, folded. */
  readonly candidates: (last: string) => readonly DenyRule[]
}

/** Indexes rules by the names they can end in. */
export function indexDenies(rules: readonly DenyRule[]): DenyIndex {
  const exact = new Map<string, DenyRule[]>()
  const open = rules.filter(({ last }) => last !== null && isOpen(last))
  const others = rules.filter(({ last }) => last === null)
  for (const rule of rules) {
    if (rule.last === null || isOpen(rule.last)) continue
    const same = exact.get(rule.last.text)
    if (same === undefined) exact.set(rule.last.text, [rule])
    else same.push(rule)
  }
  const anyOpen = new RegExp(open.map(({ last }) => sourceOf(last)).join('|') || '(?!)', 'u')
  const openAndOthers = [...open, ...others]
  return {
    candidates: (last) => {
      const own = exact.get(last)
      if (own !== undefined) return [...own, ...openAndOthers]
      return anyOpen.test(last) ? openAndOthers : others
    },
  }
}

function isOpen(name: NamePattern): boolean {
  return name.isOpenBefore || name.isOpenBehind
}

function sourceOf(name: NamePattern | null): string {
  if (name === null) return ''
  const text = name.text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`)
  return `${name.isOpenBefore ? '' : '^'}${text}${name.isOpenBehind ? '' : '$'}`
}
