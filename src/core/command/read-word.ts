/** A word of a command line: as written, and as the program receives it. */
export type ReadWord =
  | {
      readonly ok: true
      readonly text: string
      readonly raw: string
      /** Whether a shell may expand it to other words, through wildcards, a tilde or braces. */
      readonly isPattern: boolean
      readonly end: number
    }
  | { readonly ok: false; readonly why: string }

const PLAIN = /[^\s;&|<>()'"\\$`]+/y
const DOUBLE_QUOTED = /[^"\\$`]+/y

/** Reads the word that begins at an offset; empty if there is none. */
export function readWord(text: string, from: number): ReadWord {
  let at = from
  let word = ''
  let bare = ''

  const take = (pattern: RegExp): string => {
    pattern.lastIndex = at
    const found = pattern.exec(text)?.[0] ?? ''
    at += found.length
    return found
  }

  while (at < text.length) {
    const plain = take(PLAIN)
    word += plain
    bare += plain
    const character = text[at]
    if (character === undefined || /[\s;&|<>()]/.test(character)) break
    if (character === '$' || character === '`') return expansion(character)
    at += 1
    if (character === '\\') {
      const escaped = text[at]
      if (escaped === undefined) return { ok: false, why: 'it ends with a backslash' }
      at += 1
      // A line continuation, which does not end the word.
      if (escaped === '\n') continue
      word += escaped
    } else if (character === "'") {
      const end = text.indexOf("'", at)
      if (end === -1) return { ok: false, why: 'a quote is never closed' }
      word += text.slice(at, end)
      at = end + 1
    } else {
      const quoted = readDoubleQuoted(take, text, () => at++)
      if (!quoted.ok) return quoted
      word += quoted.text
    }
    // Quoted text is not a wildcard, but it means that a tilde or brace next to it is not on its own.
    bare += '"'
  }
  return { ok: true, text: word, raw: text.slice(from, at), isPattern: isPattern(bare), end: at }
}

function readDoubleQuoted(
  take: (pattern: RegExp) => string,
  text: string,
  step: () => number,
): { readonly ok: true; readonly text: string } | { readonly ok: false; readonly why: string } {
  let quoted = ''
  for (;;) {
    quoted += take(DOUBLE_QUOTED)
    const character = text[step()]
    if (character === '"') return { ok: true, text: quoted }
    if (character === '$' || character === '`') return expansion(character)
    const escaped = text[step()]
    if (character === undefined || escaped === undefined) {
      return { ok: false, why: 'a quote is never closed' }
    }
    if (escaped !== '\n') quoted += '$`"\\'.includes(escaped) ? escaped : `\\${escaped}`
  }
}

function expansion(character: '$' | '`'): { readonly ok: false; readonly why: string } {
  return { ok: false, why: `it contains ${character}, whose value is only known when it runs` }
}

/** `{}` is literal in every shell. */
function isPattern(bare: string): boolean {
  return /[*?[]|(?:^|[=:])~/.test(bare) || (bare !== '{}' && bare.includes('{'))
}
