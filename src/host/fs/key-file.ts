import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { isJsonObject, parseJson } from '../../core/json/value.ts'
import { whileLocked } from '../db/session-lock.ts'
import { readSecretText, replaceSecretText } from './own-text.ts'

/** The entries of the user's key file by name, or why the file is not used. */
export type KeyEntries =
  | { readonly ok: true; readonly entries: ReadonlyMap<string, string>; readonly wasOpen: boolean }
  | { readonly ok: false; readonly why: string }

/** Another process changes the file for some milliseconds. */
const WAIT_MS = 10_000

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

/**
 * Changes entries of the key file, and returns those it had; null sets none. The file is replaced whole, and no other
 * process changes it meanwhile: it would lose what the other one stores. Throws the error of the system.
 */
export function changeKeyEntries(
  file: string,
  change: (entries: ReadonlyMap<string, string>) => ReadonlyMap<string, string | null>,
): KeyEntries {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  const changed = whileLocked(`${file}.lock`, WAIT_MS, (): KeyEntries => {
    const found = readKeyEntries(file)
    if (!found.ok) return found
    const next = new Map(found.entries)
    for (const [name, value] of change(found.entries))
      if (value === null) next.delete(name)
      else next.set(name, value)
    replaceSecretText(file, `${JSON.stringify(Object.fromEntries(next), null, 2)}\n`)
    return found
  })
  return changed ?? { ok: false, why: 'another process is changing it' }
}
