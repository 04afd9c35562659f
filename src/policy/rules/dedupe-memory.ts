/** A success that later calls are compared with. */
export interface DedupedCall {
  readonly execution: string
  /** Epoch milliseconds. */
  readonly at: number
}

type Shard = ReadonlyMap<string, DedupedCall>

/**
 * The successes since the workspace last changed; a change makes earlier ones irrelevant. They are split into shards,
 * so that adding one copies little, however many there are.
 */
export interface DedupeMemory {
  readonly counter: number
  readonly shards: readonly Shard[]
}

const SHARDS = 256
const EMPTY: Shard = new Map()
const NO_SHARDS: readonly Shard[] = Array.from({ length: SHARDS }, () => EMPTY)

export const EMPTY_DEDUPE_MEMORY: DedupeMemory = { counter: 0, shards: NO_SHARDS }

/** What identifies a call: the tool, its arguments, and the state of the workspace. */
export interface RepeatableCall {
  readonly tool: string
  readonly argsDigest: string
  readonly workspaceCounter: number
}

/** The same key for the same call on the same workspace. */
function dedupeKey({ tool, argsDigest, workspaceCounter }: RepeatableCall): string {
  return `${tool}|${argsDigest}|${workspaceCounter}`
}

/** Digests are hexadecimal, so any two digits distribute them evenly. */
function shardOf(argsDigest: string): number {
  const index = Number.parseInt(argsDigest.slice(-2), 16)
  return index >= 0 && index < SHARDS ? index : 0
}

/** The success that a call would repeat, or null. */
export function findSuccess(memory: DedupeMemory, call: RepeatableCall): DedupedCall | null {
  return memory.shards[shardOf(call.argsDigest)]?.get(dedupeKey(call)) ?? null
}

/** Adds a success; one from before the latest change can never be repeated, so it is left out. */
export function addSuccess(memory: DedupeMemory, call: RepeatableCall, success: DedupedCall): DedupeMemory {
  const { workspaceCounter: counter } = call
  if (counter < memory.counter) return memory
  const shards = counter > memory.counter ? NO_SHARDS : memory.shards
  const index = shardOf(call.argsDigest)
  const shard = copyMap(shards[index] ?? EMPTY).set(dedupeKey(call), success)
  return { counter, shards: shards.with(index, shard) }
}

/** Maps every success; null drops it. */
export function mapSuccesses(
  memory: DedupeMemory,
  change: (success: DedupedCall) => DedupedCall | null,
): DedupeMemory {
  const shards = memory.shards.map((shard): Shard => {
    const changed = new Map<string, DedupedCall>()
    for (const [key, success] of shard) {
      const after = change(success)
      if (after !== null) changed.set(key, after)
    }
    return changed
  })
  return { counter: memory.counter, shards }
}

/** Copies a map; unlike the constructor, this does not allocate a pair for each entry. */
export function copyMap<Key, Value>(map: ReadonlyMap<Key, Value>): Map<Key, Value> {
  const copy = new Map<Key, Value>()
  map.forEach((value, key) => copy.set(key, value))
  return copy
}
