import { visible } from '../../../terminal/one-line.ts'

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

/**
 * What others named or said, such as a path, the fact of a gate or an error, in a row of ours that is drawn as Markdown: on
 * one line, with what does not show spelled out, and as code if a sign in it would be acted on. Every sentence of ours for
 * an editor that has such words in it is made with this.
 */
export function literal(named: string): string {
  const words = visible(named)
  if (!MARKDOWN.test(words)) return words
  const longest = Math.max(0, ...[...words.matchAll(/`+/g)].map(([run]) => run.length))
  const fence = '`'.repeat(longest + 1)
  const pad = longest > 0 ? ' ' : ''
  return `${fence}${pad}${words}${pad}${fence}`
}

/** Something that is no answer of the model, set off from what it says. */
export function aside(text: string): string {
  const shown = literal(text)
  return shown.startsWith('`') ? shown : `*${shown}*`
}

/** An underscore within a word is one of it; so is a sign that nothing follows. */
const MARKDOWN = /[*`[\]\\<]|~~|&#?\w+;|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])|^(?:[#>+-]|\d+[.)])\s/u
