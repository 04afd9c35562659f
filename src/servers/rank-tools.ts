/** What a tool is found by. */
export interface Findable {
  readonly name: string
  readonly description: string
}

const SHORTEST_PREFIX = 3
const IN_NAME = 6
const BEGINS_IN_NAME = 3
const IN_DESCRIPTION = 2
const BEGINS_IN_DESCRIPTION = 1

interface Words {
  readonly name: ReadonlySet<string>
  readonly description: ReadonlySet<string>
}

/**
 * The tools that have a word of the query in their name or description, the best first. A word counts for more in a name,
 * and for more the fewer tools have it; ties go by name, so that the same query always gives the same order.
 */
export function rankTools<T extends Findable>(tools: readonly T[], query: string): readonly T[] {
  const rows = tools.map((tool) => ({
    tool,
    words: { name: wordsOf(tool.name), description: wordsOf(tool.description) },
    score: 0,
  }))
  for (const word of wordsOf(query)) {
    const hits = rows.map(({ words }) => rate(word, words))
    const found = hits.filter((hit) => hit > 0).length
    const weight = Math.log(1 + rows.length / Math.max(1, found))
    for (const [index, row] of rows.entries()) row.score += (hits[index] ?? 0) * weight
  }
  return rows
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score || (a.tool.name < b.tool.name ? -1 : 1))
    .map(({ tool }) => tool)
}

function rate(word: string, { name, description }: Words): number {
  if (name.has(word)) return IN_NAME
  if (beginsOne(word, name)) return BEGINS_IN_NAME
  if (description.has(word)) return IN_DESCRIPTION
  return beginsOne(word, description) ? BEGINS_IN_DESCRIPTION : 0
}

/** Whether one of two words begins with the other, as `file` and `files` do. */
function beginsOne(word: string, words: ReadonlySet<string>): boolean {
  if (word.length < SHORTEST_PREFIX) return false
  return words
    .values()
    .some((other) => other.length >= SHORTEST_PREFIX && (other.startsWith(word) || word.startsWith(other)))
}

/** The words of a text in small letters; `createIssue` has two. */
function wordsOf(text: string): ReadonlySet<string> {
  const parted = text.replaceAll(/(\p{Ll})(\p{Lu})/gu, '$1 $2').toLowerCase()
  return new Set(parted.match(/[\p{L}\p{N}]+/gu))
}
