import { toJsonLine } from '../escape-json.ts'
import { HIDDEN_OR_BLANK } from './hidden.ts'

const LONGEST_SHOWN = 300

/** A name that cannot be read as words of the sentence around it. */
const PLAIN = /^[\p{L}\p{M}\p{N}_./@%+=,:~#[\]…-]*$/u

/**
 * A path for a sentence: short, on one line, without characters that could affect a terminal, and in quotes if it could
 * pass for part of the sentence.
 */
export function showPath(path: string): string {
  if (path === '') return '.'
  const text = path.length > LONGEST_SHOWN ? `${path.slice(0, LONGEST_SHOWN)}…` : path
  const shown = text.toWellFormed()
  if (isPlain(shown)) return shown
  return JSON.stringify(shown).replaceAll(HIDDEN_OR_BLANK, escapeCharacter)
}

/** A path for a sentence that a model reads: all of it, as JSON if it could pass for words of the sentence. */
export function quotePath(path: string): string {
  return path !== '' && isPlain(path) ? path : toJsonLine(path)
}

function isPlain(text: string): boolean {
  return PLAIN.test(text) && text.search(HIDDEN_OR_BLANK) === -1
}

function escapeCharacter(character: string): string {
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`
}
