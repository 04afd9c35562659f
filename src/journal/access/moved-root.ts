import { isJsonObject, parseJson } from '../../core/json/value.ts'
import { sessionId } from '../chain/chain.ts'
import type { Entry, FileChange, SessionKey, StoredEntry } from '../entries/entry.ts'
import type { Append, Erasure, LogStore, SessionLog, Unlanded } from '../log.ts'

/** Under which root the journal keeps the sessions of a folder, if that is not the folder's own path. */
export interface MovedRoot {
  readonly recordedAs: string
  /** Where the folder was before; changes on record name these. */
  readonly former: readonly string[]
}

/** Reads what was noted about a folder; null if the journal knows it by its path. */
export function readMovedRoot(store: Pick<LogStore, 'readValue'>, root: string): MovedRoot | null {
  const value = parseJson(store.readValue(nameOf(root)) ?? 'null')
  if (!isJsonObject(value)) return null
  const { recordedAs, former } = value
  if (typeof recordedAs !== 'string' || !Array.isArray(former)) return null
  return { recordedAs, former: former.map(String) }
}

/** Notes under which roots the sessions of folders are kept from now on: of all of them, or of none. */
export function noteMovedRoots(
  store: Pick<LogStore, 'writeValues'>,
  moved: ReadonlyMap<string, MovedRoot>,
): void {
  const values = [...moved].map(
    ([root, { recordedAs, former }]) => [nameOf(root), JSON.stringify({ recordedAs, former })] as const,
  )
  store.writeValues(new Map(values))
}

function nameOf(root: string): string {
  return `root ${root}`
}

/** The journal as a folder sees it that it may know by another path. It is closed if that cannot be read. */
export function openForRoot(store: LogStore, root: string): LogStore {
  try {
    const moved = readMovedRoot(store, root)
    return moved === null ? store : new Translation(root, moved).store(store)
  } catch (error) {
    store.close()
    throw error
  }
}

/**
 * Translates between a folder and the root that the journal knows it by. Both names are swapped, so that neither means
 * two roots; entries are chained with the name on record and never change.
 */
class Translation {
  readonly #root: string
  readonly #moved: MovedRoot
  readonly #former: ReadonlySet<string>
  readonly #readUpTo = new WeakMap<Erasure['readUpTo'], Erasure['readUpTo']>()

  constructor(root: string, moved: MovedRoot) {
    this.#root = root
    this.#moved = moved
    this.#former = new Set(moved.former)
  }

