import type { Clock } from '../../core/clock.ts'
import { CHAIN_START, chainHash, sessionId } from '../chain/chain.ts'
import type { Digest, Entry, FileChange, SessionKey, StoredEntry } from '../entries/entry.ts'
import { changesOf, executionsOf } from '../entries/mentions.ts'
import type { Append, LedgerRow, OpenBatch, Unlanded } from '../log.ts'
import { ledgerChanges } from './ledger.ts'

/** A session's log in memory; it stays when the session is closed. */
export interface MemorySession {
  readonly key: SessionKey
  /** The number of entries, which is also the newest sequence number. */
  readonly size: () => number
  /** When it was last written to; 0 if never. */
  readonly lastAt: () => number
  readonly at: (seq: number) => StoredEntry | null
  readonly read: (fromSeq?: number) => Iterable<StoredEntry>
  readonly append: (what: Pick<Append, 'entries' | 'seen' | 'unseen'>) => void
  readonly about: (execution: string) => readonly StoredEntry[]
  readonly aboutBatch: (seq: number) => readonly StoredEntry[]
  /** The entries of calls that edit, and of undo and redo, newest first. */
  readonly edits: () => readonly StoredEntry[]
  /** The executions any entry is about. */
  readonly executions: () => Iterable<string>
  readonly ledger: (path: string) => LedgerRow | null
  readonly openBatches: () => readonly OpenBatch[]
  readonly unlanded: () => readonly Unlanded[]
  readonly landed: (execution: string) => void
}

interface Commit {
  readonly seq: number
  readonly changes: readonly FileChange[]
  readonly committedAt: number
  /** The calls that it undoes. */
  readonly undone: readonly string[]
}

/** Creates a log in memory. Appending only stores entries; hashes and indexes are computed on demand. */
export function createMemorySession(key: SessionKey, clock: Clock): MemorySession {
  const chain = new MemoryChain(key)
  const index = new CallIndex(chain)
  const ledger = new Map<string, LedgerRow>()
  const unlanded = new Map<string, Commit>()

  function append(what: Pick<Append, 'entries' | 'seen' | 'unseen'>): void {
    const now = Math.trunc(clock.now())
    for (const entry of what.entries) {
      chain.add(entry, now)
      const changes = changesOf(entry)
      if (changes.length > 0 && 'execution' in entry && entry.execution !== null)
        unlanded.set(entry.execution, {
          seq: chain.size,
          changes,
          committedAt: now,
          undone: entry.kind === 'undo' ? entry.calls : [],
        })
    }
    for (const [path, row] of ledgerChanges(what, (one) => ledger.get(one) ?? null)) {
      if (row === null) ledger.delete(path)
      else ledger.set(path, row)
    }
  }

  return {
    key,
    size: () => chain.size,
    lastAt: () => chain.lastAt,
    at: (seq) => chain.at(seq),
    read: (fromSeq) => chain.read(fromSeq),
    append,
    about: (execution) => index.mentions(execution).flatMap((seq) => chain.at(seq) ?? []),
    aboutBatch: (seq) => index.aboutBatch(seq).flatMap((one) => chain.at(one) ?? []),
    edits: () => index.edits().flatMap((seq) => chain.at(seq) ?? []),
    executions: () => index.executions(),
    ledger: (path) => ledger.get(path) ?? null,
    openBatches: () => index.openBatches(),
    unlanded: () =>
      [...unlanded].map(([execution, { changes, committedAt }]) => ({
        session: key,
        execution,
        changes,
        committedAt,
        isOfEarlierBoot: false,
        isTimeCertain: true,
      })),
    landed: (execution) => {
      const ended = unlanded.get(execution)
      unlanded.delete(execution)
      if (ended === undefined) return
      for (const [earlier, { seq, changes }] of unlanded)
        if (seq < ended.seq && isSuperseded(earlier, changes, ended)) unlanded.delete(earlier)
    },
  }
}

/** A commit is landed or taken back once a later one on its files, or the undo of it, has landed. */
function isSuperseded(execution: string, changes: readonly FileChange[], later: Commit): boolean {
  if (later.undone.includes(execution)) return true
  return changes.some(({ root, path }) =>
    later.changes.some((other) => other.root === root && other.path === path),
  )
}

