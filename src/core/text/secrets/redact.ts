import { memoizeLast } from '../../memoize.ts'
import { findAlone } from './find-alone.ts'
import { findAssignments } from './find-assignments.ts'
import { findNotations } from './find-notations.ts'
import { findKeyBodies, findPrivateKeys } from './find-private-keys.ts'
import { RANDOM } from './find-random.ts'
import { findIssued } from './issued-formats.ts'
import { REDACTED } from './secret-names.ts'
import { mergeSpans } from './span.ts'
import type { Span } from './span.ts'

/** What is hidden besides what looks like a secret, and what is not although it does. */
export interface RedactionRules {
  /** Exact values to hide. Read only for a text that could contain one, so that finding them out may be put off until then. */
  readonly known: readonly string[]
  /** Whether a person said that this value is not a secret. */
  readonly isAllowed?: (value: string) => boolean
  /** Finds the lines of private keys that are known from the files they are in. */
  readonly findKeyLines?: (text: string) => readonly Span[]
}

/** One secret that was hidden: where it was and what it was, never the value. */
export interface Hidden {
  /** Counted from 1. */
  readonly line: number
  readonly kind: string
  readonly characters: number
}

/** Shorter values occur by chance in any text. */
const MIN_KNOWN_CHARS = 6
const MOST_ROUNDS = 8

