import { redactSecrets } from './redact.ts'

/** Text that comes in pieces, given back redacted; a secret that two pieces share is found all the same. */
export interface RedactingStream {
  /** What can be shown by now; the rest waits for what follows it. */
  readonly push: (text: string) => string
  /** What was held back. */
  readonly end: () => string
}

/** A line longer than this is cut: nothing that is looked for is so long. */
const MOST_HELD = 65_536
/** What stays behind of such a line, so that a secret that has only begun is not cut in two. */
const OVERLAP = 4_096
/** How far before a place that would cut a secret the next one is tried. */
const NEXT_TRY = 16
const KEY_BEGINS = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g
const KEY_ENDS = '-----END '

/** Redacts by whole lines, since what is looked for ends with its line; only a private key goes over several. */
export function createRedactingStream(known: readonly string[]): RedactingStream {
  const longest = known.reduce((most, value) => Math.max(most, value.length), 0)
  const overLines = known.filter((value) => /[\n\r]/.test(value))
  let held = ''
  /** Where the last line begins in what is held, so that it is not looked for anew with every piece. */
  let lastLine = 0
  const take = (end: number): string => {
    const ready = held.slice(0, end)
    held = held.slice(end)
    lastLine = Math.max(0, lastLine - end)
    return redactSecrets(ready, known)
  }
  return {
    push(text) {
      const begins = lineIn(text)
      if (begins > 0) lastLine = held.length + begins
      held += text
      const line = overLines.length === 0 ? lastLine : lineIn(held, Math.max(0, held.length - longest))
      const whole = beforeAny(overLines, held, beforeKey(held, line))
      if (whole > 0) return take(whole)
      if (held.length <= MOST_HELD) return ''
      return take(findCut(held, Math.max(OVERLAP, longest), known))
    },
    end: () => take(held.length),
  }
}

/** Where the last line begins that begins up to a place; programs that draw over their own end it with a carriage return. */
function lineIn(text: string, upTo = text.length): number {
  return Math.max(text.lastIndexOf('\n', upTo), text.lastIndexOf('\r', upTo)) + 1
}

/** A place to cut at or before the given one, at which none of these values is cut in two. */
function beforeAny(values: readonly string[], text: string, place: number): number {
  let cut = place
  for (const value of values) {
    const begins = text.lastIndexOf(value, cut - 1)
    if (cut > 0 && begins !== -1 && begins < cut && begins + value.length > cut) cut = begins
  }
  return cut === place ? cut : beforeAny(values, text, cut)
}

/** The given place, or where a private key begins that does not end before it; anything longer is not a key. */
function beforeKey(text: string, place: number): number {
  const from = Math.max(0, place - MOST_HELD)
  for (const { index } of text.slice(from, place).matchAll(KEY_BEGINS)) {
    const ends = text.indexOf(KEY_ENDS, from + index)
    if (ends === -1 || ends >= place) return from + index
  }
  return place
}

/**
 * Where a line without end is cut so that this much of it stays: at a blank if one is near, and at a place where the
 * two parts hide what they would hide together.
 */
function findCut(text: string, stays: number, known: readonly string[]): number {
  const latest = text.length - stays
  const from = Math.max(0, latest - 2 * stays)
  const hidden = redactSecrets(text.slice(from), known)
  const isClean = (place: number): boolean =>
    redactSecrets(text.slice(from, place), known) + redactSecrets(text.slice(place), known) === hidden
  const first = lastBreak(text, latest)
  for (let back = 0; first - back > from; back = 2 * back + NEXT_TRY) {
    const place = betweenCharacters(text, first - back)
    if (isClean(place)) return place
  }
  return betweenCharacters(text, latest)
}

/** The last blank before a place, if one is near, since few secrets reach over it. */
function lastBreak(text: string, before: number): number {
  const blank = text.lastIndexOf(' ', before)
  return blank > before - OVERLAP ? blank + 1 : before
}

/** A place at or before the given one that is not within a character of two units. */
function betweenCharacters(text: string, place: number): number {
  return (text.codePointAt(place - 1) ?? 0) > 0xffff ? place - 1 : place
}
