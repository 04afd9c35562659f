/** A success that a repetition is measured against. */
export interface Remembered {
  readonly execution: string
  /** Epoch milliseconds. */
  readonly at: number
}

type Shard = ReadonlyMap<string, Remembered>

/**
 * The successes since the workspace last changed; a change makes every earlier one irrelevant. They lie in shards, so
 * that remembering one more copies little, however many there are.
 */
export interface DedupeMemory {
  readonly counter: number
  readonly shards: ReadonlyMap<string, Shard>
}

export const NOTHING_REMEMBERED: DedupeMemory = { counter: 0, shards: new Map() }

/** The same text for the same call on the same workspace. */
export function dedupeKey(tool: string, argsDigest: string, workspaceCounter: number): string {
  return `${tool}|${argsDigest}|${workspaceCounter}`
}

function shardOf(argsDigest: string): string {
  return argsDigest.slice(-2)
}

/** The success that a call would repeat, or null. */
export function recall(
  memory: DedupeMemory,
  tool: string,
  argsDigest: string,
  counter: number,
): Remembered | null {
  if (counter !== memory.counter) return null
  return memory.shards.get(shardOf(argsDigest))?.get(dedupeKey(tool, argsDigest, counter)) ?? null
}

/** Remembers a success; one from before the latest change can never be repeated and is not kept. */
export function remember(
  memory: DedupeMemory,
  tool: string,
  argsDigest: string,
  counter: number,
  success: Remembered,
): DedupeMemory {
  if (counter < memory.counter) return memory
  const shards = new Map(counter > memory.counter ? [] : memory.shards)
  const shard = new Map(shards.get(shardOf(argsDigest)))
  shard.set(dedupeKey(tool, argsDigest, counter), success)
  return { counter, shards: shards.set(shardOf(argsDigest), shard) }
}

/** Puts every success through a sieve that keeps it, changes it or drops it. */
export function sift(memory: DedupeMemory, keep: (success: Remembered) => Remembered | null): DedupeMemory {
  const shards = new Map<string, Shard>()
  for (const [name, shard] of memory.shards) {
    const kept = new Map<string, Remembered>()
    for (const [key, success] of shard) {
      const after = keep(success)
      if (after !== null) kept.set(key, after)
    }
    if (kept.size > 0) shards.set(name, kept)
  }
  return { counter: memory.counter, shards }
}
