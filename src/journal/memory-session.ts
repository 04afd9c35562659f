import type { Clock } from '../core/clock.ts'
import { CHAIN_START, chainHash, sessionId } from './chain.ts'
import type { Digest, Entry, FileChange, SessionKey, StoredEntry } from './entry.ts'
import { ledgerChanges } from './ledger.ts'
import type { Append, LedgerRow, OpenBatch, Unlanded } from './log.ts'
import { changesOf, executionsOf } from './mentions.ts'

/** A session's log in memory, whoever has it open. */
export interface MemorySession {
  readonly key: SessionKey
  readonly entries: readonly StoredEntry[]
  readonly append: (what: Pick<Append, 'entries' | 'seen' | 'unseen'>) => readonly StoredEntry[]
  readonly about: (execution: string) => readonly StoredEntry[]
  /** The executions any entry is about. */
  readonly executions: () => Iterable<string>
  readonly ledger: (path: string) => LedgerRow | null
  readonly openBatches: () => readonly OpenBatch[]
  readonly unlanded: () => readonly Unlanded[]
  readonly landed: (execution: string) => void
}

/** Entries are hashed when somebody asks: most of them are never asked about. */
class LazyEntry implements StoredEntry {
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

/** Begins a log in memory. */
export function createMemorySession(key: SessionKey, clock: Clock): MemorySession {
  const entries: StoredEntry[] = []
  const hashes: Digest[] = [CHAIN_START]
  const ledger = new Map<string, LedgerRow>()
  const open = new Map<string, string>()
  const unlanded = new Map<
    string,
    { readonly changes: readonly FileChange[]; readonly committedAt: number }
  >()
  const index = new Map<string, StoredEntry[]>()
  let indexed = 0

  function hashAt(seq: number): Digest {
    const id = sessionId(key)
    for (let next = hashes.length; next <= seq; next++) {
      const stored = entries[next - 1]
      if (stored === undefined) break
      hashes.push(
        chainHash(hashes[next - 1] ?? CHAIN_START, id, next, stored.at, JSON.stringify(stored.entry)),
      )
    }
    return hashes[seq] ?? CHAIN_START
  }

  function append(what: Pick<Append, 'entries' | 'seen' | 'unseen'>): readonly StoredEntry[] {
    const at = Math.trunc(clock.now())
    const added = what.entries.map((entry) => {
      const stored = new LazyEntry(key, entries.length + 1, at, entry, hashAt)
      entries.push(stored)
      follow(entry, at)
      return stored
    })
    for (const [path, row] of ledgerChanges(what, (one) => ledger.get(one) ?? null)) {
      if (row === null) ledger.delete(path)
      else ledger.set(path, row)
    }
    return added
  }

  function follow(entry: Entry, at: number): void {
    if (entry.kind === 'batch') for (const { execution } of entry.calls) open.set(execution, entry.batch)
    if (entry.kind === 'settled') open.delete(entry.execution)
    const changes = changesOf(entry)
    if (changes.length > 0 && 'execution' in entry && entry.execution !== null)
      unlanded.set(entry.execution, { changes, committedAt: at })
  }

  function catchUp(): void {
    for (; indexed < entries.length; indexed++) {
      const stored = entries[indexed]
      if (stored === undefined) break
      for (const execution of new Set(executionsOf(stored.entry))) {
        const known = index.get(execution)
        if (known === undefined) index.set(execution, [stored])
        else known.push(stored)
      }
    }
  }

  return {
    key,
    entries,
    append,
    about: (execution) => {
      catchUp()
      return index.get(execution) ?? []
    },
    executions: () => {
      catchUp()
      return index.keys()
    },
    ledger: (path) => ledger.get(path) ?? null,
    openBatches: () => [...new Set(open.values())].map((batch) => ({ session: key, batch })),
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
