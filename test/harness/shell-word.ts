/** A text as one word of a line of shell, whatever it holds: a temporary folder may have blanks in its name. */
export function shellWord(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
