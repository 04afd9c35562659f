import { isJsonObject, parseJson } from '../../core/json/value.ts'
import { isOpenToOthers, readSecretText, replaceSecretText } from '../../host/fs/own-text.ts'
import { plainUrl } from '../model-spec.ts'
import { ModelError } from '../model-client.ts'

/** The keys in the user's key file, by the name of their entry. */
export interface StoredKeys {
  readonly keys: ReadonlyMap<string, string>
  /** Whether others could read the file until now. */
  readonly wasOpen: boolean
}

/** The entry of a provider's key. A key for another server is stored with its address, and is never sent elsewhere. */
export function entryFor(provider: string, baseUrl: string | null): string {
  return baseUrl === null ? provider : `${provider} ${plainUrl(baseUrl)}`
}

/** Reads the key file; throws a ModelError if it is not one that only its owner can read. */
export function readStoredKeys(file: string): StoredKeys {
  const found = readSecretText(file)
  if (found.is === 'missing') return { keys: new Map(), wasOpen: false }
  if (found.is === 'refused') throw refuse(file, found.why)
  const value = found.text.trim() === '' ? {} : parseJson(found.text)
  if (!isJsonObject(value)) throw refuse(file, 'it is not a JSON object')
  const keys = Object.entries(value).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string',
  )
  return { keys: new Map(keys), wasOpen: found.wasOpen }
}

/** What to say about a key file that others can read, before reading it ends that; null if only its owner can. */
export function noticeOpenFile(file: string): string | null {
  if (!isOpenToOthers(file)) return null
  return `Others could read the key file ${file} until now. If others use this machine, replace the keys in it.`
}

function refuse(file: string, why: string): ModelError {
  return new ModelError('auth', `The key file ${file} is not used: ${why}. Remove it, and run tongs setup.`)
}

/** Stores a key, or removes its entry; the other entries stay. The file is replaced whole. */
export function storeKey(file: string, entry: string, key: string | null): void {
  const { keys } = readStoredKeys(file)
  if (key === null && !keys.has(entry)) return
  const next = new Map(keys)
  if (key === null) next.delete(entry)
  else next.set(entry, key)
  replaceSecretText(file, `${JSON.stringify(Object.fromEntries(next), null, 2)}\n`)
}
