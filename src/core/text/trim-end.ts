/**
 * A text without these signs at its end. A pattern such as `/ +$/` would try every run of them in the text, which takes
 * minutes where somebody else has written it.
 */
export function trimEndOf(text: string, signs: string): string {
  let end = text.length
  while (end > 0 && signs.includes(text[end - 1] ?? '')) end -= 1
  return text.slice(0, end)
}

/** A path without slashes at its end; of the root one is left. */
export function withoutEndSlashes(path: string): string {
  return trimEndOf(path, '/') || path.slice(0, 1)
}

/** A sentence without its full stop and what follows it, so that it can go on. */
export function withoutFullStop(sentence: string): string {
  return trimEndOf(sentence, '. \t\r\n')
}

/** What follows the last blank of a text. */
export function lastWordOf(text: string): string {
  let start = text.length
  while (start > 0 && !/\s/.test(text[start - 1] ?? '')) start -= 1
  return text.slice(start)
}
