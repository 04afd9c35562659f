import { Buffer } from 'node:buffer'
import { tryLock } from '../../host/db/session-lock.ts'
import type { Lock } from '../../host/db/session-lock.ts'
import { removeFile } from '../../host/fs/private-files.ts'
import { createSegmentFile } from '../../host/fs/segment-file.ts'
import type { SegmentFile } from '../../host/fs/segment-file.ts'
import { secretBytes } from '../../host/system/hash.ts'
import { encodeFrame } from './frame.ts'
import type { ReadFrame, WaitingRow } from './frame.ts'
import { segmentPath } from './read-segments.ts'
import { encodeHeader, HEADER_BYTES, seedOf } from './segment-header.ts'
import type { SegmentHeader } from './segment-header.ts'

/** A process that goes on writing gets more room, so that it begins anew less often. */
export const SEGMENT_BYTES = 2 * 1024 ** 2

/** The segment that this process writes. */
export interface OwnSegment {
  readonly header: () => SegmentHeader
  /** Where the next frame begins. */
  readonly end: () => number
  /** Writes rows as one frame; false if they do not fit. */
  readonly write: (rows: readonly WaitingRow[]) => boolean
  readonly sync: () => void
  /** What was written and the log does not include, as far as this process knows; each with the place where it ends. */
  readonly waiting: () => readonly ReadFrame[]
  /** Called when all of that is in the log. */
  readonly noteTakenUp: () => void
  /** Overwrites everything and begins with a new epoch. Everything must be in the log, and the log on disk. */
  readonly beginAnew: () => void
  readonly isInPlace: () => boolean
  /** Closes it; `isDone` removes it too. */
  readonly close: (isDone: boolean) => void
}

/** The lock that the owner of a segment holds. */
export function segmentLock(folder: string, id: string): string {
  return `${segmentPath(folder, id)}.lock`
}

/** Creates a segment, locked until it is closed or the process ends. */
export function createOwnSegment(folder: string, database: string): OwnSegment {
  const id = Buffer.from(secretBytes(16)).toString('hex')
  const path = segmentPath(folder, id)
  const lockPath = segmentLock(folder, id)
  let header: SegmentHeader = { id, database, epoch: 1 }
  let seed = seedOf(header)
  let end = HEADER_BYTES
  let waiting: ReadFrame[] = []
  // Whoever finds the file has to find it locked.
  const lock: Lock | null = tryLock(lockPath)
  if (lock === null) throw new Error(`${lockPath} is locked`)
  let file: SegmentFile
  try {
    file = createSegmentFile(path, emptySegment(header))
  } catch (error) {
    removeFile(lockPath)
    lock.release()
    throw error
  }
  return {
    header: () => header,
    end: () => end,
    write: (rows) => {
      const frame = encodeFrame(rows, seed)
      if (frame === null || end + frame.length > SEGMENT_BYTES) return false
      file.write(frame, end)
      end += frame.length
      waiting.push({ rows, end })
      return true
    },
    sync: file.sync,
    waiting: () => waiting,
    noteTakenUp: () => {
      waiting = []
    },
    beginAnew: () => {
      header = { ...header, epoch: header.epoch + 1 }
      seed = seedOf(header)
      end = HEADER_BYTES
      file.write(emptySegment(header), 0)
    },
    isInPlace: file.isInPlace,
    close: (isDone) => {
      file.close()
      if (isDone) for (const one of [path, lockPath]) removeFile(one)
      lock.release()
    },
  }
}

function emptySegment(header: SegmentHeader): Buffer {
  return Buffer.concat([encodeHeader(header)], SEGMENT_BYTES)
}
