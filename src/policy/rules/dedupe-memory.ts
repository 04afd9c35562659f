import { HistoryMap } from './history-map.ts'

/** A success that later calls are compared with. */
export interface DedupedCall {
  readonly execution: string
  /** Epoch milliseconds. */
  readonly at: number
}

/** The successes since the workspace last changed; a change makes earlier ones irrelevant. */
export interface DedupeMemory {
  readonly counter: number
  readonly successes: HistoryMap<DedupedCall>
}

export const EMPTY_DEDUPE_MEMORY: DedupeMemory = { counter: 0, successes: HistoryMap.of() }

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

/** The success that a call would repeat, or null. */
export function findSuccess(memory: DedupeMemory, call: RepeatableCall): DedupedCall | null {
  return memory.successes.get(dedupeKey(call)) ?? null
}

/** Adds a success; one from before the latest change can never be repeated, so it is left out. */
export function addSuccess(memory: DedupeMemory, call: RepeatableCall, success: DedupedCall): DedupeMemory {
  const { workspaceCounter: counter } = call
  if (counter < memory.counter) return memory
  const successes = counter > memory.counter ? HistoryMap.of<DedupedCall>() : memory.successes
  return { counter, successes: successes.with(dedupeKey(call), success) }
}

/** Maps every success; null drops it. */
export function mapSuccesses(
  { counter, successes }: DedupeMemory,
  change: (success: DedupedCall) => DedupedCall | null,
): DedupeMemory {
  const changed = [...successes].flatMap(([key, success]) => {
    const after = change(success)
    return after === null ? [] : [[key, after] as const]
  })
  return { counter, successes: HistoryMap.of(changed) }
}

/** Copies a map; unlike the constructor, this does not allocate a pair for each entry. */
export function copyMap<Key, Value>(map: ReadonlyMap<Key, Value>): Map<Key, Value> {
  const copy = new Map<Key, Value>()
  map.forEach((value, key) => copy.set(key, value))
  return copy
}
