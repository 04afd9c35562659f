import { isJsonObject, parseJson } from '../../core/json/value.ts'
import { readSecretText, replaceSecretText } from './own-text.ts'

/** The entries of the user's key file by name, or why the file is not used. */
export type KeyEntries =
  | { readonly ok: true; readonly entries: ReadonlyMap<string, string>; readonly wasOpen: boolean }
  | { readonly ok: false; readonly why: string }

/** Reads the key file. If others could read it, that is ended, and `wasOpen` says so. */
export function readKeyEntries(file: string): KeyEntries {
  const found = readSecretText(file)
  if (found.is === 'missing') return { ok: true, entries: new Map(), wasOpen: false }
  if (found.is === 'refused') return { ok: false, why: found.why }
  const value = found.text.trim() === '' ? {} : parseJson(found.text)
  if (!isJsonObject(value)) return { ok: false, why: 'it is not a JSON object' }
  const entries = Object.entries(value).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string',
  )
  return { ok: true, entries: new Map(entries), wasOpen: found.wasOpen }
}

/** Writes a key file of these entries whole; throws the error of the system. */
export function writeKeyEntries(file: string, entries: ReadonlyMap<string, string>): void {
  replaceSecretText(file, `${JSON.stringify(Object.fromEntries(entries), null, 2)}\n`)
}
