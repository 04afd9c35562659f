import type { Holder } from '../../host/db/session-lock.ts'
import { canonicalFolder } from '../../host/fs/folders.ts'
import type { StoredEntry } from '../../journal/entries/entry.ts'
import type { LogStore, RecentFilter, SessionBrief, SessionReader } from '../../journal/log.ts'
import type { LastUse, SessionCounts } from '../../journal/overview/session-overview.ts'
import { findFormerRoot } from './adopt-root.ts'

/** What can be read of the sessions of a root. */
export interface ReadSessions {
  /** Reads a session without owning it. */
  readonly peek: (name: string) => SessionReader
  readonly names: () => readonly string[]
  /** If this root has no sessions: roots that have some and do not exist any more. */
  readonly goneRoots: () => readonly string[]
  /** The one of these that this root was before it was renamed; null if none of them is known to be it. */
  readonly formerRoot: () => string | null
  /** Summaries of the sessions, most recently written first. */
  readonly recent: () => readonly SessionBrief[]
  /** What the sessions hold, the last written first. */
  readonly counts: (filter?: RecentFilter) => readonly SessionCounts[]
  /** Runs reads that need not know what other processes write meanwhile. */
  readonly readTogether: LogStore['readTogether']
  /** The sessions that `run` or the app used, the last used first. */
  readonly lastUses: (most?: number) => readonly LastUse[]
  /** The sessions whose newest message waited for something that came since. */
  readonly paused: () => readonly string[]
  /** The sessions with calls that edit, the last edited first. */
  readonly lastEdits: () => readonly LastUse[]
  /** A number that is larger for changes that were written later, over all sessions and whatever the clock said. */
  readonly orderOf: (name: string, seq: number) => number | null
  /** Whether this process or another live one owns a session. */
  readonly isInUse: (name: string) => Promise<boolean>
  /** The other live process that owns a session; null if none does. */
  readonly ownerOf: (name: string) => Promise<Holder | null>
  /** Sessions that an earlier process may have left unfinished. */
  readonly unfinished: () => readonly string[]
  /** Sessions with calls that have no result yet. */
  readonly waiting: (name?: string) => readonly string[]
  /** The entries of one session, or of all: each session's in order, or the newest of all in the order of their times. */
  readonly read: (name?: string, last?: number) => Iterable<StoredEntry>
  /** Calls whose id starts with this prefix, with the entries about each. */
  readonly find: (
    prefix: string,
  ) => readonly { readonly execution: string; readonly entries: readonly StoredEntry[] }[]
}

/** Reads the sessions of a root without owning any. */
export function readSessions(root: string, store: () => LogStore): ReadSessions {
  const openBatches = (name?: string) =>
    store()
      .openBatches(root)
      .filter(({ session }) => name === undefined || session.name === name)
  const goneRoots = (): readonly string[] => {
    if (store().hasSessions(root)) return []
    const roots = new Set(
      store()
        .sessions()
        .map((key) => key.root),
    )
    return [...roots].filter((one) => canonicalFolder(one) === null)
  }
  return {
    peek: (name) => ({
      key: { root, name },
      entries: (fromSeq) => store().read({ root, name }, fromSeq),
      newestFirst: (kind) => store().newestFirst({ root, name }, kind),
      said: () => store().said({ root, name }),
      edits: () => store().edits({ root, name }),
      payload: (digest) => store().payload(digest),
      ledger: (path) => store().ledger({ root, name }, path),
      about: (execution) => store().about({ session: { root, name }, execution }),
      openBatches: () => openBatches(name),
      aboutBatch: (seq) => store().aboutBatch({ root, name }, seq),
      sealOf: (text) => store().sealOf({ root, name }, text),
      verifies: (fromSeq) => store().verifies({ root, name }, fromSeq),
    }),
    names: () =>
      store()
        .sessions(root)
        .map(({ name }) => name),
    goneRoots,
    formerRoot: () => {
      const roots = goneRoots()
      return roots.length === 0 ? null : findFormerRoot(store(), roots, root)
    },
    recent: () => store().recent(root),
    counts: (filter) => store().counts(root, filter),
    readTogether: (read) => store().readTogether(read),
    lastUses: (most) => store().lastUses(root, most),
    paused: () => store().paused(root),
    lastEdits: () => store().lastEdits(root),
    orderOf: (name, seq) => store().orderOf({ root, name }, seq),
    isInUse: (name) => store().isInUse({ root, name }),
    ownerOf: (name) => store().ownerOf({ root, name }),
    unfinished: () => store().unfinished(root),
    waiting: (name) => [...new Set(openBatches(name).map(({ session }) => session.name))],
    *read(name, last) {
      if (last !== undefined) return yield* readLast(store(), root, name, last)
      for (const key of store().sessions(root))
        if (name === undefined || key.name === name) yield* store().read(key)
    },
    // Every call begins with nothing, and an empty word names none.
    find: (prefix) =>
      (prefix === '' ? [] : store().findCalls(prefix, root)).map((call) => ({
        execution: call.execution,
        entries: store().about(call),
      })),
  }
}

/** The newest entries; an entry of any but the most recently written sessions cannot be among them. */
function readLast(
  store: LogStore,
  root: string,
  name: string | undefined,
  count: number,
): readonly StoredEntry[] {
  return store
    .recent(root, name === undefined ? { most: count } : { name })
    .flatMap((brief) => [...store.read({ root, name: brief.name }, Math.max(1, brief.entries - count + 1))])
    .toSorted((one, other) => one.at - other.at)
    .slice(-count)
}
