import type { Entry, StoredEntry } from '../entries/entry.ts'

/** What a session holds, in numbers. */
export interface SessionCounts {
  readonly name: string
  /** Messages of the user and of the model. */
  readonly messages: number
  readonly calls: number
  /** Epoch milliseconds. */
  readonly createdAt: number
  readonly updatedAt: number
  /** Which of the kinds that a list of sessions reads are in it; most sessions lack some, and need not be looked at. */
  readonly kinds: readonly ListedKind[]
}

/** Entries that the title, the preset and the model of a session are read from. */
export const LISTED_KINDS = ['titled', 'said', 'opened', 'note'] as const satisfies readonly Entry['kind'][]

export type ListedKind = (typeof LISTED_KINDS)[number]

/** When a session was last used for something, in epoch milliseconds. */
export interface LastUse {
  readonly name: string
  readonly at: number
}

/** Entries that only `run` and the app write. */
export const USED_KINDS = ['said', 'opened'] as const satisfies readonly Entry['kind'][]

/** Entries after which a turn that had stopped can go on. */
export const PAUSE_KINDS = ['continued', 'recovered', 'held'] as const satisfies readonly Entry['kind'][]

/** Counts by reading every entry, for a journal in memory. */
export function countEntries(name: string, entries: Iterable<StoredEntry>): SessionCounts {
  let messages = 0
  let calls = 0
  let createdAt: number | null = null
  let updatedAt = 0
  const kinds = new Set<Entry['kind']>()
  for (const { entry, at } of entries) {
    createdAt ??= at
    updatedAt = at
    kinds.add(entry.kind)
    if (entry.kind === 'said' && entry.role !== 'tool') messages++
    if (entry.kind === 'batch') calls += entry.calls.length
  }
  return {
    name,
    messages,
    calls,
    createdAt: createdAt ?? 0,
    updatedAt,
    kinds: LISTED_KINDS.filter((kind) => kinds.has(kind)),
  }
}
