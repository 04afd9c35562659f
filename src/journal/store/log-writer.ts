import { sizeOf } from '../../host/fs/private-files.ts'
import { sqliteFaultOf, UnsyncedError } from '../../host/db/sqlite.ts'
import { steadyMs } from '../../host/system/clock.ts'
import type { Digest, FileChange } from '../entries/entry.ts'
import { JournalError } from '../journal-error.ts'
import type { Reliance } from '../log.ts'
import { createFront } from '../segments/front.ts'
import type { SegmentUse } from '../segments/front.ts'
import { entriesIn } from '../segments/frame.ts'
import type { PlainEntry } from '../segments/frame.ts'
import { findSegments, isWaiting, readWaiting } from '../segments/read-segments.ts'
import type { FoundSegment } from '../segments/read-segments.ts'
import type { Scrubbable } from '../segments/take-up-others.ts'
import { createTakeUpLater } from '../segments/take-up-later.ts'
import { createWaitingLimit } from '../segments/waiting-limit.ts'
import { findScrubbable, removeEnded, scrubSegments, takeUpOthers } from '../segments/take-up-others.ts'
import { commitSafely, createFaultGuard } from './fault-guard.ts'
import type { FaultGuard } from './fault-guard.ts'
import { foldLog, readFolded, readLastRow } from './fold-log.ts'
import { WORKING_LOG_BYTES } from './open-database.ts'
import type { JournalDatabase } from './open-database.ts'
import { RowWriter } from './row-writer.ts'
import type { Rows } from './rows.ts'
import type { StateFiles } from './state-files.ts'

/** How many rows may wait to be folded into the tables. More make reading slower, fewer make writing slower. */
const FOLD_ROWS = 512

/** How many rows may wait in front of the database. */
const WAITING_ROWS = 2048

/**
 * Whether the files are still in their places is looked up this often. Someone who removes them takes what was recorded
 * before; what is recorded until it is noticed is still in memory, and goes into the database then.
 */
const LOOK_AFTER_MS = 10

/** After this many synced commits the process is assumed to be long-lived, and the write-ahead log is grown to its working size. */
const EXTEND_AFTER = 8

/** Appends rows to the log. The sessions of a store share it, so that they can commit together. */
export interface LogWriter extends FaultGuard {
  /**
   * Runs one transaction. It is synced only if it is durable and the store has full durability. If it does nothing but
   * write rows, it may wait in front of the database; `body` may then be called twice.
   */
  readonly write: <T>(reliance: Reliance, body: (rows: Rows) => T, isPlain?: boolean) => T
  /** Brings the tables up to date with the log. */
  readonly fold: () => void
  /** Runs reads on the tables as they are at its beginning: they are brought up to date once. */
  readonly readTogether: <T>(read: () => T) => T
  /** Increases whenever the tables have caught up with everything this process wrote. */
  readonly generation: () => number
  /** Changes that other sessions have committed but not landed; call it in a transaction. */
  readonly unlandedInOtherSessions: (session: number) => readonly FileChange[]
  /** The row of a payload; null if it is not stored. */
  readonly payloadRow: (digest: Digest) => number | null
  /** A payload that is not in the database yet; null if there is none. */
  readonly waitingPayload: (digest: Digest) => Uint8Array | null
  /** The entries of a session that are not in the database yet, and those of them that this process wrote. */
  readonly waitingEntries: (session: number) => readonly PlainEntry[]
  readonly ownEntries: (session: number) => readonly PlainEntry[]
  /** Has the database hold what other processes wrote; call it in a transaction. */
  readonly takeUpOthers: () => void
  /** Removes what processes that have ended left in front of the database. */
  readonly removeEnded: () => void
  /** Removes erased bytes from all files; false if readers prevented it for so long. */
  readonly scrub: (waitMs: number) => boolean
  /** Has the database hold everything, and removes the files in front of it. */
  readonly close: () => void
}

