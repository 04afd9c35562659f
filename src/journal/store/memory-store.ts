import type { Clock } from '../../core/clock.ts'
import { waitFor } from '../../core/wait.ts'
import { sealKey, secretBytes } from '../../host/system/hash.ts'
import type { SealKey } from '../../host/system/hash.ts'
import { sessionId } from '../chain/chain.ts'
import { sealQuestion } from '../chain/sealed-questions.ts'
import type { Digest, Entry, FileChange, SessionKey, StoredEntry } from '../entries/entry.ts'
import type { ForgottenEntry } from '../entries/forgotten-entry.ts'
import { MemoryPayloads } from '../entries/memory-payloads.ts'
import { digestsOf } from '../entries/mentions.ts'
import { forgottenEntry } from '../erase/erase-payloads.ts'
import { createMemoryGrants } from '../grants/memory-grants.ts'
import { requireSessionName, sessionBusy, sessionClosed } from '../journal-error.ts'
import type { Append, Erasure, LogStore, PayloadUses, SessionLog, SweepPlace } from '../log.ts'
import { countEntries, PAUSE_KINDS, USED_KINDS } from '../overview/session-overview.ts'
import type { LastUse } from '../overview/session-overview.ts'
import { createMemorySession } from './memory-session.ts'
import type { MemorySession } from './memory-session.ts'

const DEFAULT_WAIT_MS = 10_000
const POLL_MS = 5
const MAX_FOUND = 10
const KEY_BYTES = 32
const NONE: readonly never[] = []

