import { isSettingVariable, KEY_NAMES, SPECS } from './keys.ts'
import type { Key, Settings } from './keys.ts'
import { defaultOf } from './keys/key-spec.ts'
import type { MergedInput } from './merge-input.ts'
import type { Held } from './merge-layers.ts'
import type { LoadedSettings, SettingsInput, SettingsResult } from './settings-input.ts'

export type {
  ConfigProblem,
  FileText,
  LoadedSettings,
  SettingsInput,
  SettingsResult,
} from './settings-input.ts'

/** Builds the configuration from its layers, or reports everything that is wrong with them. */
export async function loadSettings(input: SettingsInput): Promise<SettingsResult> {
  if (isEmptyInput(input))
    return completeSettings({
      get: (key) => defaultOf(SPECS[key], 'agent'),
      personal: null,
      locate: () => null,
      notices: [],
    })
  // Loaded on demand: a run without any configuration need not wait for it.
  const { mergeInput } = await import('./merge-input.ts')
  const merged = await mergeInput(input)
  return merged.ok ? completeSettings(merged) : merged
}

type MergedSettings = Extract<MergedInput, { readonly ok: true }>

/** True if no layer sets anything, so that only the defaults apply. */
function isEmptyInput({
  profile,
  userFile,
  projectFile,
  env,
  configFile,
  preset,
  given,
  set,
  managedFile,
}: SettingsInput): boolean {
  const inputs = [profile, userFile, projectFile, configFile, preset, given, managedFile]
  return (
    inputs.every((one) => one === undefined) && set.length === 0 && !Object.keys(env).some(isSettingVariable)
  )
}

function completeSettings({ get, personal, locate, notices }: Omit<MergedSettings, 'ok'>): LoadedSettings {
  const settings = settingsOf(get)
  return {
    ok: true,
    settings,
    personal: personal === null ? settings : settingsOf(personal),
    origin: Object.freeze(
      Object.fromEntries(KEY_NAMES.map((key) => [key, get(key).origin])),
    ) as LoadedSettings['origin'],
    locate,
    notices,
  }
}

/** Complete, because it is built from the list of all keys and each value went through its key's reader. */
function settingsOf(get: (key: Key) => Held): Settings {
  return Object.freeze(
    Object.fromEntries(KEY_NAMES.map((key) => [key, freezeDeeply(get(key).value)])),
  ) as Settings
}

function freezeDeeply(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value
  for (const inner of Object.values(value)) freezeDeeply(inner)
  return Object.freeze(value)
}
