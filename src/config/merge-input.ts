import type { Key } from './keys.ts'
import { mergeLayers } from './merge-layers.ts'
import type { Held } from './merge-layers.ts'
import { readLayers } from './read-layers.ts'
import type { ConfigProblem, SettingsInput } from './settings-input.ts'
import { settleRelations } from './settle-relations.ts'

export type MergedInput =
  | { readonly ok: true; readonly get: (key: Key) => Held; readonly notices: readonly string[] }
  | { readonly ok: false; readonly problems: readonly ConfigProblem[] }

/** Reads all layers and lays them over each other. */
export async function mergeInput(input: SettingsInput): Promise<MergedInput> {
  const readings = await readLayers(input)
  const misread = readings.flatMap((reading) => reading.problems)
  if (misread.length > 0) return { ok: false, problems: misread }
  const layers = readings.map((reading) => reading.layer)
  const merged = mergeLayers(layers)
  const contradictions = settleRelations(merged, layers)
  if (contradictions.length > 0) return { ok: false, problems: contradictions }
  const get = (key: Key): Held => ({ value: merged.values.get(key), origin: merged.origin.get(key) ?? '' })
  return { ok: true, get, notices: merged.notices }
}