/** Opens a store in memory: it ends with the process and never touches the disk. */
export function openMemoryStore(clock: Clock): LogStore {
  const memory: Memory = {
    sessions: new Map(),
    payloads: new MemoryPayloads(),
    sealKey: sealKey(secretBytes(KEY_BYTES)),
  }
  const { sessions, payloads } = memory
  const values = new Map<string, string>()
  const logs = new Map<string, SessionLog>()

  const begun = (root?: string): readonly MemorySession[] =>
    [...sessions.values()].filter(({ key, size }) => size() > 0 && (root === undefined || key.root === root))

  async function open(key: SessionKey, waitMs = DEFAULT_WAIT_MS): Promise<SessionLog> {
    requireSessionName(key)
    const id = sessionId(key)
    const deadline = clock.elapsed() + waitMs
    while (logs.has(id)) {
      if (clock.elapsed() >= deadline) throw sessionBusy(key, null)
      await waitFor(POLL_MS)
    }
    const session = sessions.get(id) ?? createMemorySession(key, clock)
    sessions.set(id, session)
    const log = openMemoryLog(session, memory, () => logs.delete(id))
    logs.set(id, log)
    return log
  }

  return {
    refusal: null,
    open,
    openToRead: open,
    sessions: (root) => begun(root).map(({ key }) => key),
    hasSessions: (root) => begun(root).length > 0,
    recent: (root, { most, name } = {}) =>
      begun(root)
        .filter(({ key }) => name === undefined || key.name === name)
        .map(({ key, size, lastAt }) => ({ name: key.name, lastAt: lastAt(), entries: size() }))
        .toSorted((one, other) => other.lastAt - one.lastAt)
        .slice(0, most),
    read: (key, fromSeq) => sessions.get(sessionId(key))?.read(fromSeq) ?? [],
    newestFirst: (key, kind) => newestFirst(sessions.get(sessionId(key)), kind),
    said: (key) =>
      [...(sessions.get(sessionId(key))?.read() ?? [])].filter(({ entry }) => entry.kind === 'said'),
    edits: (key) => sessions.get(sessionId(key))?.edits() ?? [],
    lastUses: (root, most) => lastUses(begun(root), ({ read }) => [...read()].findLast(isUse)).slice(0, most),
    paused: (root) =>
      begun(root)
        .filter(({ read }) => ([...read()].findLast(isTurning)?.entry.kind ?? 'said') !== 'said')
        .map(({ key }) => key.name),
    lastEdits: (root) => lastUses(begun(root), ({ edits }) => edits()[0]),
    orderOf: (key, seq) => {
      for (const { at } of sessions.get(sessionId(key))?.read(seq) ?? []) return at
      return null
    },
    counts: (root, { most, name } = {}) =>
      begun(root)
        .flatMap(({ key, read }) => ((name ?? key.name) === key.name ? [countEntries(key.name, read())] : []))
        .toSorted((one, other) => other.updatedAt - one.updatedAt)
        .slice(0, most),
    readTogether: (read) => read(),
    isInUse: async (key) => logs.has(sessionId(key)),
    ownerOf: async () => null,
    payload: (digest) => payloads.bytes(digest),
    ledger: (key, path) => sessions.get(sessionId(key))?.ledger(path) ?? null,
    unlanded: (root) => begun(root).flatMap((session) => session.unlanded()),
    unsynced: () => [],
    unfinished: (root) => begun(root).map(({ key }) => key.name),
    aboutBatch: (key, seq) => sessions.get(sessionId(key))?.aboutBatch(seq) ?? [],
    openBatches: (root) => begun(root).flatMap((session) => session.openBatches()),
    findCalls: (prefix, root) =>
      begun(root)
        .flatMap((session) =>
          [...session.executions()].map((execution) => ({ session: session.key, execution })),
        )
        .filter(({ execution }) => execution.startsWith(prefix))
        .toSorted((one, other) => (one.execution < other.execution ? -1 : 1))
        .slice(0, MAX_FOUND),
    about: ({ session, execution }) => sessions.get(sessionId(session))?.about(execution) ?? [],
    owned: (key) => logs.get(sessionId(key)) ?? null,
    payloadBytes: (digest) => payloads.bytes(digest)?.length ?? null,
    bytesInUse: () => payloads.size(),
    uses: createMemoryUses(memory),
    erase: async (erasures) => erasures.map((what) => erase(what, memory)),
    scrub: () => true,
    compact: () => undefined,
    grants: createMemoryGrants(),
    readValue: (name) => values.get(name) ?? null,
    writeValue: (name, value) => {
      values.set(name, value)
    },
    writeValues: (some) => {
      for (const [name, value] of some) values.set(name, value)
    },
    sealOf: (key, text) => sealQuestion(key, text, memory.sealKey),
    vouchesFor: () => true,
    verifies: () => true,
    close: () => {
      for (const log of logs.values()) log.close()
    },
  }
}

function* newestFirst(session: MemorySession | undefined, kind?: Entry['kind']): Generator<StoredEntry> {
  for (let seq = session?.size() ?? 0; seq > 0; seq--) {
    const stored = session?.at(seq) ?? null
    if (stored !== null && (kind === undefined || stored.entry.kind === kind)) yield stored
  }
}

function isUse({ entry }: StoredEntry): boolean {
  return USED_KINDS.some((kind) => kind === entry.kind)
}

function isTurning({ entry }: StoredEntry): boolean {
  return entry.kind === 'said' || PAUSE_KINDS.some((kind) => kind === entry.kind)
}

function lastUses(
  sessions: readonly MemorySession[],
  find: (session: MemorySession) => StoredEntry | undefined,
): readonly LastUse[] {
  return sessions
    .flatMap((session) => {
      const found = find(session)
      return found === undefined ? [] : [{ name: session.key.name, at: found.at }]
    })
    .toSorted((one, other) => other.at - one.at)
}

/** What the sessions of a store share. */
interface Memory {
  /** By chain id. */
  readonly sessions: Map<string, MemorySession>
  readonly payloads: MemoryPayloads
  readonly sealKey: SealKey
}

