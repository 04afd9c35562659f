import type { Received } from '../step.ts'

/** Marks the calls of a batch that are in it so often that their failures could add up to too many. */
export function markRepeated(calls: readonly Received[], most: number): readonly Received[] {
  if (most === 0 || calls.length <= most) return calls
  const keys = calls.map(keyOf)
  const counts = new Map<string, number>()
  for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1)
  return calls.map((call, index) =>
    (counts.get(keys[index] ?? '') ?? 0) > most ? { ...call, isRepeated: true } : call,
  )
}

function keyOf({ name, onRecord }: Received): string {
  return `${name}|${onRecord.digest}`
}
