import type { Clock } from '../../core/clock.ts'
import { CHAIN_START, chainHash, sessionId } from '../chain/chain.ts'
import type { Digest, Entry, FileChange, SessionKey, StoredEntry } from '../entries/entry.ts'
import { ledgerChanges } from './ledger.ts'
import type { Append, LedgerRow, OpenBatch, Unlanded } from '../log.ts'
import { changesOf, executionsOf } from '../entries/mentions.ts'

/** A session's log in memory, whoever has it open. */
export interface MemorySession {
  readonly key: SessionKey
  /** How many entries there are, which is the number of the newest. */
  readonly size: () => number
  /** When something was last written; 0 where nothing was. */
  readonly lastAt: () => number
  readonly at: (seq: number) => StoredEntry | null
  readonly read: (fromSeq?: number) => Iterable<StoredEntry>
  readonly append: (what: Pick<Append, 'entries' | 'seen' | 'unseen'>) => readonly StoredEntry[]
  readonly about: (execution: string) => readonly StoredEntry[]
  /** The executions any entry is about. */
  readonly executions: () => Iterable<string>
  readonly ledger: (path: string) => LedgerRow | null
  readonly openBatches: () => readonly OpenBatch[]
  readonly unlanded: () => readonly Unlanded[]
  readonly landed: (execution: string) => void
}

/** An entry as it is read. It is hashed when somebody asks: most are never asked about. */
class ReadEntry implements StoredEntry {
  readonly session: SessionKey
  readonly seq: number
  readonly at: number
  readonly entry: Entry
  readonly #hashAt: (seq: number) => Digest

  constructor(session: SessionKey, seq: number, at: number, entry: Entry, hashAt: (seq: number) => Digest) {
    this.session = session
    this.seq = seq
    this.at = at
    this.entry = entry
    this.#hashAt = hashAt
  }

  get hash(): Digest {
    return this.#hashAt(this.seq)
  }
}

/** Begins a log in memory. Entries are only put down; whatever follows from them is worked out when somebody asks. */
export function createMemorySession(key: SessionKey, clock: Clock): MemorySession {
  const entries: Entry[] = []
  const times: number[] = []
  const hashes: Digest[] = [CHAIN_START]
  const ledger = new Map<string, LedgerRow>()
  const unlanded = new Map<
    string,
    { readonly changes: readonly FileChange[]; readonly committedAt: number }
  >()
  /** The calls without a result, each with its batch, and where every call is mentioned: as far as was looked. */
  const open = new Map<string, OpenBatch>()
  const mentions = new Map<string, number[]>()
  let indexed = 0

  function hashAt(seq: number): Digest {
    const id = sessionId(key)
    for (let next = hashes.length; next <= seq; next++) {
      const body = JSON.stringify(entries[next - 1])
      hashes.push(chainHash(hashes[next - 1] ?? CHAIN_START, id, next, times[next - 1] ?? 0, body))
    }
    return hashes[seq] ?? CHAIN_START
  }

  function at(seq: number): StoredEntry | null {
    const entry = entries[seq - 1]
    return entry === undefined ? null : new ReadEntry(key, seq, times[seq - 1] ?? 0, entry, hashAt)
  }

  function* read(fromSeq = 1): Iterable<StoredEntry> {
    for (let seq = fromSeq; seq <= entries.length; seq++) {
      const stored = at(seq)
      if (stored !== null) yield stored
    }
  }

  function append(what: Pick<Append, 'entries' | 'seen' | 'unseen'>): readonly StoredEntry[] {
    const now = Math.trunc(clock.now())
    const added: StoredEntry[] = []
    for (const entry of what.entries) {
      entries.push(entry)
      times.push(now)
      added.push(new ReadEntry(key, entries.length, now, entry, hashAt))
      const changes = changesOf(entry)
      if (changes.length > 0 && 'execution' in entry && entry.execution !== null)
        unlanded.set(entry.execution, { changes, committedAt: now })
    }
    for (const [path, row] of ledgerChanges(what, (one) => ledger.get(one) ?? null)) {
      if (row === null) ledger.delete(path)
      else ledger.set(path, row)
    }
    return added
  }

  function catchUp(): void {
    for (; indexed < entries.length; indexed++) {
      const entry = entries[indexed]
      if (entry === undefined) break
      if (entry.kind === 'batch') {
        const batch = { session: key, batch: entry.batch, seq: indexed + 1 }
        for (const { execution } of entry.calls) open.set(execution, batch)
      }
      if (entry.kind === 'settled') open.delete(entry.execution)
      for (const execution of new Set(executionsOf(entry))) {
        const known = mentions.get(execution)
        if (known === undefined) mentions.set(execution, [indexed + 1])
        else known.push(indexed + 1)
      }
    }
  }

  return {
    key,
    size: () => entries.length,
    lastAt: () => times.at(-1) ?? 0,
    at,
    read,
    append,
    about: (execution) => {
      catchUp()
      return (mentions.get(execution) ?? []).flatMap((seq) => at(seq) ?? [])
    },
    executions: () => {
      catchUp()
      return mentions.keys()
    },
    ledger: (path) => ledger.get(path) ?? null,
    openBatches: () => {
      catchUp()
      return [...new Set(open.values())]
    },
    unlanded: () =>
      [...unlanded].map(([execution, commit]) => ({
        session: key,
        execution,
        ...commit,
        isOfEarlierBoot: false,
      })),
    landed: (execution) => {
      unlanded.delete(execution)
    },
  }
}