/** The uses of payloads, found by reading everything: a journal in memory is as old as its process. */
function createMemoryUses({ sessions, payloads }: Memory): PayloadUses {
  const places = new Map<string, SweepPlace>()
  return {
    update: () => true,
    expiring: (before) =>
      [...sessions].flatMap(([id, { key, at }]) => {
        const seq = places.get(id)?.seq ?? 1
        const since = places.get(id)?.at ?? at(seq)?.at ?? null
        return since !== null && since < before ? [{ session: key, seq }] : []
      }),
    swept: (session, next) => {
      places.set(sessionId(session), next)
    },
    cutoffFor: (bytes) => {
      const lastUse = new Map<Digest, number>()
      for (const { read } of sessions.values())
        for (const { at, entry } of read())
          for (const { digest } of digestsOf(entry))
            lastUse.set(digest, Math.max(at, lastUse.get(digest) ?? 0))
      let freed = 0
      let cutoff = 0
      for (const [digest, at] of [...lastUse].toSorted(([, one], [, other]) => one - other)) {
        if (freed >= bytes && at > cutoff) break
        const found = payloads.bytes(digest)
        if (found === null) continue
        freed += found.length
        cutoff = at
      }
      return cutoff + 1
    },
  }
}

function openMemoryLog(session: MemorySession, memory: Memory, noteClosed: () => void): SessionLog {
  const { key } = session
  const { payloads } = memory
  let isOpen = true
  const requireOpen = (): void => {
    if (!isOpen) throw sessionClosed(key)
  }
  const add = (what: Append): undefined => {
    requireOpen()
    what.confirm?.(changesOfOthers(session, memory))
    for (const [digest, content] of what.payloads ?? NONE) payloads.add(digest, content)
    session.append(what)
  }
  return {
    key,
    append: (what) => {
      const first = session.size() + 1
      add(what)
      return what.entries.flatMap((_, index) => session.at(first + index) ?? [])
    },
    appendTogether: add,
    entries: session.read,
    latestSeq: session.size,
    about: session.about,
    aboutBatch: session.aboutBatch,
    edits: session.edits,
    findCalls: (prefix) =>
      [...session.executions()]
        .filter((execution) => execution.startsWith(prefix))
        .toSorted()
        .slice(0, MAX_FOUND),
    newestFirst: (kind) => newestFirst(session, kind),
    payload: (digest) => payloads.bytes(digest),
    ledger: session.ledger,
    openBatches: session.openBatches,
    newestOpen: () => session.openBatches().at(-1)?.seq ?? null,
    landed: (executions) => {
      requireOpen()
      for (const execution of [executions].flat()) session.landed(execution)
    },
    synced: requireOpen,
    unlanded: session.unlanded,
    sealOf: (text) => sealQuestion(key, text, memory.sealKey),
    breach: null,
    vouchesFor: () => true,
    holdsFrom: () => true,
    close: () => {
      if (!isOpen) return
      isOpen = false
      noteClosed()
    },
  }
}

function changesOfOthers(session: MemorySession, { sessions }: Memory): readonly FileChange[] {
  return [...sessions.values()].flatMap((other) =>
    other === session ? [] : other.unlanded().flatMap(({ changes }) => changes),
  )
}

function erase(what: Erasure, { sessions, payloads }: Memory): ForgottenEntry {
  const needed = new Set<Digest>()
  const { unusedSince } = what
  for (const { key, read } of sessions.values()) {
    const from = unusedSince === undefined ? (what.readUpTo.get(sessionId(key)) ?? 0) + 1 : 1
    for (const { entry, at } of read(from)) {
      if (unusedSince !== undefined && at < unusedSince) continue
      for (const { digest } of digestsOf(entry)) needed.add(digest)
    }
  }
  let count = 0
  let bytes = 0
  for (const digest of what.payloads) {
    const found = payloads.bytes(digest)
    if (found === null || needed.has(digest)) continue
    payloads.remove(digest)
    count++
    bytes += found.length
  }
  const entry = forgottenEntry(what, count, bytes)
  sessions.get(sessionId(what.session))?.append({ entries: [entry] })
  return entry
}
