/** A map with the same entries. Going through them one by one makes no pair of each, as the constructor would. */
export function copyMap<Key, Value>(map: ReadonlyMap<Key, Value>): Map<Key, Value> {
  const copy = new Map<Key, Value>()
  map.forEach((value, key) => copy.set(key, value))
  return copy
}
