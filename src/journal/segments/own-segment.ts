import { Buffer } from 'node:buffer'
import { tryLock } from '../../host/db/session-lock.ts'
import { removeFile } from '../../host/fs/private-files.ts'
import { createSegmentFile } from '../../host/fs/segment-file.ts'
import type { SegmentFile } from '../../host/fs/segment-file.ts'
import { secretBytes } from '../../host/system/hash.ts'
import { readBootId } from '../../host/system/platform.ts'
import { encodeFrame } from './frame.ts'
import type { ReadFrame, WaitingRow } from './frame.ts'
import { segmentLock, segmentPath } from './read-segments.ts'
import { encodeHeader, HEADER_BYTES, seedOf } from './segment-header.ts'
import type { SegmentHeader } from './segment-header.ts'

/** A segment is small at first; one that is begun anew gets more room, so that it lasts longer. */
const SIZES = [256 * 1024, 1024 ** 2, 4 * 1024 ** 2] as const

/** The segment that this process writes. */
export interface OwnSegment {
  readonly header: () => SegmentHeader
  /** Where the next frame begins. */
  readonly end: () => number
  /** Writes rows as one frame, unless there is no room for it, or never would be. */
  readonly write: (rows: readonly WaitingRow[]) => 'written' | 'full' | 'too long'
  readonly sync: () => void
  /** What was written and the log does not include, as far as this process knows; each with the place where it ends. */
  readonly waiting: () => readonly ReadFrame[]
  /** Called when all of that is in the log. */
  readonly noteTakenUp: () => void
  /** Overwrites everything and begins with a new epoch. Everything must be in the log, and the log on disk. */
  readonly beginAnew: () => void
  readonly isInPlace: () => boolean
  /** Closes it and gives up its lock. */
  readonly close: () => void
}

/** Creates a segment, locked until it is closed or the process ends. */
export function createOwnSegment(folder: string, database: string): OwnSegment {
  const id = Buffer.from(secretBytes(16)).toString('hex')
  const lockPath = segmentLock(folder, id)
  let header: SegmentHeader = { id, database, boot: readBootId() ?? '', epoch: 1 }
  let seed = seedOf(header)
  let end = HEADER_BYTES
  let waiting: ReadFrame[] = []
  // Whoever finds the file has to find it locked.
  const lock = tryLock(lockPath)
  if (lock === null) throw new Error(`${lockPath} is locked`)
  let file: SegmentFile
  try {
    file = createSegmentFile(segmentPath(folder, id), emptySegment(header))
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
      if (frame === null || HEADER_BYTES + frame.length > SIZES[0]) return 'too long'
      if (end + frame.length > sizeOfEpoch(header)) return 'full'
      file.write(frame, end)
      end += frame.length
      waiting.push({ rows, end })
      return 'written'
    },
    sync: file.sync,
    waiting: () => waiting,
    noteTakenUp: () => {
      waiting = []
    },
    beginAnew: () => {
      const next = { ...header, epoch: header.epoch + 1 }
      file.write(emptySegment(next), 0)
      header = next
      seed = seedOf(header)
      end = HEADER_BYTES
    },
    isInPlace: file.isInPlace,
    close: () => {
      file.close()
      lock.release()
    },
  }
}

function sizeOfEpoch({ epoch }: SegmentHeader): number {
  return SIZES[epoch - 1] ?? SIZES[2]
}

function emptySegment(header: SegmentHeader): Buffer {
  return Buffer.concat([encodeHeader(header)], sizeOfEpoch(header))
}
