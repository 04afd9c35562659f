import type { LineRange } from '../../core/powers.ts'

/** The byte that ends a line. */
export const LF = 0x0a

/** Where some lines lie in a file's bytes. */
export interface FoundLines {
  readonly from: number
  /** The end of the last line, its line ending included. */
  readonly to: number
  /** The number of the last line that was met. */
  readonly lastLine: number
  /** Whether the bytes ended before the range did; its last line may then go on in bytes that are not here. */
  readonly isPastEnd: boolean
}

/** Finds a range of lines. A line ends with LF; CRLF keeps its CR, and a bare CR ends nothing. */
export function findLines(bytes: Uint8Array, start: number, range: LineRange): FoundLines {
  let at = start
  let line = 0
  let from = bytes.length
  while (at < bytes.length) {
    line++
    if (line === range.start_line) from = at
    const lf = bytes.indexOf(LF, at)
    at = lf === -1 ? bytes.length : lf + 1
    if (line === range.end_line && lf !== -1) return { from, to: at, lastLine: line, isPastEnd: false }
  }
  return { from, to: bytes.length, lastLine: line, isPastEnd: true }
}

/** How many lines there are; a last line without an ending counts, an empty file has none. */
export function countLines(bytes: Uint8Array): number {
  let lines = 0
  for (let at = bytes.indexOf(LF); at !== -1; at = bytes.indexOf(LF, at + 1)) lines++
  return bytes.length > 0 && bytes[bytes.length - 1] !== LF ? lines + 1 : lines
}
