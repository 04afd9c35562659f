import type { TableChange } from '../config/toml/edit-toml.ts'
import type { Settings } from '../config/keys.ts'
import { homeFolders, isInside, keyFile } from '../host/fs/folders.ts'
import type { Environment } from '../host/fs/folders.ts'
import type { OnOpenFile } from '../model/keys/key-sources.ts'
import { entryFor, storeKey } from '../model/keys/stored-keys.ts'
import type { ProviderName } from '../model/providers.ts'
import { prepareUserChange } from '../runtime/configure/user-configuration.ts'

/** A key that setup works with, and how it is kept. */
export type SetupKey =
  /** Found where it stays. */
  | {
      readonly from: 'found'
      readonly key: string
      readonly isFromCommand: boolean
      readonly isStored: boolean
    }
  | { readonly from: 'typed'; readonly key: string }
  | { readonly from: 'command'; readonly key: string; readonly words: readonly string[] }
  | { readonly from: 'nowhere'; readonly key: null }

/** What was chosen. */
export interface ChosenModel {
  readonly spec: string
  readonly provider: ProviderName
  readonly baseUrl: string | null
  readonly key: SetupKey
  /** Typed by the person, because nothing else tells it. */
  readonly contextTokens: number | null
}

/** Whose files are written, and what they say until now. */
export interface SetupFiles {
  readonly env: Environment
  readonly settings: Settings
}

/**
 * Writes what was chosen to the user's own files: a new key first, because a model without its key would not work; an old
 * one goes last, because the model that was set up before needs it if the configuration cannot be written.
 */
export async function saveSetup(
  chosen: ChosenModel,
  { env, settings }: SetupFiles,
  onOpenFile?: OnOpenFile,
): Promise<readonly string[]> {
  const { spec, provider, baseUrl, key } = chosen
  const { write, file } = await prepareUserChange(env, 'model', changeFor(chosen, settings))
  const keys = keyFile(env)
  const entry = entryFor(provider, baseUrl)
  if (key.from === 'typed') storeKey(keys, entry, key.key, onOpenFile)
  write()
  // What is used from now on must not be hidden behind a key that was stored earlier.
  const isKept = key.from === 'typed' || (key.from === 'found' && key.isStored)
  if (!isKept) storeKey(keys, entry, null, onOpenFile)
  const overriding = env['TONGS_MODEL'] ?? ''
  const isLost = settings['model.key_command'].length > 0 && !keepsCommand(key)
  return [
    `${spec} is set up, in ${file}.`,
    ...(key.from === 'typed' ? [`The key is in ${keys}, which only you can read.`] : []),
    ...(isLost ? ['model.key_command was removed: it belonged to the model that was set up before.'] : []),
    ...(overriding === '' || overriding === spec
      ? []
      : [`TONGS_MODEL is set to ${overriding}, which counts more. Unset it to use ${spec}.`]),
  ]
}

function keepsCommand(key: SetupKey): boolean {
  return key.from === 'command' || (key.from === 'found' && key.isFromCommand)
}

function changeFor({ spec, baseUrl, key, contextTokens }: ChosenModel, settings: Settings): TableChange {
  const isOther = settings['model.name'] !== spec
  return {
    name: spec,
    base_url: baseUrl,
    ...(key.from === 'command' ? { key_command: key.words } : keepsCommand(key) ? {} : { key_command: null }),
    // A size that was set for another model would be wrong for this one.
    ...(contextTokens !== null ? { context_tokens: contextTokens } : isOther ? { context_tokens: null } : {}),
  }
}

/** Why a key must not be stored, or null: the key file would lie in a folder that tools work in. */
export function whyNotStored(env: Environment, root: string): string | null {
  const file = keyFile(env)
  if (!isInside(file, root) || homeFolders(env).some((home) => isInside(home, root))) return null
  return `A key is not stored in ${file}, because that is inside the workspace ${root}.`
}
