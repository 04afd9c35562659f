import { conversationKeys } from './keys/conversation-keys.ts'
import { fileKeys } from './keys/file-keys.ts'
import { capabilityKeys, guardKeys, serverKeys, webKeys } from './keys/guard-keys.ts'
import type { KeySpec } from './keys/key-spec.ts'
import { loopKeys } from './keys/loop-keys.ts'
import { runKeys } from './keys/run-keys.ts'
import { layerKeys, shellKeys } from './keys/shell-keys.ts'
import { uiKeys } from './keys/ui-keys.ts'
import type { SettingsView } from '../core/tool.ts'

/** Every configuration key, defined once. */
export const KEYS = {
  ...loopKeys,
  ...guardKeys,
  ...capabilityKeys,
  ...fileKeys,
  ...runKeys,
  ...shellKeys,
  ...layerKeys,
  ...webKeys,
  ...serverKeys,
  ...uiKeys,
  ...conversationKeys,
} as const

/** The full dotted name of a key. */
export type Key = keyof typeof KEYS

/** The TypeScript type of a key's value. */
export type ValueOf<K extends Key> = (typeof KEYS)[K] extends KeySpec<infer T> ? T : never

/** The configuration after loading: every key has its value. */
export type Settings = { readonly [K in Key]: ValueOf<K> }

export type Profile = ValueOf<'profile'>

/** The table without the value types, for code that treats all keys alike. */
export const SPECS: Readonly<Record<Key, KeySpec<unknown>>> = KEYS

/** All key names, in the order they are listed here. */
export const KEY_NAMES: readonly Key[] = Object.keys(KEYS).filter(isKey)

/** Every table that holds keys: `tools`, `tools.output` and so on. */
export const SECTIONS: ReadonlySet<string> = new Set(KEY_NAMES.flatMap(sectionsOf))

/** True for the name of a key, but not for names of prototype members. */
export function isKey(name: string): name is Key {
  return Object.hasOwn(KEYS, name)
}

/** True for a variable that is a setting: two underscores separate the levels of a key. */
export function isSettingVariable(name: string): boolean {
  return /^TONGS__/i.test(name)
}

function sectionsOf(name: string): string[] {
  const parts = name.split('.')
  return parts.slice(1).map((_, index) => parts.slice(0, index + 1).join('.'))
}

/** Restores the types of a tool's view of the settings; the runtime only ever passes complete settings. */
export function settingsOf(view: SettingsView): Settings {
  return view as Settings
}