const escapeForRegExp = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`)

/** A value as written, and as it looks inside JSON and inside a URL. */
const formsOf = (value: string): string[] =>
  value.length < MIN_KNOWN_CHARS || REDACTED.includes(value)
    ? []
    : [value, JSON.stringify(value).slice(1, -1), encodeURIComponent(value.toWellFormed())]

/** One list serves many texts: it is replaced when a value changes, never written to. */
const patternOf = memoizeLast((known: readonly string[], flags: string): RegExp | null => {
  const forms = [...new Set(known.flatMap(formsOf))].toSorted((one, other) => other.length - one.length)
  return forms.length === 0 ? null : new RegExp(forms.map(escapeForRegExp).join('|'), flags)
})

const findKnown = (text: string, { known }: RedactionRules): readonly Span[] => {
  const pattern = patternOf(known, 'g')
  if (pattern === null) return []
  return [...text.matchAll(pattern)].map(({ index, 0: value }) => ({
    start: index,
    end: index + value.length,
    kind: 'value that commands are not given',
  }))
}

/**
 * A cheap pre-check: everything that a name or a notation gives away contains one of these. Most text contains none.
 * Lowercasing first is twice as fast as ignoring case.
 */
const HINT =
  /sk-|bearer|basic|ssws|:(?:\d{3,5}|\*):|:\/\/|-u|mysql|mariadb|sshpass|cookie:|pass|pwd|credential|auth|token|secret|key|session|sid|sig|webhook|salt|b3blbnnzac1rzxktdje|mi[a-z0-9+/]{3,4}(?:iba|geam)|mc4caqaw|caqeei/

/** The lines that are not within something else: what is hidden or allowed as a whole is one secret. */
const outside = (lines: readonly Span[], others: readonly Span[]): readonly Span[] => {
  if (lines.length === 0) return lines
  const merged = mergeSpans(others)
  let passed = 0
  return lines.filter(({ start, end }) => {
    while ((merged[passed]?.end ?? Infinity) < end) passed += 1
    return (merged[passed]?.start ?? Infinity) > start
  })
}

type Find = (text: string, findKeyLines: RedactionRules['findKeyLines']) => readonly Span[]

/** What looks like a secret, or is named like one and looks like it. */
const findLikely: Find = (text, findKeyLines) => {
  const named = HINT.test(text.toLowerCase())
    ? [...findPrivateKeys(text, false), ...findNotations(text), ...findAssignments(text)]
    : []
  const alone = [...findIssued(text), ...named, ...findKeyBodies(text)]
  return findKeyLines === undefined ? alone : [...alone, ...outside(findKeyLines(text), alone)]
}

const findSpans = (text: string, rules: RedactionRules, find: Find): readonly Span[] => {
  const { isAllowed, findKeyLines } = rules
  const certain = text.length < MIN_KNOWN_CHARS ? [] : findKnown(text, rules)
  const guessed = find(text, findKeyLines)
  const kept =
    isAllowed === undefined ? guessed : guessed.filter(({ start, end }) => !isAllowed(text.slice(start, end)))
  return mergeSpans([...certain, ...kept])
}

type Name = (span: Span, value: string) => string

const replaceSpans = (text: string, spans: readonly Span[], nameOf: Name): string => {
  let out = ''
  let done = 0
  for (const span of spans) {
    out += text.slice(done, span.start) + nameOf(span, text.slice(span.start, span.end))
    done = span.end
  }
  return out + text.slice(done)
}

const describe = (text: string, spans: readonly Span[]): readonly Hidden[] => {
  let line = 1
  let done = 0
  return spans.map(({ start, end, kind }) => {
    for (let at = text.indexOf('\n', done); at !== -1 && at < start; at = text.indexOf('\n', at + 1))
      line += 1
    done = start
    return { line, kind, characters: end - start }
  })
}

interface Redacted {
  readonly text: string
  readonly hidden: readonly Hidden[]
}

/** Removing one secret can join the halves of another, so passes repeat until nothing changes. */
const redactFully = (text: string, rules: RedactionRules, find: Find, nameOf: Name): Redacted => {
  let now = text
  const hidden: Hidden[] = []
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const spans = findSpans(now, rules, find)
    if (spans.length === 0) break
    hidden.push(...describe(now, spans))
    now = replaceSpans(now, spans, nameOf)
  }
  return { text: now, hidden }
}

/**
 * Replaces everything that looks like a secret, and every known value, with `[redacted]`; the names around it stay.
 * Takes linear time on any text, and a second pass changes nothing.
 */
export const redactSecrets = (text: string, known: readonly string[] = []): string =>
  redactAndList(text, { known }).text

/** Redacts a text that is given in parts, so that a secret is found although a part ends within it. */
export const redactParts = (
  parts: readonly string[],
  rules: RedactionRules,
): { readonly parts: readonly string[]; readonly hidden: readonly Hidden[] } => {
  const text = parts.join('')
  const spans = findSpans(text, rules, findLikely)
  let from = 0
  const shown = parts.map((part) => {
    const [start, end] = [from, from + part.length]
    from = end
    const within = spans.flatMap((span) =>
      span.start < end && span.end > start
        ? [{ ...span, start: Math.max(span.start, start) - start, end: Math.min(span.end, end) - start }]
        : [],
    )
    return replaceSpans(part, within, () => REDACTED)
  })
  return { parts: shown, hidden: describe(text, spans) }
}

/** The same, and what was hidden. */
export const redactAndList = (text: string, rules: RedactionRules): Redacted =>
  redactFully(text, rules, findLikely, () => REDACTED)

/**
 * The same for text that a person approves: only values that are secrets by themselves are replaced, each by its kind and
 * length, and none that is a part of `places`. Whoever wants the call chooses its names, so a name must not hide a value.
 */
export const redactForApproval = (text: string, { known = [], places = [] }: ShownPlaces = {}): string =>
  redactFully(text, { known, isAllowed: isPartOf(places) }, findAlone, describeValue).text

/** The same for what stays on record about a question: values that are named like secrets are replaced, too. */
export const redactForRecord = (text: string, places: readonly string[] = []): string =>
  redactFully(text, { known: [], isAllowed: isPartOf(places) }, findLikely, describeValue).text

/** A path may be followed by the end of a sentence. */
const SENTENCE_END = /[.,:;]$/
/** Shorter names occur by chance in any value. */
const MIN_NAME_CHARS = 16

/** Names of a call beyond which nothing is hidden that has the form of a name. */
const MOST_PLACES = 5_000

/** Whether a value is a part of a path, or a path behind `a/` as in a diff. */
export const isPartOf = (places: readonly string[]): ((value: string) => boolean) => {
  if (places.length === 0) return () => false
  // Each value would be looked for in all of them. Nobody has so many names by chance, and showing is the safe side.
  if (places.length > MOST_PLACES) return () => true
  // A text may have thousands of values and of places; each value is looked for once.
  const answers = new Map<string, boolean>()
  let whole: ReadonlySet<string> | null = null
  return (value) => {
    whole ??= new Set(places)
    const known = whole.has(value) || answers.get(value)
    if (known !== undefined) return known
    const part = value.replace(SENTENCE_END, '')
    const answer = places.some(
      (place) => place.includes(part) || (place.length >= MIN_NAME_CHARS && value.endsWith(`/${place}`)),
    )
    answers.set(value, answer)
    return answer
  }
}

interface ShownPlaces {
  readonly known?: readonly string[]
  /** Paths that the call names. */
  readonly places?: readonly string[]
}

/** Both ends tell a value from another one where it may be the name of something, or decide who gets in. */
const ENDED: ReadonlySet<string> = new Set([RANDOM, 'password hash'])
const ENDS_CHARS = 4

/** Each line by itself, without its indentation: a person counts on it that every line of what is shown is there. */
const describeValue: Name = ({ kind }, value) =>
  value.replace(LINE_IN_SECRET, (line) => {
    const ends = ENDED.has(kind) ? ` ${line.slice(0, ENDS_CHARS)}...${line.slice(-ENDS_CHARS)}` : ''
    return `[redacted: ${kind}${ends}, ${line.length} characters]`
  })

const LINE_IN_SECRET = /[^\s][^\r\n]*/g
