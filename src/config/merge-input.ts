import type { Key } from './keys.ts'
import { mergeLayers } from './merge-layers.ts'
import type { Held } from './merge-layers.ts'
import { readLayers } from './read-layers.ts'
import type { Layer } from './layer.ts'
import type { ConfigProblem, LoadedSettings, SettingsInput } from './settings-input.ts'
import { settleRelations } from './settle-relations.ts'

export type MergedInput =
  | {
      readonly ok: true
      readonly get: (key: Key) => Held
      readonly locate: LoadedSettings['locate']
      readonly notices: readonly string[]
    }
  | { readonly ok: false; readonly problems: readonly ConfigProblem[] }

/** Reads all layers and merges them. */
export async function mergeInput(input: SettingsInput): Promise<MergedInput> {
  const readings = await readLayers(input)
  const misread = readings.flatMap((reading) => reading.problems)
  if (misread.length > 0) return { ok: false, problems: misread }
  const layers = readings.map((reading) => reading.layer)
  const merged = mergeLayers(layers)
  const contradictions = settleRelations(merged, layers)
  if (contradictions.length > 0) return { ok: false, problems: contradictions }
  const get = (key: Key): Held => ({ value: merged.values.get(key), origin: merged.origin.get(key) ?? '' })
  return { ok: true, get, locate: (key, item) => locateItem(layers, key, item), notices: merged.notices }
}

/** The strongest layer that contains the item. */
function locateItem(layers: readonly Layer[], key: Key, item: unknown): string | null {
  const text = JSON.stringify(item)
  for (const layer of layers.toReversed()) {
    const value = layer.values.get(key)
    const index = Array.isArray(value) ? value.findIndex((one) => JSON.stringify(one) === text) : -1
    if (index >= 0) return layer.locateItem(key, index)
  }
  return null
}
