import type { Key, Settings } from './keys.ts'

/** A preset: a named set of values. */
export interface Preset {
  readonly says: string
  readonly values: { readonly [K in Key]?: Settings[K] }
}

/** The keys that a preset may loosen; everything else in it only tightens, so that no preset lifts a denial. */
export const LOOSENED_BY_PRESETS: ReadonlySet<Key> = new Set(['tools.approval.approved_effects'])

const asking = { 'tools.approval.mode': 'prompt', 'tools.approval.prompt_side_effects': true } as const

/** Every preset, from the tightest to the loosest. */
export const PRESETS = {
  plan: {
    says: 'Read-only: every call that would do more than read is refused.',
    values: {
      ...asking,
      'tools.approval.allowed_effects': ['read'],
      'tools.approval.approved_effects': [],
    },
  },
  ask: {
    says: 'Asks before anything that has an effect.',
    values: { ...asking, 'tools.approval.approved_effects': [] },
  },
  edits: {
    says: 'Edits that undo can revert exactly run without asking; the rest asks.',
    values: { ...asking, 'tools.approval.approved_effects': ['edit'] },
  },
  auto: {
    says: 'Such edits, and commands sandboxed without network, run without asking; the rest asks.',
    values: { ...asking, 'tools.approval.approved_effects': ['edit', 'spawn'] },
  },
} as const satisfies Readonly<Record<string, Preset>>

/** The name of a preset. */
export type PresetName = keyof typeof PRESETS

/** All of them, in order. */
export const PRESET_NAMES: readonly PresetName[] = Object.keys(PRESETS).filter(isPresetName)

/** True for the name of a preset, but not for names of prototype members. */
export function isPresetName(name: string): name is PresetName {
  return Object.hasOwn(PRESETS, name)
}

/** The preset that the settings amount to, the tightest if several match; null if none does. */
export function findPreset(settings: Settings): PresetName | null {
  return PRESET_NAMES.find((name) => isLike(settings, PRESETS[name].values)) ?? null
}

function isLike(settings: Settings, values: Preset['values']): boolean {
  return Object.entries(values).every(
    ([key, value]) => JSON.stringify(settings[key as Key]) === JSON.stringify(value),
  )
}