  store(store: LogStore): LogStore {
    return {
      ...store,
      open: async (key, waitMs) => this.#log(await store.open(this.#key(key), waitMs)),
      openToRead: async (key, waitMs) => this.#log(await store.openToRead(this.#key(key), waitMs)),
      sessions: (root) => store.sessions(this.#name(root)).map(this.#key),
      hasSessions: (root) => store.hasSessions(this.#name(root)),
      recent: (root, filter) => store.recent(this.#name(root), filter),
      newestFirst: (key, kind) => this.#entries(store.newestFirst(this.#key(key), kind)),
      said: (key) => this.#entries(store.said(this.#key(key))),
      edits: (key) => this.#entries(store.edits(this.#key(key))),
      lastUses: (root, most) => store.lastUses(this.#name(root), most),
      lastEdits: (root) => store.lastEdits(this.#name(root)),
      orderOf: (key, seq) => store.orderOf(this.#key(key), seq),
      paused: (root) => store.paused(this.#name(root)),
      counts: (root, filter) => store.counts(this.#name(root), filter),
      isInUse: (key) => store.isInUse(this.#key(key)),
      ownerOf: (key) => store.ownerOf(this.#key(key)),
      read: (key, fromSeq) => this.#entries(store.read(this.#key(key), fromSeq)),
      ledger: (key, path) => store.ledger(this.#key(key), path),
      unlanded: (root) => store.unlanded(this.#name(root)).map(this.#unlanded),
      unsynced: (root) => store.unsynced(this.#name(root)).map((one) => ({ ...one, ...this.#unlanded(one) })),
      openBatches: (root) => store.openBatches(this.#name(root)).map(this.#inSession),
      unfinished: (root) => store.unfinished(this.#name(root)),
      aboutBatch: (key, seq) => store.aboutBatch(this.#key(key), seq).map(this.#stored),
      sealOf: (key, text) => store.sealOf(this.#key(key), text),
      vouchesFor: (key, seq) => store.vouchesFor(this.#key(key), seq),
      verifies: (key, fromSeq) => store.verifies(this.#key(key), fromSeq),
      findCalls: (prefix, root) => store.findCalls(prefix, this.#name(root)).map(this.#inSession),
      about: (call) => store.about(this.#inSession(call)).map(this.#stored),
      owned: (key) => {
        const log = store.owned(this.#key(key))
        return log === null ? null : this.#log(log)
      },
      erase: (erasures) => store.erase(erasures.map((one) => this.#erasure(one, store))),
      uses: {
        ...store.uses,
        expiring: (before) => store.uses.expiring(before).map(this.#inSession),
        swept: (session, next) => store.uses.swept(this.#key(session), next),
      },
    }
  }

  #log(log: SessionLog): SessionLog {
    return {
      ...log,
      key: this.#key(log.key),
      append: (what) => log.append(this.#append(what)).map(this.#stored),
      appendTogether: (what) => log.appendTogether(this.#append(what)),
      entries: (fromSeq) => this.#entries(log.entries(fromSeq)),
      about: (execution) => log.about(execution).map(this.#stored),
      aboutBatch: (seq) => log.aboutBatch(seq).map(this.#stored),
      newestFirst: (kind) => this.#entries(log.newestFirst(kind)),
      edits: () => this.#entries(log.edits()),
      openBatches: () => log.openBatches().map(this.#inSession),
      unlanded: () => log.unlanded().map(this.#unlanded),
    }
  }

  #name<T extends string | undefined>(root: T): T | string {
    if (root === this.#root) return this.#moved.recordedAs
    return root === this.#moved.recordedAs ? this.#root : root
  }

  readonly #key = ({ root, name }: SessionKey): SessionKey => ({ root: this.#name(root), name })

  readonly #inSession = <T extends { readonly session: SessionKey }>(found: T): T => ({
    ...found,
    session: this.#key(found.session),
  })

  readonly #unlanded = (found: Unlanded): Unlanded => ({
    ...this.#inSession(found),
    changes: found.changes.map(this.#change),
  })

  readonly #change = <T extends Pick<FileChange, 'root'>>(change: T): T =>
    this.#former.has(change.root) ? { ...change, root: this.#root } : change

  readonly #stored = (stored: StoredEntry): StoredEntry => ({
    ...this.#inSession(stored),
    entry: this.#entry(stored.entry),
  })

  #entry(entry: Entry): Entry {
    if (!('changes' in entry)) return entry
    if (entry.changes.length === 0 && (!('left' in entry) || entry.left === undefined)) return entry
    const changes = entry.changes.map(this.#change)
    if (!('left' in entry) || entry.left === undefined) return { ...entry, changes }
    const left = entry.left.map(({ call, files }) => ({ call, files: files.map(this.#change) }))
    return { ...entry, changes, left }
  }

  *#entries(found: Iterable<StoredEntry>): Generator<StoredEntry> {
    for (const stored of found) yield this.#stored(stored)
  }

  #append(what: Append): Append {
    const { confirm } = what
    return confirm === undefined
      ? what
      : { ...what, confirm: (changes) => confirm(changes.map(this.#change)) }
  }

  #erasure(what: Erasure, store: LogStore): Erasure {
    const session = this.#key(what.session)
    if (what.readUpTo.size === 0) return { ...what, session }
    const known = this.#readUpTo.get(what.readUpTo)
    const readUpTo = known ?? this.#translateIds(what.readUpTo, store.sessions())
    this.#readUpTo.set(what.readUpTo, readUpTo)
    return { ...what, session, readUpTo }
  }

  #translateIds(readUpTo: Erasure['readUpTo'], sessions: readonly SessionKey[]): Erasure['readUpTo'] {
    const translated = new Map<string, number>()
    for (const key of sessions) {
      const seq = readUpTo.get(sessionId(this.#key(key)))
      if (seq !== undefined) translated.set(sessionId(key), seq)
    }
    return translated
  }
}
