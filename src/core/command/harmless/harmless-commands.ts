import { FILE_ROWS } from './file-rows.ts'
import { GIT_ROWS } from './git-rows.ts'
import { understands, understandsAll } from './grammar.ts'
import type { HarmlessRow } from './grammar.ts'
import { TEXT_ROWS } from './text-rows.ts'

/**
 * The commands that may be allowed by their beginning. A row is here only if nothing that it understands runs another
 * program, writes or removes a file, or reaches the network; what it does not understand is not guessed.
 */
export const HARMLESS_ROWS: readonly HarmlessRow[] = [...GIT_ROWS, ...FILE_ROWS, ...TEXT_ROWS]

const BY_WORDS: ReadonlyMap<string, HarmlessRow> = new Map(
  HARMLESS_ROWS.map((row) => [JSON.stringify(row.words), row]),
)

/** The row that a command, or the beginning of one, belongs to. A program is named without its folder. */
export function findHarmlessRow(words: readonly string[]): HarmlessRow | null {
  const withVerb = BY_WORDS.get(JSON.stringify(words.slice(0, 2)))
  return withVerb ?? BY_WORDS.get(JSON.stringify(words.slice(0, 1))) ?? null
}

/** Whether a row of the table understands a whole command, whatever a shell makes of those words that are patterns. */
export function isHarmless(words: readonly string[], patterns: readonly string[] = []): boolean {
  const row = findHarmlessRow(words)
  if (row === null || !understands(row, words.slice(row.words.length))) return false
  return patterns.every((pattern) => understandsAll(row, pattern))
}
