import type { Duplex } from 'node:stream'
import { digest } from '../system/hash.ts'

/** What a script is told if it listed what was expected. */
export const AS_EXPECTED = 'same'

/** The digest of a listing, whatever the order of its lines, which are Latin-1 and never empty. */
export function digestListing(lines: readonly string[]): string {
  return digest(Buffer.from(lines.toSorted().join('\0'), 'latin1'))
}

/**
 * Reads a listing that a starting process writes, each line with a zero after it and an empty one at the end, and tells
 * the process whether it has the digest. A process that is not told so must not go on.
 */
export function answerListing(stream: Duplex, expected: string): void {
  const pieces: Buffer[] = []
  let isAtStart = true
  // The process has gone before it was answered.
  stream.on('error', () => stream.destroy())
  stream.on('data', (piece: Buffer) => {
    pieces.push(piece)
    const isWhole = piece.at(-1) === 0 && (piece.length > 1 ? piece.at(-2) === 0 : isAtStart)
    isAtStart = piece.at(-1) === 0
    if (!isWhole) return
    const lines = Buffer.concat(pieces).toString('latin1').split('\0').slice(0, -2)
    stream.end(digestListing(lines) === expected ? `${AS_EXPECTED}\n` : '\n')
  })
}
