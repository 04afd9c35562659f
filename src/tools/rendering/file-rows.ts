/** Notes of a result, each in a line of its own. */
export function noteLines(notes: readonly string[] = []): string {
  return notes.map((note) => `\n[${note}]`).join('')
}

/** Files by name, one in a line. */
export function renderFileNames(
  files: readonly { readonly path: string }[],
  truncated: boolean,
  notes: readonly string[] = [],
): string {
  const rows = files.length === 0 ? ['No files found.'] : files.map(({ path }) => path)
  const more = truncated ? `\n[There are more: narrow the pattern, or raise max_results.]` : ''
  return `${rows.join('\n')}${more}${noteLines(notes)}`
}
