import { EVERY_HIDDEN } from './display/hidden.ts'

declare const escaped: unique symbol

/** JSON that may be written to a terminal; created only here. */
export type EscapedJson = string & { readonly [escaped]: true }

const escapeUnits = (character: string): string =>
  character
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('')

/**
 * JSON on one line that is safe to print on a terminal: control, bidi, tag and other invisible characters are
 * escaped, and it parses back to the same value. The value must be JSON (see `scanJsonValue`); anything without a
 * JSON form becomes `null`.
 */
export const toJsonLine = (value: unknown): EscapedJson => {
  const json: string | undefined = JSON.stringify(value)
  // Outside its strings JSON is ASCII, so hidden characters occur only in strings, where an escape means the same.
  return (json === undefined ? 'null' : json.replace(EVERY_HIDDEN, escapeUnits)) as EscapedJson
}
