import type { SettingsView } from '../core/tool.ts'
import type { Settings } from './keys.ts'

/** Gives a tool's view of the settings its types back; the runtime only ever hands out complete settings. */
export function settingsOf(view: SettingsView): Settings {
  return view as Settings
}
