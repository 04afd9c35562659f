import { OPEN_LINE } from './find-notations.ts'
import { KEY_HEADS } from './find-private-keys.ts'
import { redactAndList } from './redact.ts'
import type { RedactionRules } from './redact.ts'

/** Redacts text that arrives in pieces; a secret split across two pieces is still found. */
export interface RedactingStream {
  /** Returns what can be shown so far; the rest waits for what follows it. */
  readonly push: (text: string) => string
  /** Returns what was held back. */
  readonly end: () => string
}

/** Longer lines are cut: no secret we detect is this long. */
const MOST_HELD = 65_536
/** How much of such a line stays behind, so that a secret that has only begun is not cut in two. */
const OVERLAP = 4_096
/** How far back to try again if a cut would split a secret. */
const NEXT_TRY = 16
const KEY_BEGINS = new RegExp(
  `-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|(?<![A-Za-z0-9+/])(?:${KEY_HEADS})`,
  'g',
)
const KEY_ENDS = '-----END '

/** Redacts whole lines, because secrets end with their line; only a private key, and a value below its name, span several. */
export function createRedactingStream(
  known: readonly string[],
  isAllowed?: RedactionRules['isAllowed'],
): RedactingStream {
  const rules: RedactionRules = isAllowed === undefined ? { known } : { known, isAllowed }
  const longest = known.reduce((most, value) => Math.max(most, value.length), 0)
  const overLines = known.filter((value) => /[\n\r]/.test(value))
  let held = ''
  /** Where the last line begins in the held text, so that it is not searched for again with every piece. */
  let lastLine = 0
  const take = (end: number): string => {
    const ready = held.slice(0, end)
    held = held.slice(end)
    lastLine = Math.max(0, lastLine - end)
    return redactAndList(ready, rules).text
  }
  return {
    push(text) {
      const begins = lineIn(text)
      if (begins > 0) lastLine = held.length + begins
      held += text
      const line = overLines.length === 0 ? lastLine : lineIn(held, Math.max(0, held.length - longest))
      const whole = beforeAny(overLines, held, beforeOpenLine(held, beforeKey(held, line)))
      if (whole > 0) return take(whole)
      if (held.length <= MOST_HELD) return ''
      return take(findCut(held, Math.max(OVERLAP, longest), rules))
    },
    end: () => take(held.length),
  }
}

/**
 * The start of the last line that begins at or before a position; programs that redraw a line end it with a carriage
 * return.
 */
function lineIn(text: string, upTo = text.length): number {
  return Math.max(text.lastIndexOf('\n', upTo), text.lastIndexOf('\r', upTo)) + 1
}

/** A position at or before the given one where a cut splits none of these values. */
function beforeAny(values: readonly string[], text: string, place: number): number {
  let cut = place
  for (const value of values) {
    const begins = text.lastIndexOf(value, cut - 1)
    if (cut > 0 && begins !== -1 && begins < cut && begins + value.length > cut) cut = begins
  }
  return cut === place ? cut : beforeAny(values, text, cut)
}

/** How much of a line can name a value on the next one. */
const LONGEST_OPEN = 256

/** The given position, or the start of the line before it if that line may have its value on the next one. */
function beforeOpenLine(text: string, place: number): number {
  const end = text.startsWith('\r\n', place - 2) ? place - 2 : place - 1
  const begins = lineIn(text, end - 1)
  return end - begins <= LONGEST_OPEN && OPEN_LINE.test(text.slice(begins, place)) ? begins : place
}

/** The given position, or the start of a private key that is still open there; anything longer is not a key. */
function beforeKey(text: string, place: number): number {
  const from = Math.max(0, place - MOST_HELD)
  for (const { index } of text.slice(from, place).matchAll(KEY_BEGINS)) {
    const ends = text.indexOf(KEY_ENDS, from + index)
    if (ends === -1 || ends >= place) return from + index
  }
  return place
}

/**
 * Where to cut an endless line so that this much of it stays: at a blank if one is near, and where the two parts
 * redact what they would redact together.
 */
function findCut(text: string, stays: number, rules: RedactionRules): number {
  const latest = text.length - stays
  const from = Math.max(0, latest - 2 * stays)
  const redact = (part: string): string => redactAndList(part, rules).text
  const hidden = redact(text.slice(from))
  const isClean = (place: number): boolean =>
    redact(text.slice(from, place)) + redact(text.slice(place)) === hidden
  const first = lastBreak(text, latest)
  for (let back = 0; first - back > from; back = 2 * back + NEXT_TRY) {
    const place = betweenCharacters(text, first - back)
    if (isClean(place)) return place
  }
  return betweenCharacters(text, latest)
}

/** The last blank before a position, if one is near, because few secrets contain one. */
function lastBreak(text: string, before: number): number {
  const blank = text.lastIndexOf(' ', before)
  return blank > before - OVERLAP ? blank + 1 : before
}

/** A position at or before the given one that does not split a surrogate pair. */
function betweenCharacters(text: string, place: number): number {
  return (text.codePointAt(place - 1) ?? 0) > 0xffff ? place - 1 : place
}
