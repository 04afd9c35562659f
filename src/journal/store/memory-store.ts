import type { Clock } from '../../core/clock.ts'
import { waitFor } from '../../core/wait.ts'
import { sessionId } from '../chain/chain.ts'
import { bytesOf } from '../entries/content.ts'
import type { Content } from '../entries/content.ts'
import type { Digest, FileChange, ForgottenEntry, SessionKey } from '../entries/entry.ts'
import { forgottenEntry } from '../entries/forgotten-entry.ts'
import { JournalError } from '../journal-error.ts'
import type { Append, Erasure, LogStore, SessionLog } from '../log.ts'
import { createMemoryGrants } from '../grants/memory-grants.ts'
import { createMemorySession } from './memory-session.ts'
import type { MemorySession } from './memory-session.ts'
import { digestsOf } from '../entries/mentions.ts'
import { requireSessionName, sessionBusy } from './session-trouble.ts'

const DEFAULT_WAIT_MS = 10_000
const POLL_MS = 5
const FEW = 10
const NONE: readonly never[] = []

/** A store that ends with the process and leaves the disk alone. */
export function openMemoryStore(clock: Clock): LogStore {
  const sessions = new Map<string, MemorySession>()
  const contents = new Map<Digest, Content>()
  /** What has come since somebody last asked, and is not among the others yet. */
  let newDigests: Digest[] = []
  let newContents: Content[] = []
  const kept = new Map<string, string>()
  const logs = new Map<string, SessionLog>()

  const begun = (root?: string): readonly MemorySession[] =>
    [...sessions.values()].filter(({ key, size }) => size() > 0 && (root === undefined || key.root === root))
  const elsewhere = (ours: MemorySession): readonly FileChange[] =>
    [...sessions.values()].flatMap((session) =>
      session === ours ? [] : session.unlanded().flatMap(({ changes }) => changes),
    )
  const payloads = (): Map<Digest, Content> => {
    for (const [index, content] of newContents.entries()) contents.set(newDigests[index] ?? '', content)
    newDigests = []
    newContents = []
    return contents
  }
  const payload = (digest: Digest): Uint8Array | null => {
    const content = payloads().get(digest)
    return content === undefined ? null : bytesOf(content)
  }

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
    const log = openLog(session, () => logs.delete(id))
    logs.set(id, log)
    return log
  }

  function openLog(session: MemorySession, noteClosed: () => void): SessionLog {
    const { key } = session
    let isOpen = true
    const requireOpen = (): void => {
      if (!isOpen)
        throw new JournalError('closed', `The log of session ${key.name} is closed.`, 'Open it again.')
    }
    const add = (what: Append): undefined => {
      requireOpen()
      what.confirm?.(elsewhere(session))
      for (const [digest, content] of what.payloads ?? NONE) {
        newDigests.push(digest)
        newContents.push(content)
      }
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
      newestFirst: function* (kind) {
        for (let seq = session.size(); seq > 0; seq--) {
          const stored = session.at(seq)
          if (stored !== null && (kind === undefined || stored.entry.kind === kind)) yield stored
        }
      },
      payload,
      ledger: session.ledger,
      openBatches: session.openBatches,
      landed: (execution) => {
        requireOpen()
        session.landed(execution)
      },
      synced: requireOpen,
      unlanded: session.unlanded,
      erase: (what) => {
        requireOpen()
        return erase(session, what)
      },
      breach: null,
      close: () => {
        if (!isOpen) return
        isOpen = false
        noteClosed()
      },
    }
  }

  function erase(session: MemorySession, what: Erasure): ForgottenEntry {
    const needed = new Set<Digest>()
    for (const { key, read } of sessions.values()) {
      for (const { entry } of read((what.readUpTo.get(sessionId(key)) ?? 0) + 1)) {
        for (const { digest } of digestsOf(entry)) needed.add(digest)
      }
    }
    let count = 0
    let bytes = 0
    for (const digest of what.payloads) {
      const found = payloads().get(digest)
      if (found === undefined || needed.has(digest)) continue
      payloads().delete(digest)
      count++
      bytes += bytesOf(found).length
    }
    const entry = forgottenEntry(what, count, bytes)
    session.append({ entries: [entry] })
    return entry
  }

  return {
    open,
    sessions: (root) => begun(root).map(({ key }) => key),
    recent: (root) =>
      begun(root)
        .map(({ key, size, lastAt }) => ({ name: key.name, lastAt: lastAt(), entries: size() }))
        .toSorted((one, other) => other.lastAt - one.lastAt),
    read: (key) => sessions.get(sessionId(key))?.read() ?? [],
    payload,
    unlanded: (root) => begun(root).flatMap((session) => session.unlanded()),
    unsynced: () => [],
    openBatches: (root) => begun(root).flatMap((session) => session.openBatches()),
    findCalls: (prefix, root) =>
      begun(root)
        .flatMap((session) =>
          [...session.executions()].map((execution) => ({ session: session.key, execution })),
        )
        .filter(({ execution }) => execution.startsWith(prefix))
        .toSorted((one, other) => (one.execution < other.execution ? -1 : 1))
        .slice(0, FEW),
    about: ({ session, execution }) => sessions.get(sessionId(session))?.about(execution) ?? [],
    owned: (key) => logs.get(sessionId(key)) ?? null,
    payloadBytes: (digest) => payload(digest)?.length ?? null,
    bytesInUse: () =>
      payloads()
        .values()
        .reduce((sum, content) => sum + bytesOf(content).length, 0),
    scrub: () => true,
    grants: createMemoryGrants(),
    recall: (name) => kept.get(name) ?? null,
    remember: (name, value) => {
      kept.set(name, value)
    },
    close: () => {
      for (const log of logs.values()) log.close()
    },
  }
}
