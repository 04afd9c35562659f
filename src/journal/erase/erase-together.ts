import type { Digest, SessionKey } from '../entries/entry.ts'
import { JournalError } from '../journal-error.ts'
import type { Erasure, LogStore, SessionLog } from '../log.ts'

/** How sessions are opened for erasing, and how much is erased at a time. */
export interface ErasingOptions {
  /** How long to wait for a session that another process owns. */
  readonly waitMs?: number
  /** Skip sessions that another process owns, instead of failing. */
  readonly skipsBusy?: boolean
  /** How much is erased at a time, on a disk without room for more. */
  readonly portionBytes?: number
}

/** What one session erases. */
export interface SessionErasure {
  readonly session: SessionKey
  /** Null if there is nothing to erase or to record after all. */
  readonly erasure: Omit<Erasure, 'session'> | null
  /** Called once it is written, while the session is still owned. */
  readonly written?: () => void
}

/** Erases payloads of many sessions. */
export interface ErasingGroup {
  /** Takes up one session's erasure; it may be written later. False if the session is busy and may be skipped. */
  readonly add: (what: SessionErasure) => Promise<boolean>
  /** Writes what is left, and returns what was erased by all. */
  readonly finish: () => Promise<{ readonly payloads: number; readonly bytes: number }>
  /** Closes the sessions that were opened. Call it at the end, whatever happened. */
  readonly close: () => void
}

/** Waiting for the disk takes longest, so sessions share transactions; each keeps some files open until its own is done. */
const SESSIONS_AT_ONCE = 64

/** Erases in transactions that many sessions share. If one fails, nothing of it is erased, and no more should be added. */
export function createErasingGroup(store: LogStore, options: ErasingOptions): ErasingGroup {
  const { portionBytes = Infinity } = options
  let opened: SessionLog[] = []
  let waiting: SessionErasure[] = []
  let waitingBytes = 0
  let payloads = 0
  let bytes = 0

  async function add(what: SessionErasure): Promise<boolean> {
    const { session, erasure } = what
    if ((store.owned(session) ?? (await open(session))) === null) return false
    const portions = divide(store, erasure?.payloads ?? [], portionBytes)
    for (const [index, { digests, size }] of portions.entries()) {
      // A session writes once in a transaction.
      if (index > 0 || waitingBytes + size > portionBytes) await write()
      waiting.push({ ...what, erasure: erasure === null ? null : { ...erasure, payloads: digests } })
      waitingBytes += size
    }
    if (waiting.length >= SESSIONS_AT_ONCE) await flush()
    return true
  }

  async function open(session: SessionKey): Promise<SessionLog | null> {
    const log = await openIfFree(store, session)
    if (log !== null || options.skipsBusy === true) return keep(log)
    // Others should not have to wait meanwhile for the sessions that were opened so far.
    await flush()
    return keep(await store.open(session, options.waitMs))
  }

  function keep(log: SessionLog | null): SessionLog | null {
    if (log !== null) opened.push(log)
    return log
  }

  async function write(): Promise<void> {
    if (waiting.length === 0) return
    const erasures = waiting.flatMap(({ session, erasure }) =>
      erasure === null ? [] : [{ ...erasure, session }],
    )
    for (const erased of erasures.length === 0 ? [] : await store.erase(erasures)) {
      payloads += erased.payloads
      bytes += erased.bytes
    }
    for (const { written } of waiting) written?.()
    waiting = []
    waitingBytes = 0
    if (portionBytes !== Infinity) store.scrub()
  }

  async function flush(): Promise<void> {
    await write()
    close()
  }

  function close(): void {
    for (const log of opened) log.close()
    opened = []
  }

  return {
    add,
    finish: async () => {
      await flush()
      return { payloads, bytes }
    },
    close,
  }
}

/** Opens a session; null if another process owns it, and still does after a time. */
export async function openIfFree(
  store: Pick<LogStore, 'open'>,
  session: SessionKey,
  waitMs = 0,
): Promise<SessionLog | null> {
  try {
    return await store.open(session, waitMs)
  } catch (error) {
    if (error instanceof JournalError && error.code === 'session_busy') return null
    throw error
  }
}

interface Portion {
  readonly digests: Digest[]
  size: number
}

/** Divides payloads into portions of so many bytes, the smallest first; one that is larger is a portion by itself. */
function divide(store: LogStore, digests: readonly Digest[], portionBytes: number): readonly Portion[] {
  if (portionBytes === Infinity) return [{ digests: [...digests], size: 0 }]
  const sized = digests.map((digest) => ({ digest, bytes: store.payloadBytes(digest) ?? 0 }))
  let last: Portion = { digests: [], size: 0 }
  const portions = [last]
  for (const { digest, bytes } of sized.toSorted((one, other) => one.bytes - other.bytes)) {
    if (last.size > 0 && last.size + bytes > portionBytes) portions.push((last = { digests: [], size: 0 }))
    last.digests.push(digest)
    last.size += bytes
  }
  return portions
}
