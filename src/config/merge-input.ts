import type { Key } from './keys.ts'
import { isFromProject, mergeLayers } from './merge-layers.ts'
import type { Held, Merged } from './merge-layers.ts'
import { readLayers } from './read-layers.ts'
import type { Layer } from './layer.ts'
import type { ConfigProblem, LoadedSettings, SettingsInput } from './settings-input.ts'
import { settleRelations } from './settle-relations.ts'

export type MergedInput =
  | {
      readonly ok: true
      readonly get: (key: Key) => Held
      /** What would hold without the project's file; null if there is none. */
      readonly personal: ((key: Key) => Held) | null
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
  const own = layers.filter(({ authority }) => !isFromProject(authority))
  return {
    ok: true,
    get: getFrom(merged),
    personal: own.length === layers.length ? null : getFrom(mergeLayers(own)),
    locate: (key, item) => locateItem(layers, key, item),
    notices: merged.notices,
  }
}

function getFrom({ values, origin }: Merged): (key: Key) => Held {
  return (key) => ({ value: values.get(key), origin: origin.get(key) ?? '' })
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
