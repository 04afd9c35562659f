import type { Buffer } from 'node:buffer'
import { join } from 'node:path'
import { namesIn, oddNamesIn, readSpan } from '../../host/fs/private-files.ts'
import type { Sqlite } from '../../host/db/sqlite.ts'
import { JournalError } from '../journal-error.ts'
import { decodeFrame, PREFIX_BYTES } from './frame.ts'
import type { ReadFrame } from './frame.ts'
import { isEmptyDraft, MOST_BYTES, recoverHeader } from './recover-header.ts'
import type { Headless } from './recover-header.ts'
import { decodeHeader, HEADER_BYTES, seedOf } from './segment-header.ts'
import type { SegmentHeader } from './segment-header.ts'
import { readTakenUp } from './taken-up.ts'

/** A segment as it was found. */
export interface FoundSegment {
  readonly path: string
  readonly header: SegmentHeader
}

const NAME = /^([0-9a-f]{32})\.log$/
const NAME_OF_LOCK = /^([0-9a-f]{32})\.log\.lock$/

/** Enough for what usually waits; more is read if it goes on. */
const READ_BYTES = 64 * 1024

/** The path of a segment. */
export function segmentPath(folder: string, id: string): string {
  return join(folder, `${id}.log`)
}

/** The lock that the owner of a segment holds. */
export function segmentLock(folder: string, id: string): string {
  return `${segmentPath(folder, id)}.lock`
}

/** Whatever is named like a segment or its lock and is not a file; it is never opened, and its segment is passed over. */
export function findOddSegments(folder: string): readonly string[] {
  return [...oddNamesIn(folder)].filter((name) => NAME.test(name) || NAME_OF_LOCK.test(name)).toSorted()
}

/** The names of segments and locks, without those that are not files. */
function segmentNames(folder: string): readonly string[] {
  const odd = new Set(findOddSegments(folder).map(idOf))
  return namesIn(folder).filter((name) => {
    const id = idOf(name)
    return id !== undefined && !odd.has(id)
  })
}

function idOf(name: string): string | undefined {
  return NAME.exec(name)?.[1] ?? NAME_OF_LOCK.exec(name)?.[1]
}

/** Where segments are, and what they belong to. */
export interface SegmentPlace {
  readonly sqlite: Sqlite
  readonly folder: string
  /** The database's id. */
  readonly database: string
}

/** The segments in a folder that belong to a database, but not one's own. */
export function findSegments(
  { sqlite, folder, database }: SegmentPlace,
  own: string | null,
): readonly FoundSegment[] {
  return segmentNames(folder).flatMap((name) => {
    const id = NAME.exec(name)?.[1]
    if (id === undefined || id === own) return []
    const path = join(folder, name)
    const header = readHeader(path) ?? recoverHeader(sqlite, { path, id }, database)
    if (typeof header === 'number') throw newerSegment(path, header)
    return header === null || header.database !== database ? [] : [{ path, header }]
  })
}

/** A file without a readable header. */
export interface Draft extends Headless {
  /** Whether it holds nothing, because the process died while it made it; otherwise it was damaged. */
  readonly isEmpty: boolean
}

/** Segments whose header cannot be read, nor recovered from what follows it, and locks without a segment. */
export function findDrafts({ sqlite, folder, database }: SegmentPlace): readonly Draft[] {
  const names = segmentNames(folder)
  return names.flatMap((name): readonly Draft[] => {
    const id = idOf(name)
    if (id === undefined) return []
    const found = { path: segmentPath(folder, id), id }
    if (!NAME.test(name)) return names.includes(`${id}.log`) ? [] : [{ ...found, isEmpty: true }]
    if (readHeader(found.path) !== null) return []
    if (isEmptyDraft(found)) return [{ ...found, isEmpty: true }]
    return recoverHeader(sqlite, found, database) === null ? [{ ...found, isEmpty: false }] : []
  })
}

function readHeader(path: string): SegmentHeader | number | null {
  const bytes = readSpan(path, 0, HEADER_BYTES)
  return bytes === null ? null : decodeHeader(bytes)
}

/** Whether something may wait in a segment. */
export function isWaiting(sqlite: Sqlite, { path, header }: FoundSegment): boolean {
  const { taken } = readTakenUp(sqlite, header)
  if (taken >= MOST_BYTES) return false
  return readSpan(path, taken, taken + PREFIX_BYTES)?.some((byte) => byte !== 0) === true
}

/** The frames that the log does not include; a torn one ends them. */
export function readWaiting(sqlite: Sqlite, { path, header }: FoundSegment): readonly ReadFrame[] {
  const { taken } = readTakenUp(sqlite, header)
  if (taken >= MOST_BYTES) return []
  const bytes = readSpan(path, taken, taken + READ_BYTES)
  if (bytes === null) return []
  const near = framesIn(bytes, header, taken)
  if (bytes.length < READ_BYTES || !mayGoOn(bytes, near)) return near.frames
  return framesIn(readSpan(path, taken, MOST_BYTES) ?? bytes, header, taken).frames
}

/** The place of a bad frame that a whole one follows, so that something there was damaged; null if there is none. */
export function findGap(sqlite: Sqlite, { path, header }: FoundSegment): number | null {
  const { taken } = readTakenUp(sqlite, header)
  const bytes = taken >= MOST_BYTES ? null : readSpan(path, taken, MOST_BYTES)
  if (bytes === null) return null
  const seed = seedOf(header)
  const { end } = framesIn(bytes, header, taken)
  for (let at = end + 1; at + PREFIX_BYTES < bytes.length; at++)
    if (decodeFrame(bytes, at, seed) !== null) return taken + end
  return null
}

interface Frames {
  readonly frames: readonly ReadFrame[]
  /** Where they end in the bytes. */
  readonly end: number
}

function framesIn(bytes: Buffer, header: SegmentHeader, from: number): Frames {
  const frames: ReadFrame[] = []
  const seed = seedOf(header)
  let end = 0
  for (let frame = decodeFrame(bytes, end, seed); frame !== null; frame = decodeFrame(bytes, end, seed)) {
    end = frame.end
    frames.push({ rows: frame.rows, end: from + end })
  }
  return { frames, end }
}

/** Whether a frame may begin in these bytes and end behind them. */
function mayGoOn(bytes: Buffer, { end }: Frames): boolean {
  if (end + PREFIX_BYTES > bytes.length) return true
  return end + PREFIX_BYTES + bytes.readUInt32LE(end) > bytes.length
}

function newerSegment(path: string, version: number): JournalError {
  return new JournalError(
    'newer_schema',
    `${path} was written by a newer version of Tongs (segment version ${version}).`,
    'Use the newer version, or set TONGS_STATE_DIR to another folder; the file was not changed.',
  )
}
