import { isUnreadable } from './looks.ts'
import { endOf } from './span.ts'
import type { Span } from './span.ts'

const BEGIN = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|PuTTY-User-Key-File-\d:/g
const END = /-----END |\nPrivate-MAC:/g
// In pieces: a pattern without a bound runs out of stack on a file of some megabytes.
const KEY_TEXT = /[A-Za-z0-9+/=\s\\:,-]{1,50000}/y
/** Bounded, because a run of millions of characters takes all of the stack. */
export const KEY_LINE = /[A-Za-z0-9+/=]{16,2000}/g
/**
 * How keys begin in base64, without a BEGIN line: those of OpenSSH with their name, the others with a version that
 * neither certificates nor public keys have.
 */
export const KEY_HEADS = String.raw`b3BlbnNzaC1rZXktdjE|MII[A-Za-z0-9+/]{2}[AQgw]IBA|MI[GH][A-Za-z0-9+/]{2}gEAM|MC4CAQAwBQYDK2V|MH[cQg]CAQEEI`
const HEAD = new RegExp(`(?<![A-Za-z0-9+/])(?:${KEY_HEADS})[A-Za-z0-9+/]{16}`, 'g')
const HEAD_LINE = /[A-Za-z0-9+/=]{1,50000}/y
const LATER_LINE = /(?:\r?\n|\\n)[ \t]*[A-Za-z0-9+/=]{16,50000}|[A-Za-z0-9+/=]{1,50000}/y
const SHORT_LINE = /(?:\r?\n|\\n)[ \t]*[A-Za-z0-9+/]{1,15}={1,2}/y
const LAST_LINE = /-----END [A-Z0-9 ]{0,40}PRIVATE KEY/g
const LINE_BEFORE = /(?:^|[\r\n])[ \t]*([A-Za-z0-9+/]{2,}={0,2})[ \t]*\r?\n?$/
const MIN_LINE_CHARS = 16
const MAX_LINE_CHARS = 256
export const MAX_KEY_CHARS = 65_536
const KIND = 'private key'

/**
 * The text between the BEGIN and END lines of a private key; without an END line, as far as it looks like a key. With
 * `keepCommands` only the key's own lines, so that neither a command nor a path can hide between the two.
 */
export const findPrivateKeys = (text: string, keepCommands: boolean): readonly Span[] => {
  const spans: Span[] = []
  let end = -1
  BEGIN.lastIndex = 0
  for (let match = BEGIN.exec(text); match !== null; match = BEGIN.exec(text)) {
    const start = match.index + match[0].length
    // Search again only after passing the last one: many BEGIN lines without an END must not each scan the rest.
    if (end < start) end = findEnd(text, start)
    const stop = end - start <= MAX_KEY_CHARS ? end : endOfLines(KEY_TEXT, text, start)
    spans.push(...spansIn(text, start, stop, keepCommands))
    BEGIN.lastIndex = stop
  }
  return [...spans, ...findHeads(text, keepCommands), ...findTails(text, keepCommands)]
}

/** As wide as the lines of PEM files and of OpenSSH are. */
const FULL_LINE = '[A-Za-z0-9+/]{64}(?:[A-Za-z0-9+/]{6})?'
const FIRST_LINE = new RegExp(`(?:^|[\\r\\n])[ \\t]*(${FULL_LINE})(?=\\r?\\n)`, 'g')
const NEXT_LINE = new RegExp(`\\r?\\n[ \\t]*${FULL_LINE}(?![A-Za-z0-9+/])`, 'y')
const BLOCK = /-----(BEGIN|END) [A-Z0-9 ]{1,60}-----/g
/** What a block consists of after its BEGIN line: data, headers such as those of PGP, and what was hidden before. */
const BLOCK_LINE =
  /[ \t]{0,100}(?:(?:[A-Za-z0-9+/=[\]]{1,500}|[\w-]{1,100}: [^\r\n]{0,500})[ \t]{0,100})?(?:\r?\n|$)/y

/**
 * Lines from within a key, as a range of lines or a page shows them, without the lines that name it; not those of a
 * certificate or of anything else whose first line is right above them.
 */
