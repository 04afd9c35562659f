import type { Sqlite } from '../../host/db/sqlite.ts'
import { makePrivateFolder } from '../../host/fs/private-files.ts'
import { renameFile } from '../../host/fs/segment-file.ts'
import { systemClock } from '../../host/system/clock.ts'
import type { Digest } from '../entries/entry.ts'
import type { Rows } from '../store/rows.ts'
import type { StateFiles } from '../store/state-files.ts'
import { FrameRows } from './frame-rows.ts'
import type { FrameFacts } from './frame-rows.ts'
import { createOwnSegment } from './own-segment.ts'
import type { OwnSegment } from './own-segment.ts'
import { createRowPlacer } from './place-rows.ts'
import { findSegments, segmentPath } from './read-segments.ts'
import { takeUpOthers } from './take-up-others.ts'
import { forgetSegment, readTakenUp, writeTakenUp } from './taken-up.ts'

/** When a store uses a segment: after its first writes, from the first one on, or never. */
export type SegmentUse = 'auto' | 'always' | 'never'

/** After this many writes the process is assumed to be long-lived. */
const BEGIN_AFTER = 8

/** After this long it is not taken for granted that what waited still waits. */
const LONGEST_WAIT_MS = 10_000

/** What a front needs. */
export interface FrontDeps {
  readonly sqlite: Sqlite
  readonly files: StateFiles
  readonly database: string
  readonly use: SegmentUse
  readonly isShared: FrameFacts['isShared']
}

/** What this process has recorded and the database does not hold yet. */
export interface Front {
  /** Writes rows in front of the database. Null if they cannot wait there; then nothing was written. */
  readonly write: <T>(isSynced: boolean, body: (rows: Rows) => T) => { readonly value: T } | null
  /** Counts a write to the database. */
  readonly noteWrite: () => void
  /** How many rows wait. */
  readonly waitingRows: () => number
  /** Whether there is no room for more. */
  readonly isFull: () => boolean
  /** Places everything that waits. Call it in a transaction, and the result once that is committed. */
  readonly takeUp: (log: Rows) => () => void
  /** The same for other processes. */
  readonly takeUpOthers: (log: Rows) => void
  /** Whether there may be something of other processes. */
  readonly hasOthers: () => boolean
  /** Begins anew in a full segment. Everything must be taken up and synced; call it in a transaction. */
  readonly beginAnew: () => void
  readonly payload: (digest: Digest) => Uint8Array | null
  /** Stops using segments. What waits is kept until it is taken up. */
  readonly stop: () => void
  /** Removes the segment if everything is taken up and synced; call it in a transaction. */
  readonly remove: () => void
}

/** Creates it. There is no segment until there is something to write to it. */
export function createFront({ sqlite, files, database, use, isShared }: FrontDeps): Front {
  let segment: OwnSegment | null = null
  let isStopped = use === 'never'
  let writes = 0
  let isFull = false
  let rowCount = 0
  let since = 0
  const payloads = new Map<Digest, { readonly bytes: Uint8Array; readonly isMentioned: boolean }>()

  const facts: FrameFacts = {
    isShared,
    isWaiting: (digest) => payloads.get(digest)?.isMentioned === true,
  }

  function open(): OwnSegment | null {
    if (isStopped || segment !== null) return segment
    if (use === 'auto' && writes < BEGIN_AFTER) return null
    try {
      makePrivateFolder(files.segments)
      segment = createOwnSegment(files.segments, database)
    } catch {
      // A segment is only an optimization; the database says better what is wrong with the disk.
      isStopped = true
    }
    return segment
  }

  function write<T>(isSynced: boolean, body: (rows: Rows) => T): { readonly value: T } | null {
    const own = open()
    if (own === null || isStopped) return null
    const frame = new FrameRows(facts)
    const value = body(frame)
    if (!frame.isPlain) return null
    if (frame.rows.length === 0) return { value }
    if (!own.write(frame.rows)) {
      isFull = true
      return null
    }
    if (isSynced) own.sync()
    if (rowCount === 0) since = systemClock.now()
    rowCount += frame.rows.length
    for (const row of frame.rows)
      if (row.is === 'payload') payloads.set(row.digest, { bytes: row.bytes, isMentioned: frame.hasEntries })
    return { value }
  }

  function takeUp(log: Rows): () => void {
    const own = segment
    if (own === null || (own.waiting().length === 0 && !isStopped)) return () => undefined
    const { id, epoch } = own.header()
    const before = readTakenUp(sqlite, { id, epoch })
    const placer = createRowPlacer(sqlite, log)
    let { isContested } = before
    for (const { rows, end } of own.waiting())
      if (end > before.taken && placer.place(rows).size > 0) isContested = true
    writeTakenUp(sqlite, id, {
      epoch,
      taken: isStopped ? Number.MAX_SAFE_INTEGER : own.end(),
      isContested,
    })
    return () => {
      own.noteTakenUp()
      payloads.clear()
      rowCount = 0
    }
  }

  return {
    write,
    noteWrite: () => {
      writes++
    },
    waitingRows: () =>
      rowCount > 0 && Math.abs(systemClock.now() - since) > LONGEST_WAIT_MS ? Infinity : rowCount,
    isFull: () => isFull,
    takeUp,
    takeUpOthers: (log) =>
      takeUpOthers(sqlite, log, findSegments(files.segments, database, segment?.header().id ?? null)),
    hasOthers: () => findSegments(files.segments, database, segment?.header().id ?? null).length > 0,
    beginAnew: () => {
      isFull = false
      if (segment === null) return
      segment.beginAnew()
      const { id, epoch } = segment.header()
      writeTakenUp(sqlite, id, { ...readTakenUp(sqlite, { id, epoch }), epoch })
    },
    payload: (digest) => payloads.get(digest)?.bytes ?? null,
    stop: () => {
      isStopped = true
    },
    remove: () => {
      if (segment === null) return
      const { id, epoch } = segment.header()
      const { isContested } = readTakenUp(sqlite, { id, epoch })
      const path = segmentPath(files.segments, id)
      if (isContested) renameFile(path, `${path}.contested`)
      segment.close(!isContested)
      forgetSegment(sqlite, id)
      segment = null
    },
  }
}
