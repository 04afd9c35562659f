import type { JsonValue } from '../../core/json/value.ts'

/** A text in pieces: itself, or the number of a text in the result where the same characters are. */
export type SharedText = readonly (string | number)[]

/** Shorter texts cost less than the reference to them. */
const LEAST_CHARS = 24
/** How far ahead a text of the result is looked for: texts show their parts in the order of the result. */
const WINDOW_CHARS = 4_096

/**
 * A text as pieces that refer to the texts of a result, in their order, so that what a result already holds is not
 * stored again; null if that would not be shorter. It does not matter who rendered the text, or how.
 */
export function shareText(text: string, result: JsonValue): SharedText | null {
  if (text.length < LEAST_CHARS) return null
  const pieces: (string | number)[] = []
  let at = 0
  let shared = 0
  for (const [index, part] of textsIn(result).entries()) {
    if (part.length < LEAST_CHARS || part.length > text.length - at) continue
    const ahead = text.slice(at, at + WINDOW_CHARS + part.length).indexOf(part)
    if (ahead === -1) continue
    if (ahead > 0) pieces.push(text.slice(at, at + ahead))
    pieces.push(index)
    at += ahead + part.length
    shared += part.length
  }
  if (shared === 0) return null
  if (at < text.length) pieces.push(text.slice(at))
  return pieces
}

/** The text that `shareText` took apart; null if the pieces do not fit the result. */
export function joinText(pieces: readonly unknown[], result: JsonValue): string | null {
  const texts = textsIn(result)
  let joined = ''
  for (const piece of pieces) {
    const text = typeof piece === 'number' ? texts[piece] : piece
    if (typeof text !== 'string') return null
    joined += text
  }
  return joined
}

/** Every string in a value, in order, without names of fields. */
function textsIn(value: JsonValue): readonly string[] {
  const found: string[] = []
  const visit = (one: JsonValue): void => {
    if (typeof one === 'string') found.push(one)
    else if (typeof one === 'object' && one !== null) for (const inner of Object.values(one)) visit(inner)
  }
  visit(value)
  return found
}
