import type { StoredEntry } from '../../journal/entries/entry.ts'
import type { LogReader, SessionLog } from '../../journal/log.ts'

/**
 * A log for judging only: it can be read like one that is owned, up to where `end` says, and nothing can be written to
 * it. The entries are read once, when they are first wanted.
 */
export function readingLog(reader: LogReader, end: () => number = () => Infinity): SessionLog {
  const { key, payload, openBatches } = reader
  let known: readonly StoredEntry[] | null = null

  function* entries(fromSeq: number): Generator<StoredEntry> {
    known ??= [...reader.entries()]
    const first = known[0]?.seq ?? 1
    const last = Math.min(known.length, end())
    for (let index = Math.max(0, fromSeq - first); index < last; index++) {
      const stored = known[index]
      if (stored !== undefined) yield stored
    }
  }

  const refuse = (): never => {
    throw new Error(`session ${key.name} is only being read`)
  }
  return {
    key,
    payload,
    openBatches,
    entries: (fromSeq = 1) => entries(fromSeq),
    latestSeq: () => {
      known ??= [...reader.entries()]
      return known[Math.min(known.length, end()) - 1]?.seq ?? 0
    },
    about: () => [],
    *newestFirst(kind) {
      for (const stored of [...entries(1)].toReversed())
        if (kind === undefined || stored.entry.kind === kind) yield stored
    },
    ledger: () => null,
    append: refuse,
    appendTogether: refuse,
    landed: refuse,
    synced: refuse,
    unlanded: () => [],
    erase: refuse,
    breach: null,
    close: () => undefined,
  }
}
