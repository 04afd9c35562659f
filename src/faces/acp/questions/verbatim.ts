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

/** Words in a row that is drawn as Markdown: as they are, or as code if a sign in them would be acted on. */
export function literal(words: string): string {
  if (!MARKDOWN.test(words)) return words
  const longest = Math.max(0, ...[...words.matchAll(/`+/g)].map(([run]) => run.length))
  const fence = '`'.repeat(longest + 1)
  const pad = longest > 0 ? ' ' : ''
  return `${fence}${pad}${words}${pad}${fence}`
}

/** An underscore within a word is one of it; so is a sign that nothing follows. */
const MARKDOWN = /[*`[\]\\<]|~~|&#?\w+;|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])|^(?:[#>+-]|\d+[.)])\s/u