export const findKeyBodies = (text: string): readonly Span[] => {
  // The beginning of a certificate or public key is left out; that of a private key is known by other marks.
  const bodies = fullLinesIn(text).filter(
    ({ start, end }) => !text.startsWith('MI', start) && isMixed(text.slice(start, end)),
  )
  if (bodies.length === 0) return []
  const names = [...text.matchAll(BLOCK)]
  let passed = 0
  let blockEnd = 0
  return bodies.filter(({ start }) => {
    for (let name = names[passed]; name !== undefined && name.index < start; name = names[passed]) {
      blockEnd = name[1] === 'BEGIN' ? endOfBlock(text, name) : 0
      passed += 1
    }
    return start >= blockEnd
  })
}

/** Where lines of full width follow each other. Line by line, because one pattern for many lines runs out of stack. */
const fullLinesIn = (text: string): readonly Span[] => {
  const found: Span[] = []
  FIRST_LINE.lastIndex = 0
  for (let first = FIRST_LINE.exec(text); first !== null; first = FIRST_LINE.exec(text)) {
    const firstEnd = first.index + first[0].length
    const end = endOfLines(NEXT_LINE, text, firstEnd)
    if (end > firstEnd) found.push({ start: firstEnd - (first[1] ?? '').length, end, kind: KIND })
    FIRST_LINE.lastIndex = end
  }
  return found
}

/** Where the lines that a sticky pattern matches end. */
const endOfLines = (line: RegExp, text: string, from: number): number => {
  let end = from
  for (let next = endOf(line, text, end); next > end; next = endOf(line, text, end)) end = next
  return end
}

/** How far the lines below a BEGIN line belong to it. */
const endOfBlock = (text: string, { index, 0: begin }: RegExpExecArray): number =>
  endOfLines(BLOCK_LINE, text, index + begin.length)

/** A list of hashes is written with fewer characters. */
const isMixed = (lines: string): boolean =>
  lines.split('\n').every((line) => /[A-Z]/.test(line) && /[a-z]/.test(line) && /\d/.test(line))

const spansIn = (text: string, start: number, stop: number, keepCommands: boolean): readonly Span[] => {
  const lines = [...text.slice(start, stop).matchAll(KEY_LINE)].map(({ index, 0: line }) => ({
    start: start + index,
    end: start + index + line.length,
    kind: KIND,
  }))
  if (lines.length === 0) return []
  return keepCommands
    ? lines.filter((line) => isUnreadable(text.slice(line.start, line.end)))
    : [{ start, end: stop, kind: KIND }]
}

/** The first lines of keys whose BEGIN line is not in the text. */
const findHeads = (text: string, keepCommands: boolean): readonly Span[] => {
  const spans: Span[] = []
  HEAD.lastIndex = 0
  for (let match = HEAD.exec(text); match !== null; match = HEAD.exec(text)) {
    const long = endOfLines(LATER_LINE, text, endOfLines(HEAD_LINE, text, match.index))
    HEAD.lastIndex = endOf(SHORT_LINE, text, long)
    spans.push(...spansIn(text, match.index, HEAD.lastIndex, keepCommands))
  }
  return spans
}

/** The last lines of keys whose BEGIN line is not in the text. */
const findTails = (text: string, keepCommands: boolean): readonly Span[] =>
  [...text.matchAll(LAST_LINE)].flatMap(({ index: end }) => {
    // Only the last line is shorter than the others.
    let start = end
    for (let found = lineBefore(text, start, 2); found !== null && end - start < MAX_KEY_CHARS;) {
      start = found
      found = lineBefore(text, start, MIN_LINE_CHARS)
    }
    return spansIn(text, start, end, keepCommands)
  })

/** Where the line before a position begins, if it is one of a key. */
const lineBefore = (text: string, place: number, leastChars: number): number | null => {
  const from = Math.max(0, place - MAX_LINE_CHARS)
  const found = LINE_BEFORE.exec(text.slice(from, place))
  const line = found?.[1] ?? ''
  if (found === null || line.length < leastChars || (found.index === 0 && from > 0)) return null
  return from + found.index + found[0].indexOf(line)
}

const findEnd = (text: string, from: number): number => {
  END.lastIndex = from
  return END.exec(text)?.index ?? Number.POSITIVE_INFINITY
}
