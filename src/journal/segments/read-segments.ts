import type { Buffer } from 'node:buffer'
import { join } from 'node:path'
import { namesIn } from '../../host/fs/private-files.ts'
import { readSpan } from '../../host/fs/segment-file.ts'
import type { Sqlite } from '../../host/db/sqlite.ts'
import { JournalError } from '../journal-error.ts'
import { decodeFrame } from './frame.ts'
import type { ReadFrame } from './frame.ts'
import { decodeHeader, HEADER_BYTES, seedOf } from './segment-header.ts'
import type { SegmentHeader } from './segment-header.ts'
import { readTakenUp } from './taken-up.ts'

/** A segment as it was found. */
export interface FoundSegment {
  readonly path: string
  readonly header: SegmentHeader
}

const NAME = /^[0-9a-f]{32}\.log$/

/** Enough for what usually waits; more is read if a frame goes on. */
const READ_BYTES = 64 * 1024
/** Segments are smaller. */
export const MOST_BYTES = 64 * 1024 ** 2

/** The path of a segment. */
export function segmentPath(folder: string, id: string): string {
  return join(folder, `${id}.log`)
}

/** The segments in a folder, but not one's own. Without a whole header a segment holds nothing yet. */
export function findSegments(folder: string, database: string, own: string | null): readonly FoundSegment[] {
  return namesIn(folder).flatMap((name) => {
    if (!NAME.test(name) || name === `${own}.log`) return []
    const path = join(folder, name)
    const bytes = readSpan(path, 0, HEADER_BYTES)
    const header = bytes === null ? null : decodeHeader(bytes)
    if (typeof header === 'number') throw newerSegment(path, header)
    return header === null || header.database !== database ? [] : [{ path, header }]
  })
}

/** The frames that the log does not include; a torn one ends them. Call it in a transaction. */
export function readWaiting(sqlite: Sqlite, { path, header }: FoundSegment): readonly ReadFrame[] {
  const { taken } = readTakenUp(sqlite, header)
  if (taken >= MOST_BYTES) return []
  const near = framesIn(path, header, taken, taken + READ_BYTES)
  return near.isWhole ? near.frames : framesIn(path, header, taken, MOST_BYTES).frames
}

function framesIn(
  path: string,
  header: SegmentHeader,
  from: number,
  to: number,
): { readonly frames: readonly ReadFrame[]; readonly isWhole: boolean } {
  const bytes = readSpan(path, from, Math.min(to, MOST_BYTES))
  const frames: ReadFrame[] = []
  if (bytes === null) return { frames, isWhole: true }
  const seed = seedOf(header)
  let at = 0
  for (let frame = decodeFrame(bytes, at, seed); frame !== null; frame = decodeFrame(bytes, at, seed)) {
    at = frame.end
    frames.push({ rows: frame.rows, end: from + at })
  }
  const isCutShort = bytes.length === to - from && isPastEnd(bytes, at)
  return { frames, isWhole: !isCutShort }
}

/** Whether a frame may begin here and end behind what was read. */
function isPastEnd(bytes: Buffer, at: number): boolean {
  if (at + 8 > bytes.length) return true
  const length = bytes.readUInt32LE(at)
  return length > 0 && at + 8 + length > bytes.length
}

function newerSegment(path: string, version: number): JournalError {
  return new JournalError(
    'newer_schema',
    `${path} was written by a newer version of Tongs (segment version ${version}).`,
    'Use the newer version, or set TONGS_STATE_DIR to another folder; the file was not changed.',
  )
}
