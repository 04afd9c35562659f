import { CLASSES, complement, DOT, single, unite } from './character-set.ts'
import type { CharacterSet, Ranges } from './character-set.ts'

/** A parsed pattern. */
export type PatternNode =
  | { readonly kind: 'set'; readonly set: CharacterSet }
  | { readonly kind: 'sequence'; readonly parts: readonly PatternNode[] }
  | { readonly kind: 'choice'; readonly options: readonly PatternNode[] }
  | { readonly kind: 'repeat'; readonly body: PatternNode; readonly min: number; readonly max: number }
  | { readonly kind: 'assertion'; readonly what: Assertion }
  | { readonly kind: 'look'; readonly body: PatternNode }
  | { readonly kind: 'foreign'; readonly what: string }

/** The assertions about the position between two characters. */
export type Assertion = 'start' | 'end' | 'word edge' | 'no word edge'

const MAX_GROUPS = 64

const CONTROL: ReadonlyMap<string, number> = new Map([
  ['t', 0x09],
  ['n', 0x0a],
  ['v', 0x0b],
  ['f', 0x0c],
  ['r', 0x0d],
  ['0', 0x00],
])

/** The state of reading a pattern. */
interface Reader {
  readonly source: string
  at: number
  depth: number
}

/**
 * Parses a pattern that the engine has accepted with the u flag, so its syntax is known to be valid. Null if groups
 * are nested too deeply.
 */
export function parsePattern(source: string): PatternNode | null {
  const reader: Reader = { source, at: 0, depth: 0 }
  const node = readChoice(reader)
  return reader.at === source.length ? node : null
}

function readChoice(reader: Reader): PatternNode {
  const options = [readSequence(reader)]
  while (take(reader, '|')) options.push(readSequence(reader))
  const [only] = options
  return options.length === 1 && only !== undefined ? only : { kind: 'choice', options }
}

function readSequence(reader: Reader): PatternNode {
  const parts: PatternNode[] = []
  while (reader.at < reader.source.length && !/[|)]/.test(peek(reader))) {
    const atom = readAtom(reader)
    if (atom === null) break
    parts.push(readRepeat(reader, atom))
  }
  const [only] = parts
  return parts.length === 1 && only !== undefined ? only : { kind: 'sequence', parts }
}

function readRepeat(reader: Reader, body: PatternNode): PatternNode {
  const found = match(reader, /(?:[*+?]|\{(\d+)(,?)(\d*)\})\??/y)
  if (found === null) return body
  const [text, least, comma, most] = found
  if (least === undefined) {
    return {
      kind: 'repeat',
      body,
      min: text.startsWith('+') ? 1 : 0,
      max: text.startsWith('?') ? 1 : Infinity,
    }
  }
  const min = Number(least)
  const max = comma === '' ? min : most === '' ? Infinity : Number(most)
  return { kind: 'repeat', body, min, max }
}

function readAtom(reader: Reader): PatternNode | null {
  if (take(reader, '^')) return { kind: 'assertion', what: 'start' }
  if (take(reader, '$')) return { kind: 'assertion', what: 'end' }
  if (take(reader, '.')) return { kind: 'set', set: { ranges: DOT, opaque: null } }
  if (peek(reader) === '(') return readGroup(reader)
  if (peek(reader) === '[') return { kind: 'set', set: readClass(reader) }
  if (peek(reader) !== '\\') return { kind: 'set', set: single(takeCode(reader)) }
  if (take(reader, '\\b')) return { kind: 'assertion', what: 'word edge' }
  if (take(reader, '\\B')) return { kind: 'assertion', what: 'no word edge' }
  if (match(reader, /\\(?:[1-9]\d*|k<[^>]*>)/y) !== null) return { kind: 'foreign', what: 'a backreference' }
  return { kind: 'set', set: readEscapedSet(reader) }
}

function readGroup(reader: Reader): PatternNode | null {
  if (reader.depth >= MAX_GROUPS) return null
  const head = match(reader, /\((?:\?(?:[:=!]|<[=!]|<[^>]*>|[a-z-]*:))?/y)?.[0] ?? ''
  reader.depth += 1
  const body = readChoice(reader)
  reader.depth -= 1
  if (!take(reader, ')')) return null
  if (/[=!]$/.test(head)) return { kind: 'look', body }
  return /^\(\?[a-z-]+:/.test(head) ? { kind: 'foreign', what: 'a group with flags of its own' } : body
}

function readEscapedSet(reader: Reader): CharacterSet {
  const property = match(reader, /\\[pP]\{[^}]*\}/y)
  if (property !== null) return { ranges: [], opaque: new RegExp(`^${property[0]}$`, 'u') }
  const ranges = takeClassLetter(reader)
  return ranges === null ? single(takeCode(reader)) : { ranges, opaque: null }
}

function readClass(reader: Reader): CharacterSet {
  const start = reader.at
  const isNegated = match(reader, /\[\^?/y)?.[0] === '[^'
  const sets: Ranges[] = []
  let isOpaque = false
  while (!take(reader, ']')) {
    if (match(reader, /\\[pP]\{[^}]*\}/y) !== null) {
      isOpaque = true
      continue
    }
    const ranges = takeClassLetter(reader)
    if (ranges !== null) {
      sets.push(ranges)
      continue
    }
    const first = takeCode(reader)
    const isRange = peek(reader) === '-' && reader.source.charAt(reader.at + 1) !== ']'
    if (isRange) reader.at += 1
    sets.push([first, isRange ? takeCode(reader) : first])
  }
  if (isOpaque) return { ranges: [], opaque: new RegExp(`^${reader.source.slice(start, reader.at)}$`, 'u') }
  const ranges = unite(sets)
  return { ranges: isNegated ? complement(ranges) : ranges, opaque: null }
}

function takeClassLetter(reader: Reader): Ranges | null {
  const letter = match(reader, /\\([dDwWsS])/y)?.[1]
  return letter === undefined ? null : (CLASSES.get(letter) ?? null)
}

/** One code point, plain or escaped. */
function takeCode(reader: Reader): number {
  const pair = match(reader, /\\u(d[89ab][\da-f]{2})\\u(d[c-f][\da-f]{2})/iy)
  if (pair !== null) return 0x10000 + ((hex(pair[1]) - 0xd800) << 10) + (hex(pair[2]) - 0xdc00)
  const number = match(reader, /\\(?:u\{([\da-f]+)\}|u([\da-f]{4})|x([\da-f]{2}))/iy)
  if (number !== null) return hex(number[1] ?? number[2] ?? number[3])
  const control = match(reader, /\\c([A-Za-z])/y)
  if (control !== null) return (control[1] ?? '').charCodeAt(0) % 32
  if (take(reader, '\\b')) return 0x08
  const isEscaped = take(reader, '\\')
  const code = reader.source.codePointAt(reader.at) ?? 0
  reader.at += code > 0xffff ? 2 : 1
  return (isEscaped ? CONTROL.get(String.fromCodePoint(code)) : undefined) ?? code
}

function hex(digits: string | undefined): number {
  return Number.parseInt(digits ?? '0', 16)
}

function peek({ source, at }: Reader): string {
  return source.charAt(at)
}

function take(reader: Reader, text: string): boolean {
  if (!reader.source.startsWith(text, reader.at)) return false
  reader.at += text.length
  return true
}

function match(reader: Reader, expression: RegExp): RegExpExecArray | null {
  expression.lastIndex = reader.at
  const found = expression.exec(reader.source)
  if (found !== null) reader.at += found[0].length
  return found
}
