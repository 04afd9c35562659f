import type { RollBackRecord, StoredEntry } from '../entries/entry.ts'

/** How a call was rolled back after its commit, from the entries about it; null if it was not. */
export function rollBackOf(
  execution: string,
  entries: Iterable<StoredEntry>,
): (RollBackRecord & { readonly at: number }) | null {
  for (const { entry, at } of entries) {
    if (entry.kind !== 'undo' && entry.kind !== 'redo') continue
    if (entry.rollsBack?.execution === execution) return { ...entry.rollsBack, at }
  }
  return null
}
