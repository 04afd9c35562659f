import { closeSync, openSync, readSync } from 'node:fs'
import { isatty } from 'node:tty'
import { UsageError } from './errors.ts'

/** Far beyond all limits on arguments; an endless pipe must not fill the memory. */
const MOST_BYTES = 64 * 1024 * 1024
const STDIN = 0
const CHUNK_BYTES = 64 * 1024
/** The pause between two reads of a non-blocking stdin. */
const PATIENCE_MS = 5

/** Reads all of stdin as text. Touching `process.stdin` would make the descriptor non-blocking. */
export function readStdin(what = 'the JSON'): string {
  if (isatty(STDIN)) throw new UsageError('nothing on stdin', `pipe ${what} in, or give it as a word`)
  return decode(readToEnd(STDIN), 'stdin')
}

/** Reads up to the limit and a little more. The parent process may have made stdin non-blocking as well. */
function readToEnd(fd: number): Uint8Array {
  const pieces: Uint8Array[] = []
  let total = 0
  for (;;) {
    const piece = new Uint8Array(CHUNK_BYTES)
    const count = readPiece(fd, piece)
    if (count === 0) break
    if (count === null) {
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PATIENCE_MS)
      continue
    }
    pieces.push(piece.subarray(0, count))
    total += count
    if (total > MOST_BYTES) break
  }
  return Buffer.concat(pieces)
}

/** How much was read; 0 at the end, null if there is nothing yet. */
function readPiece(fd: number, piece: Uint8Array): number | null {
  try {
    return readSync(fd, piece)
  } catch (thrown) {
    const code = thrown instanceof Error && 'code' in thrown ? thrown.code : null
    if (code === 'EAGAIN') return null
    if (code === 'EOF') return 0
    throw thrown
  }
}

/** Reads a file that the user named; it may be a pipe, or have no end. */
export function readInput(path: string): string {
  try {
    const fd = openSync(path, 'r')
    try {
      return decode(readToEnd(fd), path)
    } finally {
      closeSync(fd)
    }
  } catch (thrown) {
    if (thrown instanceof UsageError) throw thrown
    throw new UsageError(`cannot read ${path}`, 'name a file with a JSON array in it, or - for stdin')
  }
}

function decode(bytes: Uint8Array, from: string): string {
  if (bytes.length > MOST_BYTES)
    throw new UsageError(
      `${from} has more than ${MOST_BYTES} bytes`,
      'send less, in several batches if needed',
    )
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new UsageError(`${from} is not valid UTF-8`, 'send the JSON as UTF-8')
  }
}