/** How a writer writes. */
export interface LogWriterOptions {
  /** Whether durable commits are synced. */
  readonly isSyncing: boolean
  readonly segments?: SegmentUse
}

/** Creates the writer of an open database. */
export function createLogWriter(
  { sqlite, id, requireInPlace }: JournalDatabase,
  files: StateFiles,
  { isSyncing, segments = 'never' }: LogWriterOptions,
): LogWriter {
  const { guard, guardEach, isBroken } = createFaultGuard(files)
  const rows = guard(() => new RowWriter(sqlite))
  const front = createFront({ sqlite, files, database: id, use: segments, rows })
  const segmentPlace = { sqlite, folder: files.segments, database: id }
  const later = createTakeUpLater(takeUpIfFree)
  const mustTakeUp = createWaitingLimit(sqlite.isFree)
  let syncedCommits = 0
  /** Whether the tables are new enough for what is being read. */
  let isReading = false
  /** When the files were last found in their places. */
  let lookedMs = -Infinity
  /** Whether the database holds rows that a power cut can take; what builds on them must not be safer than they are. */
  let isUnsynced = false
  /** Whether a power cut could take rows back out of the database, so that the segment still has to hold them. */
  let isTakenUpUnsynced = false

  function write<T>(reliance: Reliance, body: (rows: Rows) => T, isPlain = false): T {
    return guard(() => {
      const isDurable = reliance === 'durable'
      const written = isPlain && !(isDurable && isUnsynced) ? writeInFront(isDurable, body) : null
      return written === null ? writeToDatabase(isDurable, body) : written.value
    })
  }

  function writeInFront<T>(isDurable: boolean, body: (rows: Rows) => T): { readonly value: T } | null {
    if (mustTakeUp(front.waitingRows(), isDurable ? 2 * WAITING_ROWS : WAITING_ROWS)) bringUpToDate(false)
    const isDue = isDurable && steadyMs() - lookedMs >= LOOK_AFTER_MS
    if (isDue) requireInPlace()
    const written = tryInFront(body)
    if (written !== null || !front.isFull()) return finish(written, isDurable, isDue)
    bringUpToDate(true)
    sqlite.transact(false, () => front.beginAnew())
    return finish(tryInFront(body), isDurable, isDue)
  }

  function tryInFront<T>(body: (rows: Rows) => T): { readonly value: T } | null {
    try {
      return front.write(body)
    } catch (error) {
      if (error instanceof JournalError || sqliteFaultOf(error) !== null) throw error
      // What is wrong with the segment need not be wrong with the database.
      front.stop()
      return null
    }
  }

  /** Takes up what waits unless that would hold up the process; false if it would. */
  function takeUpIfFree(): boolean {
    return guard(() => {
      if (front.waitingRows() === 0) return true
      if (!sqlite.isFree()) return false
      bringUpToDate(false)
      return true
    })
  }

  /** Has a durable write reach the disk: in the segment, or else in the database. */
  function finish<T>(written: T | null, isDurable: boolean, isDue: boolean): T | null {
    if (written !== null) later.noteWaiting()
    if (written === null || !isDurable) return written
    try {
      if (isSyncing) front.sync()
      if (!isDue || front.isInPlace()) {
        if (isDue) lookedMs = steadyMs()
        return written
      }
    } catch {
      // The database is another file.
    }
    front.stop()
    try {
      bringUpToDate(isSyncing)
    } catch (cause) {
      throw new UnsyncedError(cause)
    }
    return written
  }

  function writeToDatabase<T>(isDurable: boolean, body: (rows: Rows) => T): T {
    const isSynced = isDurable && isSyncing
    const value = transact(isSynced, () => {
      const written = body(rows)
      // Folding is cheaper when no caller waits for the disk, so durable writes leave it to others.
      const isFolded = rows.unfolded >= (isDurable ? 2 * FOLD_ROWS : FOLD_ROWS)
      if (isFolded) foldLog(sqlite)
      if (isDurable) requireInPlace()
      return { value: written, isFolded }
    })
    isUnsynced = isSyncing && !isDurable
    front.noteWrite()
    if (isSynced && ++syncedCommits === EXTEND_AFTER && segments === 'never') extendLog()
    return value
  }

  /** Runs a transaction after everything that waits in front of the database. */
  function transact<T>(isSynced: boolean, body: () => { readonly value: T; readonly isFolded: boolean }): T {
    rows.begin()
    const hasWaiting = front.waitingRows() > 0
    const { noteTakenUp, value, isFolded } = commitSafely(sqlite, isSynced, () => ({
      noteTakenUp: front.takeUp(),
      ...body(),
    }))
    rows.commit(isFolded)
    noteTakenUp()
    isTakenUpUnsynced = !isSynced && (hasWaiting || isTakenUpUnsynced)
    return value
  }

  function bringUpToDate(isSynced: boolean): void {
    transact(isSynced, () => {
      foldLog(sqlite)
      return { value: null, isFolded: true }
    })
  }

  function findOthers(): readonly FoundSegment[] {
    return findSegments(segmentPlace, front.id())
  }

  function readTogether<T>(read: () => T): T {
    fold()
    const before = isReading
    isReading = true
    try {
      return read()
    } finally {
      isReading = before
    }
  }

  function fold(): void {
    if (isReading) return
    guard(() => {
      const others = findOthers().filter((segment) => isWaiting(sqlite, segment))
      if (others.length > 0 || front.waitingRows() > 0 || readLastRow(sqlite) > readFolded(sqlite)) {
        transact(false, () => {
          takeUpOthers(sqlite, rows, others)
          foldLog(sqlite)
          return { value: null, isFolded: false }
        })
      }
      rows.noteFold(readFolded(sqlite))
    })
  }

  /** Takes up all segments, synced, so that nothing of what is found in them is needed any more. */
  function takeUpAll(): readonly Scrubbable[] {
    return transact(true, () => {
      const others = findOthers()
      takeUpOthers(sqlite, rows, others)
      return { value: findScrubbable(sqlite, others), isFolded: false }
    })
  }

  function scrub(waitMs: number): boolean {
    return guard(() => {
      if (front.id() !== null || findOthers().length > 0) {
        const found = takeUpAll()
        sqlite.transact(false, () => {
          front.beginAnew()
          scrubSegments(found, findOthers())
        })
      }
      return sqlite.emptyLog(waitMs)
    })
  }

  function close(): void {
    later.stop()
    try {
      if (isBroken() || front.id() === null) return
      guard(() => {
        front.stop()
        if (front.waitingRows() > 0 || isTakenUpUnsynced) bringUpToDate(true)
        sqlite.transact(false, () => front.remove())
      })
    } finally {
      front.release()
    }
  }

  function extendLog(): void {
    try {
      if ((sizeOf(files.writeAheadLog)?.bytes ?? 0) < WORKING_LOG_BYTES) sqlite.extendLog(WORKING_LOG_BYTES)
    } catch {
      // Growing it is only an optimization.
    }
  }

  return {
    write,
    fold,
    readTogether,
    generation: () => rows.generation,
    unlandedInOtherSessions: (session) => rows.unlandedInOtherSessions(session),
    payloadRow: (digest) => rows.payloadRow(digest),
    waitingPayload: (digest) => front.payload(digest),
    waitingEntries: (session) => [
      ...front.entries(session),
      ...guard(() => findOthers().flatMap((segment) => entriesIn(readWaiting(sqlite, segment), session))),
    ],
    ownEntries: front.entries,
    takeUpOthers: () => takeUpOthers(sqlite, rows, findOthers()),
    removeEnded: () => guard(() => removeEnded(segmentPlace, takeUpAll)),
    scrub,
    close,
    guard,
    guardEach,
    isBroken,
  }
}