/** Entries in order. Hashes are computed on demand, because most are never read. */
class MemoryChain {
  readonly key: SessionKey
  readonly #entries: Entry[] = []
  readonly #times: number[] = []
  readonly #hashes: Digest[] = [CHAIN_START]

  constructor(key: SessionKey) {
    this.key = key
  }

  get size(): number {
    return this.#entries.length
  }

  get lastAt(): number {
    return this.#times.at(-1) ?? 0
  }

  add(entry: Entry, at: number): void {
    this.#entries.push(entry)
    this.#times.push(at)
  }

  at(seq: number): StoredEntry | null {
    const entry = this.#entries[seq - 1]
    return entry === undefined ? null : new ReadEntry(this, seq, this.#times[seq - 1] ?? 0, entry)
  }

  *read(fromSeq = 1): Generator<StoredEntry> {
    for (let seq = fromSeq; seq <= this.#entries.length; seq++) {
      const stored = this.at(seq)
      if (stored !== null) yield stored
    }
  }

  hashAt(last: number): Digest {
    const session = sessionId(this.key)
    for (let seq = this.#hashes.length; seq <= last; seq++) {
      const body = JSON.stringify(this.#entries[seq - 1])
      const at = this.#times[seq - 1] ?? 0
      this.#hashes.push(chainHash(this.#hashes[seq - 1] ?? CHAIN_START, { session, seq, at, body }))
    }
    return this.#hashes[last] ?? CHAIN_START
  }
}

/** An entry as it is read. */
class ReadEntry implements StoredEntry {
  readonly session: SessionKey
  readonly seq: number
  readonly at: number
  readonly entry: Entry
  readonly #chain: MemoryChain

  constructor(chain: MemoryChain, seq: number, at: number, entry: Entry) {
    this.#chain = chain
    this.session = chain.key
    this.seq = seq
    this.at = at
    this.entry = entry
  }

  get hash(): Digest {
    return this.#chain.hashAt(this.seq)
  }
}

/** Which entries mention a call, and which calls have no result. Updated on demand. */
class CallIndex {
  readonly #chain: MemoryChain
  readonly #open = new Map<string, OpenBatch>()
  readonly #mentions = new Map<string, number[]>()
  readonly #edits: number[] = []
  /** Entries about a batch that name none of its calls. */
  readonly #ofBatch = new Map<string, number[]>()
  #indexed = 0

  constructor(chain: MemoryChain) {
    this.#chain = chain
  }

  mentions(execution: string): readonly number[] {
    this.#update()
    return this.#mentions.get(execution) ?? []
  }

  aboutBatch(seq: number): readonly number[] {
    this.#update()
    const batch = this.#chain.at(seq)?.entry
    if (batch?.kind !== 'batch') return []
    const ofCalls = batch.calls.flatMap(({ execution }) => this.#mentions.get(execution) ?? [])
    return [...new Set([...ofCalls, ...(this.#ofBatch.get(batch.batch) ?? [])])].toSorted((a, b) => a - b)
  }

  edits(): readonly number[] {
    this.#update()
    return this.#edits.toReversed()
  }

  executions(): Iterable<string> {
    this.#update()
    return this.#mentions.keys()
  }

  openBatches(): readonly OpenBatch[] {
    this.#update()
    return [...new Set(this.#open.values())]
  }

  #update(): void {
    for (const { seq, entry } of this.#chain.read(this.#indexed + 1)) {
      this.#indexed = seq
      if (entry.kind === 'batch') {
        const batch = { session: this.#chain.key, batch: entry.batch, seq }
        for (const { execution } of entry.calls) this.#open.set(execution, batch)
      }
      if (entry.kind === 'settled') this.#open.delete(entry.execution)
      if (isEdit(entry)) this.#edits.push(seq)
      if (entry.kind === 'answered' || entry.kind === 'continued') push(this.#ofBatch, entry.batch, seq)
      for (const execution of new Set(executionsOf(entry))) {
        push(this.#mentions, execution, seq)
      }
    }
  }
}

function isEdit(entry: Entry): boolean {
  if (entry.kind === 'settled') return entry.effect === 'edit' || entry.changes.length > 0
  return entry.kind === 'undo' || entry.kind === 'redo'
}

function push(lists: Map<string, number[]>, key: string, seq: number): void {
  const known = lists.get(key)
  if (known === undefined) lists.set(key, [seq])
  else known.push(seq)
}
