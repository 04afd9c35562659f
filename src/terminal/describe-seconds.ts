const UNITS = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
] as const

/** A duration as one says it. */
export function describeSeconds(seconds: number): string {
  const [unit, length] = UNITS.find(([, size]) => seconds % size === 0) ?? ['second', 1]
  const count = seconds / length
  return count === 1 ? `one ${unit}` : `${count} ${unit}s`
}
