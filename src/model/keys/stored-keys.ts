import { errnoOf } from '../../host/fs/errno.ts'
import { changeKeyEntries, readKeyEntries } from '../../host/fs/key-file.ts'
import type { KeyEntries } from '../../host/fs/key-file.ts'
import { plainUrl } from '../model-spec.ts'
import type { OnOpenFile } from './key-sources.ts'
import { ModelError } from '../model-client.ts'

/** The keys in the user's key file, by the name of their entry. */
export type StoredKeys = ReadonlyMap<string, string>

/** The entry of a provider's key. A key for another server is stored with its address, and is never sent elsewhere. */
export function entryFor(provider: string, baseUrl: string | null): string {
  return baseUrl === null ? provider : `${provider} ${plainUrl(baseUrl)}`
}

/**
 * Reads the key file; throws a ModelError if it is not a plain file of its owner. If others could read it, that is ended
 * and said.
 */
export function readStoredKeys(file: string, onOpenFile?: OnOpenFile): StoredKeys {
  const found = readKeyEntries(file)
  if (!found.ok) throw refuse(file, found.why)
  if (found.wasOpen)
    onOpenFile?.(
      `Others could read the key file ${file} until now. If others use this machine, replace the keys in it.`,
    )
  return found.entries
}

function refuse(file: string, why: string): ModelError {
  return new ModelError('auth', `The key file ${file} is not used: ${why}. Remove it, and run tongs setup.`)
}

/** Stores a key, or removes its entry; the other entries stay. The file is replaced whole. */
export function storeKey(file: string, entry: string, key: string | null, onOpenFile?: OnOpenFile): void {
  const keys = readStoredKeys(file, onOpenFile)
  if (key === null && !keys.has(entry)) return
  let found: KeyEntries
  try {
    found = changeKeyEntries(file, () => new Map([[entry, key]]))
  } catch (error) {
    throw new ModelError(
      'auth',
      `The key file ${file} cannot be written (${errnoOf(error)}). Check its folder, and run tongs setup again.`,
    )
  }
  if (!found.ok) throw refuse(file, found.why)
}
