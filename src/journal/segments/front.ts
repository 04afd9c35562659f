import type { Sqlite } from '../../host/db/sqlite.ts'
import { makePrivateFolder } from '../../host/fs/private-files.ts'
import { systemClock } from '../../host/system/clock.ts'
import type { Digest } from '../entries/entry.ts'
import type { RowWriter } from '../store/row-writer.ts'
import type { Rows } from '../store/rows.ts'
import type { StateFiles } from '../store/state-files.ts'
import { entriesIn } from './frame.ts'
import type { PlainEntry } from './frame.ts'
import { FrameRows } from './frame-rows.ts'
import type { FrameFacts } from './frame-rows.ts'
import { createOwnSegment } from './own-segment.ts'
import type { OwnSegment } from './own-segment.ts'
import { createRowPlacer } from './place-rows.ts'
import { removeSegment } from './remove-segment.ts'
import { readTakenUp, writeTakenUp } from './taken-up.ts'

/** When a store uses a segment: after its first writes, from the first one on, or never. */
export type SegmentUse = 'auto' | 'always' | 'never'

/** After this many writes to the database the process is assumed to be long-lived. */
const BEGIN_AFTER = 8

/** After this long it is not taken for granted that what waited still waits: another process may have erased it since. */
const LONGEST_WAIT_MS = 10_000

/** What a front needs. */
export interface FrontDeps {
  readonly sqlite: Sqlite
  readonly files: StateFiles
  /** The id of the database. */
  readonly database: string
  readonly use: SegmentUse
  readonly rows: RowWriter
}

/** What this process has recorded and the database does not hold yet. */
export interface Front {
  /** The id of the segment; null if there is none. */
  readonly id: () => string | null
  /** Writes rows in front of the database. Null if they cannot wait there; then nothing was written. */
  readonly write: <T>(body: (rows: Rows) => T) => { readonly value: T } | null
  readonly sync: () => void
  /** Counts a write to the database. */
  readonly noteWrite: () => void
  /** How many rows wait; no end of them if the first one has waited for too long. */
  readonly waitingRows: () => number
  /** Whether the last write found no room. */
  readonly isFull: () => boolean
  /** Begins anew. Everything must be taken up and synced; call it in a transaction. */
  readonly beginAnew: () => void
  /** Places everything that waits. Call it in a transaction, and the result once that is committed. */
  readonly takeUp: () => () => void
  /** The entries of a session that wait, oldest first. */
  readonly entries: (session: number) => readonly PlainEntry[]
  readonly payload: (digest: Digest) => Uint8Array | null
  readonly isInPlace: () => boolean
  /** Writes no more. What waits is taken up as ever, and nothing else that may be in the file. */
  readonly stop: () => void
  /** Removes the segment. Everything must be taken up and synced; call it in a transaction. */
  readonly remove: () => void
  /** Leaves the segment to others, if it is still there. */
  readonly release: () => void
}

interface WaitingPayload {
  readonly bytes: Uint8Array
  /** Whether it was written with an entry, which keeps other processes from erasing it. */
  readonly isMentioned: boolean
}

/** Creates it. There is no file until there is something to write to it. */
export function createFront({ sqlite, files, database, use, rows }: FrontDeps): Front {
  let segment: OwnSegment | null = null
  let isStopped = use === 'never'
  let isRetired = false
  let isFull = false
  let writes = 0
  let rowCount = 0
  let since = 0
  const payloads = new Map<Digest, WaitingPayload>()
  const facts: FrameFacts = {
    isShared: (shared) => rows.isShared(shared),
    isContested: (session) => rows.isContested(session),
    isWaiting: (digest) => payloads.get(digest)?.isMentioned === true,
  }

  function open(): OwnSegment | null {
    if (segment !== null || isStopped) return segment
    if (use === 'auto' && writes < BEGIN_AFTER) return null
    try {
      if (makePrivateFolder(files.segments) === null) segment = createOwnSegment(files.segments, database)
    } catch {
      // It is only quicker; if the disk has a fault, the database says so.
    }
    isStopped = segment === null
    return segment
  }

  function write<T>(body: (rows: Rows) => T): { readonly value: T } | null {
    const own = open()
    if (own === null || isStopped) return null
    const frame = new FrameRows(facts)
    const value = body(frame)
    if (!frame.isPlain) return null
    if (frame.rows.length === 0) return { value }
    const outcome = own.write(frame.rows)
    isFull = outcome === 'full'
    if (outcome !== 'written') return null
    if (rowCount === 0) since = systemClock.now()
    rowCount += frame.rows.length
    for (const row of frame.rows)
      if (row.is === 'payload') payloads.set(row.digest, { bytes: row.bytes, isMentioned: frame.hasEntries })
    return { value }
  }

  function takeUp(): () => void {
    const own = segment
    if (own === null || isRetired || (rowCount === 0 && !isStopped)) return () => undefined
    const { id, epoch } = own.header()
    const before = readTakenUp(sqlite, { id, epoch })
    const placer = createRowPlacer(sqlite, rows)
    const contested = own.waiting().flatMap(({ rows: waiting, end }) => {
      if (end > before.taken) return [...placer.place(waiting, false)]
      // Another process has taken it up, and may have found no place for it.
      return before.isContested ? [...placer.findContested(waiting)] : []
    })
    placer.finish()
    const taken = isStopped ? Number.MAX_SAFE_INTEGER : Math.max(own.end(), before.taken)
    writeTakenUp(sqlite, id, { epoch, taken, isContested: before.isContested || contested.length > 0 })
    // What follows in the same transaction has to know it already.
    for (const session of contested) rows.noteContested(session)
    return () => {
      own.noteTakenUp()
      payloads.clear()
      rowCount = 0
      isRetired = isStopped
    }
  }

  return {
    id: () => segment?.header().id ?? null,
    write,
    sync: () => segment?.sync(),
    noteWrite: () => {
      writes++
    },
    waitingRows: () => {
      const isOld = rowCount > 0 && Math.abs(systemClock.now() - since) > LONGEST_WAIT_MS
      return isOld ? Infinity : rowCount
    },
    isFull: () => isFull,
    beginAnew: () => {
      isFull = false
      if (segment === null) return
      const { isContested } = readTakenUp(sqlite, segment.header())
      if (isContested) return remove()
      segment.beginAnew()
      const { id, epoch } = segment.header()
      writeTakenUp(sqlite, id, readTakenUp(sqlite, { id, epoch }))
    },
    takeUp,
    entries: (session) => (segment === null ? [] : entriesIn(segment.waiting(), session)),
    payload: (digest) => payloads.get(digest)?.bytes ?? null,
    isInPlace: () => segment?.isInPlace() ?? true,
    stop: () => {
      isStopped = true
    },
    remove,
    release,
  }

  function remove(): void {
    if (segment === null) return
    removeSegment(sqlite, files.segments, segment.header(), 'whole')
    release()
  }

  function release(): void {
    segment?.close()
    segment = null
  }
}
