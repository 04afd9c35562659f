import { Buffer } from 'node:buffer'
import { createHash, hash } from 'node:crypto'
import type { OpenFile } from '../root/root.ts'

const PIECE_BYTES = 1024 ** 2
const piece = Buffer.allocUnsafeSlow(PIECE_BYTES)

/** The SHA-256 of an open file as 64 hex digits; yields between pieces of a large one, so that the caller can pause. */
export function* hashFile(file: OpenFile): Generator<null, string> {
  const count = file.read(piece, 0, PIECE_BYTES, 0)
  if (count < PIECE_BYTES && count === file.stat.size) return hash('sha256', piece.subarray(0, count), 'hex')
  const sum = createHash('sha256')
  // Read again: while this was paused, another file may have used the memory.
  for (let at = 0; ;) {
    const length = file.read(piece, 0, PIECE_BYTES, at)
    if (length === 0) return sum.digest('hex')
    sum.update(piece.subarray(0, length))
    at += length
    yield null
  }
}
