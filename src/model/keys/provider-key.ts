import { keyFile } from '../../host/fs/folders.ts'
import { plainUrl } from '../model-spec.ts'
import { ModelError } from '../model-client.ts'
import { PROVIDERS } from '../providers.ts'
import type { Provider, ProviderName } from '../providers.ts'
import { isKey, printKey } from './key-command.ts'
import type { KeyCommand, KeySources, KeyWorld, OnOpenFile } from './key-sources.ts'
import { entryFor, readStoredKeys } from './stored-keys.ts'

/** The places of the user's own keys. */
export function personalKeys(
  { env, roots }: KeyWorld,
  command: KeyCommand | null,
  onOpenFile?: OnOpenFile,
): KeySources {
  return { env, roots, file: keyFile(env), command, ...(onOpenFile === undefined ? {} : { onOpenFile }) }
}

/** The provider of a key, and the server if it is not the provider's own. */
export interface KeyPurpose {
  readonly provider: ProviderName
  readonly baseUrl: string | null
}

/** Where a key was found; never the key itself. */
export type KeyPlace =
  | { readonly is: 'command' }
  | { readonly is: 'file'; readonly file: string }
  | { readonly is: 'env'; readonly name: string }

/**
 * Where the key for a purpose is, without running a command: what was set up in Tongs itself first, then the environment.
 * Null if there is none.
 */
export function findKeyPlace(purpose: KeyPurpose, sources: KeySources): KeyPlace | null {
  const { env, file, command, onOpenFile } = sources
  if (command !== null && isFor(command, purpose)) return { is: 'command' }
  if (file !== null && readStoredKeys(file, onOpenFile).has(entryFor(purpose.provider, purpose.baseUrl)))
    return { is: 'file', file }
  const { keyNames }: Provider = PROVIDERS[purpose.provider]
  const name = keyNames.find((one) => isSet(env[one]))
  return name === undefined ? null : { is: 'env', name }
}

/** The key at a place; throws a ModelError if there is none that can be sent. The signal stops a command. */
export async function readKeyAt(
  place: KeyPlace,
  { provider, baseUrl }: KeyPurpose,
  sources: KeySources,
  signal?: AbortSignal,
): Promise<string> {
  const { env, command, onOpenFile } = sources
  if (place.is === 'command')
    return printKey(command?.words ?? [], sources, signal === undefined ? {} : { signal })
  const key =
    place.is === 'env'
      ? (env[place.name]?.trim() ?? '')
      : (readStoredKeys(place.file, onOpenFile).get(entryFor(provider, baseUrl))?.trim() ?? '')
  if (isKey(key)) return key
  const name = place.is === 'env' ? place.name : `The key of ${provider} in ${place.file}`
  throw new ModelError('auth', `${name} contains characters that no key has. Set it again.`)
}

/** A place in words, as the end of "Check …". */
export function describePlace(place: KeyPlace): string {
  if (place.is === 'command') return 'what model.key_command prints'
  return place.is === 'env' ? place.name : `the key in ${place.file}`
}

/** The key of one provider is never sent to another, nor to another server. */
function isFor(command: KeyCommand, { provider, baseUrl }: KeyPurpose): boolean {
  if (command.words.length === 0) return false
  if (command.provider === null) return true
  return command.provider === provider && plainUrl(command.baseUrl ?? '') === plainUrl(baseUrl ?? '')
}

function isSet(value: string | undefined): value is string {
  return value !== undefined && value.trim() !== ''
}
