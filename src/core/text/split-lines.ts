/** A text as lines, each with its own ending; only the last one may have none. */
export function splitLines(text: string): readonly string[] {
  return text.match(/[^\n]*\n|[^\n]+/g) ?? []
}
