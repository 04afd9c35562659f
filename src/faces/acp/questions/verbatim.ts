/**
 * Lines as a block of code: editors draw texts as Markdown, which would hide comments, join lines and follow links. The
 * fence is longer than any run of its sign inside.
 */
export function verbatim(lines: readonly string[]): string {
  const text = lines.join('\n')
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length))
  const fence = '`'.repeat(longest + 1)
  return `${fence}text\n${text}\n${fence}`
}
