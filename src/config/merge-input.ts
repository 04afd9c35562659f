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
    locate: createItemLocator(layers),
    notices: merged.notices,
  }
}

function getFrom({ values, origin }: Merged): (key: Key) => Held {
  return (key) => ({ value: values.get(key), origin: origin.get(key) ?? '' })
}

/** Finds the strongest layer that contains an item. Each list is gone through once, however many items are asked for. */
function createItemLocator(layers: readonly Layer[]): LoadedSettings['locate'] {
  const places = new Map<Key, ReadonlyMap<string, () => string>>()
  return (key, item) => {
    const known = places.get(key) ?? placesIn(layers, key)
    places.set(key, known)
    return known.get(JSON.stringify(item))?.() ?? null
  }
}

function placesIn(layers: readonly Layer[], key: Key): ReadonlyMap<string, () => string> {
  const places = new Map<string, () => string>()
  for (const layer of layers.toReversed()) {
    const value = layer.values.get(key)
    for (const [index, item] of Array.isArray(value) ? value.entries() : []) {
      const text = JSON.stringify(item)
      if (!places.has(text)) places.set(text, () => layer.locateItem(key, index))
    }
  }
  return places
}
