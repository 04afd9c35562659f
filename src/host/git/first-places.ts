import type { Layer } from '../../core/layer.ts'
import type { GitPlace } from './git-places.ts'

const known = new WeakMap<Layer, Map<string, GitPlace>>()

/** Notes what decided about git when a process of a layer started: a command may remove a link that led there. */
export function noteFirstPlaces(layer: Layer, places: readonly GitPlace[]): void {
  const noted = known.get(layer) ?? new Map<string, GitPlace>()
  for (const place of places) noted.set(place.path, place)
  known.set(layer, noted)
}

/** What decided about git when processes of a layer started; none if that is not known. */
export function firstPlacesOf(layer: Layer): readonly GitPlace[] {
  return [...(known.get(layer)?.values() ?? [])]
}
