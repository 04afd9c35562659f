import { DELEGATION } from '../../../journal/entries/delegated-entry.ts'
import type { BatchEntry, StoredEntry } from '../../../journal/entries/entry.ts'
import type { SessionLog } from '../../../journal/log.ts'

/** A batch with the entries about it and its calls, oldest first. */
export interface BatchRecord {
  /** The place of its entry in the log. */
  readonly seq: number
  readonly batch: BatchEntry
  readonly entries: readonly StoredEntry[]
}

/** Entries about a batch rather than about one of its calls. */
const BATCH_ENTRIES: ReadonlySet<string> = new Set(['asked', 'answered', 'continued', 'held', 'parked'])

/** The batches that the tables list as open, and those of the doubtful calls, oldest first. */
export function collectBatches(log: SessionLog, doubtful: Iterable<string>): readonly BatchRecord[] {
  const places = new Set(log.openBatches().map(({ seq }) => seq))
  for (const execution of doubtful) {
    const place = log.about(execution).find(({ entry }) => entry.kind === 'batch')?.seq
    if (place !== undefined) places.add(place)
  }
  return [...places]
    .toSorted((one, other) => one - other)
    .flatMap((seq) => recordOf(seq, log.aboutBatch(seq)) ?? [])
}

/**
 * The batches from a place on with a call that has no result, and those that are known already, as the entries tell them:
 * whatever the tables say about them.
 */
export function readOpenFrom(
  from: number,
  known: readonly BatchRecord[],
  log: SessionLog,
): readonly BatchRecord[] {
  const entries = [...log.entries(from)]
  const isKnown = new Set(known.map(({ seq }) => seq))
  return entries
    .flatMap(({ seq, entry }) => (entry.kind === 'batch' ? (recordOf(seq, entries) ?? []) : []))
    .filter((record) => isKnown.has(record.seq) || settledIn(record).size < record.batch.calls.length)
}

function recordOf(seq: number, about: readonly StoredEntry[]): BatchRecord | null {
  const batch = about.find((stored) => stored.seq === seq)?.entry
  if (batch?.kind !== 'batch') return null
  const own = new Set(batch.calls.map(({ execution }) => execution))
  const entries = about.filter(({ entry }) =>
    entry.kind === 'settled' || entry.kind === 'started' || entry.kind === 'landing'
      ? own.has(entry.execution)
      : entry.kind === 'note' && entry.about === DELEGATION
        ? own.has(entry.execution ?? '')
        : BATCH_ENTRIES.has(entry.kind) && 'batch' in entry && entry.batch === batch.batch,
  )
  return { seq, batch, entries }
}

/** The calls of a batch that have a result. */
export function settledIn({ entries }: BatchRecord): ReadonlySet<string> {
  return new Set(entries.flatMap(({ entry }) => (entry.kind === 'settled' ? [entry.execution] : [])))
}
