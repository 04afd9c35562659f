/** How often each value is in a list. */
export function occurrences(list) {
  const counts = new Map()
  for (const value of list) counts.set(value, (counts.get(value) ?? 0) + 1)
  return counts
}

/** The value that is there most often. */
export function mode(list) {
  return [...occurrences(list)].toSorted((one, other) => other[1] - one[1])[0]?.[0]
}
