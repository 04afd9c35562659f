import { Buffer } from 'node:buffer'
import { checksum } from '../../host/fs/segment-file.ts'
import type { Digest } from '../entries/entry.ts'
import type { EntryRow } from '../store/rows.ts'

/** A row on its way to the log. */
export type WaitingRow =
  | { readonly is: 'entry'; readonly session: number; readonly entry: PlainEntry }
  | { readonly is: 'payload'; readonly digest: Digest; readonly bytes: Uint8Array }
  | { readonly is: 'ledger'; readonly session: number; readonly body: string }

/** An entry that says nothing about files. */
export type PlainEntry = Pick<EntryRow, 'seq' | 'at' | 'kind' | 'hash' | 'executions' | 'body' | 'end'>

/** A frame begins with the length and the checksum of its rows. */
export const PREFIX_BYTES = 8

/** Longer frames go to the database directly. */
export const MAX_FRAME_BYTES = 256 * 1024

/** `end` is an entry with the seal of everything up to it. */
const TAGS = { entry: 1, payload: 2, ledger: 3, end: 4 } as const
const HASH_BYTES = 32
const HASH_LENGTH = 2 * HASH_BYTES
const SEAL_LENGTH = 64
/** Each UTF-16 unit becomes at most this many bytes. */
const BYTES_PER_UNIT = 3
const NUMBERS_BYTES = 64

let scratch = Buffer.alloc(16 * 1024)

/**
 * Encodes rows that were written together; null if they are too long. The result is valid until the next call. The
 * seed ties the frame to its segment.
 */
export function encodeFrame(rows: readonly WaitingRow[], seed: number): Buffer | null {
  const most = rows.reduce((sum, row) => sum + mostBytes(row), PREFIX_BYTES)
  if (most > MAX_FRAME_BYTES * BYTES_PER_UNIT) return null
  if (most > scratch.length) scratch = Buffer.alloc(most * 2)
  let at = PREFIX_BYTES
  for (const row of rows) at = encodeRow(row, at)
  if (at > MAX_FRAME_BYTES) return null
  const frame = scratch.subarray(0, at)
  frame.writeUInt32LE(at - PREFIX_BYTES, 0)
  frame.writeUInt32LE(checksum(frame.subarray(PREFIX_BYTES), seed), 4)
  return frame
}

function mostBytes(row: WaitingRow): number {
  switch (row.is) {
    case 'entry': {
      const { kind, executions, body, end = '' } = row.entry
      const named = executions.reduce(
        (sum, execution) => sum + execution.length + 4,
        kind.length + end.length,
      )
      return NUMBERS_BYTES + (HASH_LENGTH + named + body.length) * BYTES_PER_UNIT
    }
    case 'payload':
      return NUMBERS_BYTES + HASH_BYTES + row.bytes.length
    case 'ledger':
      return NUMBERS_BYTES + row.body.length * BYTES_PER_UNIT
  }
}

function encodeRow(row: WaitingRow, from: number): number {
  const isEnd = row.is === 'entry' && row.entry.end !== undefined
  let at = scratch.writeUInt8(TAGS[isEnd ? 'end' : row.is], from)
  switch (row.is) {
    case 'entry': {
      const { seq, at: time, kind, hash, executions, body, end = '' } = row.entry
      at = scratch.writeUInt32LE(row.session, at)
      at = scratch.writeDoubleLE(seq, at)
      at = scratch.writeDoubleLE(time, at)
      at = scratch.writeUInt16LE(hash.length, at)
      at = scratch.writeUInt16LE(kind.length, at)
      at = scratch.writeUInt16LE(executions.length, at)
      for (const { length } of executions) at = scratch.writeUInt32LE(length, at)
      // Each piece that is written costs more than its bytes do.
      return encodeText(end + hash + kind + executions.join('') + body, at)
    }
    case 'payload':
      at += scratch.write(row.digest, at, HASH_BYTES, 'hex')
      at = scratch.writeUInt32LE(row.bytes.length, at)
      scratch.set(row.bytes, at)
      return at + row.bytes.length
    case 'ledger':
      return encodeText(row.body, scratch.writeUInt32LE(row.session, at))
  }
}

function encodeText(text: string, at: number): number {
  const bytes = scratch.write(text, at + 4, 'utf8')
  scratch.writeUInt32LE(bytes, at)
  return at + 4 + bytes
}

/** A frame that was read, and where the next one begins. */
export interface ReadFrame {
  readonly rows: readonly WaitingRow[]
  readonly end: number
}

/** The entries of a session in frames. */
export function entriesIn(frames: readonly ReadFrame[], session: number): readonly PlainEntry[] {
  return frames.flatMap(({ rows }) =>
    rows.flatMap((row) => (row.is === 'entry' && row.session === session ? [row.entry] : [])),
  )
}

/** Decodes the frame at a place in `bytes`; null if there is none, or none that is whole. */
export function decodeFrame(bytes: Buffer, from: number, seed: number): ReadFrame | null {
  if (from + PREFIX_BYTES > bytes.length) return null
  const length = bytes.readUInt32LE(from)
  const start = from + PREFIX_BYTES
  const end = start + length
  if (length === 0 || length > MAX_FRAME_BYTES || end > bytes.length) return null
  const body = bytes.subarray(start, end)
  if (checksum(body, seed) !== bytes.readUInt32LE(from + 4)) return null
  try {
    return { rows: decodeRows(body), end }
  } catch {
    // The checksum is right and the rows are not: no version of this program wrote them.
    return null
  }
}

function decodeRows(body: Buffer): readonly WaitingRow[] {
  const rows: WaitingRow[] = []
  let at = 0
  const take = (bytes: number): Buffer => {
    if (at + bytes > body.length) throw new RangeError('the frame ends in the middle of a row')
    at += bytes
    return body.subarray(at - bytes, at)
  }
  const text = (): string => take(take(4).readUInt32LE()).toString('utf8')
  while (at < body.length) {
    const tag = take(1).readUInt8()
    if (tag === TAGS.payload) {
      const digest = take(HASH_BYTES).toString('hex')
      rows.push({ is: 'payload', digest, bytes: take(take(4).readUInt32LE()) })
      continue
    }
    const session = take(4).readUInt32LE()
    if (tag === TAGS.ledger) rows.push({ is: 'ledger', session, body: text() })
    else if (tag === TAGS.entry || tag === TAGS.end) {
      const [seq, time] = [take(8).readDoubleLE(), take(8).readDoubleLE()]
      const lengths = [take(2).readUInt16LE(), take(2).readUInt16LE()]
      const calls = take(2).readUInt16LE()
      for (let call = 0; call < calls; call++) lengths.push(take(4).readUInt32LE())
      const joined = text()
      const sealed = tag === TAGS.end ? { end: joined.slice(0, SEAL_LENGTH) } : {}
      const [hash = '', kind = '', ...executions] = piecesOf(joined.slice(sealed.end?.length ?? 0), lengths)
      const rest = executions.pop() ?? ''
      rows.push({
        is: 'entry',
        session,
        entry: { seq, at: time, kind, hash, executions, body: rest, ...sealed },
      })
    } else throw new RangeError(`no row has the tag ${tag}`)
  }
  return rows
}

/** A text in pieces of these lengths, and the rest of it. */
function piecesOf(text: string, lengths: readonly number[]): readonly string[] {
  let from = 0
  const pieces = lengths.map((length) => text.slice(from, (from += length)))
  return [...pieces, text.slice(from)]
}
