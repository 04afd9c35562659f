/** A pattern with more alternatives is too expensive to match. */
const MAX_ALTERNATIVES = 256

/** The patterns that a pattern with braces expands to, or why it cannot be expanded. */
export type Expanded =
  | { readonly ok: true; readonly patterns: readonly string[] }
  | { readonly ok: false; readonly message: string }

const TOO_MANY = `its braces expand to more than ${MAX_ALTERNATIVES} patterns; write several patterns`

/** An open group: its finished alternatives, and the prefixes of the one being read. */
type Group = { readonly finished: string[]; readonly before: readonly string[]; hasComma: boolean }

const append = (beginnings: readonly string[], endings: readonly string[]): string[] =>
  beginnings.flatMap((beginning) => endings.map((ending) => beginning + ending))

/** Brackets are copied whole: a brace or a comma inside them is an ordinary character. */
const endOfBracket = (pattern: string, at: number): number => {
  const first = /^\[[!^]?\]?/.exec(pattern.slice(at, at + 3))?.[0].length ?? 1
  let end = at + first
  while (end < pattern.length && pattern.charAt(end) !== ']') end += pattern.charAt(end) === '\\' ? 2 : 1
  return Math.min(end + 1, pattern.length)
}

const endOfPlain = (pattern: string, at: number): number => {
  const unit = pattern.charAt(at)
  if (unit === '[') return endOfBracket(pattern, at)
  if (unit === '\\') return Math.min(at + 2, pattern.length)
  return at + 1
}

/** Expands `{a,b}`, nested or not; escapes and brackets are left unchanged. */
export const expandBraces = (pattern: string): Expanded => {
  const groups: Group[] = []
  let current: readonly string[] = ['']
  let at = 0
  while (at < pattern.length) {
    const unit = pattern.charAt(at)
    const group = groups.at(-1)
    if (unit === '{') {
      groups.push({ finished: [], before: current, hasComma: false })
      current = ['']
      at += 1
    } else if (group !== undefined && (unit === ',' || unit === '}')) {
      group.finished.push(...current)
      current = ['']
      at += 1
      if (unit === ',') group.hasComma = true
      else {
        const only = group.finished[0]
        if (!group.hasComma && only?.includes('..') === true) {
          return { ok: false, message: 'ranges like {1..3} are not supported; list the alternatives' }
        }
        groups.pop()
        if (group.before.length * group.finished.length > MAX_ALTERNATIVES)
          return { ok: false, message: TOO_MANY }
        current = append(group.before, group.finished)
      }
    } else if (unit === '}') {
      return {
        ok: false,
        message: `the "}" at character ${at + 1} closes nothing; write \\} for the character`,
      }
    } else {
      const end = endOfPlain(pattern, at)
      const plain = pattern.slice(at, end)
      current = current.map((beginning) => beginning + plain)
      at = end
    }
    if ((groups.at(-1)?.finished.length ?? 0) > MAX_ALTERNATIVES) return { ok: false, message: TOO_MANY }
  }
  return groups.length === 0
    ? { ok: true, patterns: current }
    : { ok: false, message: 'a "{" is never closed; write \\{ for the character' }
}
