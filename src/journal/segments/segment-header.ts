import { Buffer } from 'node:buffer'
import { checksum } from '../../host/fs/segment-file.ts'

/** What is written at the beginning of a segment. */
export interface SegmentHeader {
  /** Random; also the name of the file. */
  readonly id: string
  /** The database it belongs to. */
  readonly database: string
  /** The boot in which it was begun; empty if the system does not tell. */
  readonly boot: string
  /** Increases when the segment is begun anew, so that frames of before do not count. */
  readonly epoch: number
}

/** Frames begin after this many bytes. */
export const HEADER_BYTES = 512

const MAGIC = 'tongs-segment'
const VERSION = 1
const NO_BOOT = '-'

/** The header, padded to its size. */
export function encodeHeader({ id, database, boot, epoch }: SegmentHeader): Buffer {
  const text = `${MAGIC} ${VERSION} ${id} ${database} ${boot === '' ? NO_BOOT : boot} ${epoch}`
  return Buffer.from(`${text} ${checksum(Buffer.from(text))}`.padEnd(HEADER_BYTES - 1) + '\n', 'latin1')
}

/** Reads a header. Null if it is cut short or damaged; a number is a version that this program does not know. */
export function decodeHeader(bytes: Buffer): SegmentHeader | number | null {
  const words = bytes.subarray(0, HEADER_BYTES).toString('latin1').trimEnd().split(' ')
  const sum = words.pop()
  const [magic, version, id, database, boot, epoch] = words
  if (magic !== MAGIC || sum !== String(checksum(Buffer.from(words.join(' '))))) return null
  if (Number(version) !== VERSION) return Number(version)
  if (id === undefined || database === undefined || boot === undefined || epoch === undefined) return null
  return { id, database, boot: boot === NO_BOOT ? '' : boot, epoch: Number(epoch) }
}

/** Frames of another segment, or of another epoch, do not match it. */
export function seedOf({ id, epoch }: SegmentHeader): number {
  return checksum(Buffer.from(`${id} ${epoch}`))
}
