/**
 * A text without these signs at its end. A pattern such as `/ +$/` would try every run of them in the text, which takes
 * minutes where somebody else has written it.
 */
export function trimEndOf(text: string, signs: string): string {
  let end = text.length
  while (end > 0 && signs.includes(text[end - 1] ?? '')) end -= 1
  return text.slice(0, end)
}
