const LONGEST_SHOWN = 300
const NEEDS_QUOTING = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}\p{Default_Ignorable_Code_Point}]/u

/** A path for a message: short, on one line, and without characters that act on the reader's screen. */
export function showPath(path: string): string {
  if (path === '') return '.'
  const text = path.length > LONGEST_SHOWN ? `${path.slice(0, LONGEST_SHOWN)}…` : path
  const shown = text.toWellFormed()
  if (!NEEDS_QUOTING.test(shown)) return shown
  return JSON.stringify(shown).replaceAll(new RegExp(NEEDS_QUOTING, 'gu'), escapeCharacter)
}

function escapeCharacter(character: string): string {
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`
}
