import { textsEncodedIn } from './encoded-text.ts'
import { isUnreadable, lookOf } from './looks.ts'
import type { Span } from './span.ts'

/** Longer values are data. */
const MAX_CHARS = 128
/**
 * A value in base64 or base62; names of things, such as those of a charge, a file or an account, are mostly shorter. What
 * begins with a sign is a path or an option, and `\n` in JSON is not a part of a value.
 */
const VALUE = /(?:(?<=\\[nrt]|:\/\/)|(?<![\w+/.~%@\\-])|(?<=(?:^|\n)\+))[A-Za-z0-9][\w+/~-]{39,}/g
/** What goes on behind a value is a name, a part of a longer word or a line of data. */
const GOES_ON = /^={0,2}(?:={3}|%|\.?\w)/
/** What stands before a digest of something public, or before data in an address. */
const BEFORE_PUBLIC = /(?:\bsha\d{1,3}:|\bh1:|;base64,)$/i
/** Digits of records, commits and images, and those of addresses of contents and money, which leave out `0`, `O`, `I` and `l`. */
const NAME_DIGITS = /^(?:(?:0x)?[\da-fA-F-]+|[1-9A-HJ-NP-Za-km-z]+)$/
/** How digests, public keys and certificates begin. */
const PUBLIC = /^(?:sha\d{1,3}-|AAAA|MI[A-Z])/
const LINE_START = /(?:^|\r?\n|\\n)[ \t+-]*$/
const DATA_BEFORE =
  /(?:^|\n|\\n)[ \t+-]*(?:[A-Za-z0-9+/]{16,}={0,2}|-----BEGIN [A-Z0-9 ]+-----)(?:\r?\n|\\n)[ \t+-]*$/
const DATA_AFTER = /^={0,2}(?:\r?\n|\\n)[ \t+-]*(?:[A-Za-z0-9+/]{16,}={0,2}(?:\r?\n|\\n|$)|-----END )/
const LONGEST_LINE = 200

/** Values that no person made, whatever stands before them. */
export const findRandom = (text: string): readonly Span[] => {
  const found: Span[] = []
  for (const { index, 0: run } of text.matchAll(VALUE)) {
    const after = text.slice(index + run.length, index + run.length + LONGEST_LINE)
    if (!isRandomValue(run) || GOES_ON.test(after)) continue
    const before = text.slice(Math.max(0, index - LONGEST_LINE), index)
    if (BEFORE_PUBLIC.test(before) || isLineOfData(before, after)) continue
    const [padding = ''] = /^={0,2}/.exec(after) ?? []
    found.push({ start: index, end: index + run.length + padding.length, kind: RANDOM })
  }
  return found
}

export const RANDOM = 'random value'

const isRandomValue = (value: string): boolean =>
  value.length <= MAX_CHARS &&
  [/[a-z]/, /[A-Z]/, /\d/].every((kind) => kind.test(value)) &&
  !NAME_DIGITS.test(value) &&
  !PUBLIC.test(value) &&
  lookOf(value) === 'random' &&
  isUnreadable(value) &&
  !value.split('/').some((part) => /^[A-Za-z]{3,}$/.test(part) && !isUnreadable(part)) &&
  textsEncodedIn(value).length === 0

/** One of several lines of a certificate, of a picture or of any other data. */
const isLineOfData = (before: string, after: string): boolean =>
  LINE_START.test(before) && (DATA_BEFORE.test(before) || DATA_AFTER.test(after))
