const PLAIN = /^[\w@%+=:,./-]+$/
/** What some shell gives a meaning inside double quotes. */
const ACTIVE = /["$`\\!]/

/**
 * A word as a shell takes it, whatever it holds: bare if it is plain, otherwise in single quotes; in double ones where a
 * word has single quotes and nothing that a shell would replace, because that is how people write it.
 */
export function shellWord(word: string): string {
  if (PLAIN.test(word)) return word
  if (word.includes("'") && !ACTIVE.test(word)) return `"${word}"`
  return `'${word.replaceAll("'", String.raw`'\''`)}'`
}
