/** Where a secret is in a text, and what kind of secret it is. */
export interface Span {
  readonly start: number
  readonly end: number
  readonly kind: string
}

/** Where a sticky pattern that begins at a position ends; the position itself if it does not match. */
export const endOf = (pattern: RegExp, text: string, from: number): number => {
  pattern.lastIndex = from
  return pattern.test(text) ? pattern.lastIndex : from
}

/** In order and without overlaps; spans that overlap become one. */
export const mergeSpans = (spans: readonly Span[]): readonly Span[] => {
  const merged: Span[] = []
  for (const span of spans.toSorted((one, other) => one.start - other.start || other.end - one.end)) {
    const last = merged.at(-1)
    if (last === undefined || span.start >= last.end) merged.push(span)
    else if (span.end > last.end) merged[merged.length - 1] = { ...last, end: span.end }
  }
  return merged
}
