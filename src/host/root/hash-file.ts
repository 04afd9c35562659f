import { createHash, hash } from 'node:crypto'
import type { OpenFile } from './root.ts'

/** How much of a file is in memory at a time. */
const PIECE_BYTES = 1024 ** 2
let piece: Uint8Array | null = null

/** The SHA-256 of a file as 64 hex digits, however large it is. */
export function hashFile(file: OpenFile): string {
  const hashing = hashInPieces(file)
  for (;;) {
    const step = hashing.next()
    if (step.done === true) return step.value
  }
}

/** The same; yields between pieces of a large file, so that the caller can pause. */
export function* hashInPieces(file: OpenFile): Generator<null, string> {
  piece ??= new Uint8Array(PIECE_BYTES)
  const first = file.read(piece, 0, PIECE_BYTES, 0)
  // A single hash is several times quicker than a hashing object, and most files are small.
  if (first < PIECE_BYTES && first === file.stat.size) return hash('sha256', piece.subarray(0, first), 'hex')
  const hashing = createHash('sha256')
  for (let at = 0, count = first; count > 0; count = file.read(piece, 0, PIECE_BYTES, at)) {
    hashing.update(piece.subarray(0, count))
    at += count
    // Whatever is read meanwhile uses the same memory, so nothing in it is needed after this.
    yield null
  }
  return hashing.digest('hex')
}
