/** Why ripgrep rejects a pattern, and at which of its characters, from 1. */
export interface RegexFault {
  readonly why: string
  readonly position: number | null
}

const INDENT = 4
/** Ripgrep shows the pattern wrapped in a group. */
const WRAPPER = '(?:'

/** Parses the stderr of ripgrep; null if it is not about the pattern. */
export function readRegexFault(stderr: string, query: string): RegexFault | null {
  if (stderr.includes('is not allowed in a regex'))
    return { why: 'a match cannot go past the end of a line', position: findLineBreak(query) }
  if (stderr.includes('exceeds size limit')) return { why: 'it is too large', position: null }
  if (!stderr.includes('regex parse error')) return null
  const why = /^error: (.+)$/m.exec(stderr)?.[1] ?? 'it cannot be parsed'
  const marks = /^( *)\^+ *$/m.exec(stderr)?.[1]?.length
  if (marks === undefined) return { why, position: null }
  const position = marks - INDENT - WRAPPER.length + 1
  // An unclosed group is reported at the wrapper, whose closing parenthesis it takes.
  return { why, position: position > 0 ? position : findOpenGroup(query) }
}

function findLineBreak(query: string): number | null {
  const at = /\\n|\\r|\n/.exec(query)?.index
  return at === undefined ? null : at + 1
}

/** Where the first unclosed group begins. */
function findOpenGroup(query: string): number | null {
  const open: number[] = []
  let isInSet = false
  for (let at = 0; at < query.length; at++) {
    const character = query.charAt(at)
    if (character === '\\') at++
    else if (character === '[') isInSet = true
    else if (character === ']') isInSet = false
    else if (character === '(' && !isInSet) open.push(at + 1)
    else if (character === ')' && !isInSet) open.pop()
  }
  return open[0] ?? null
}
