import { isUtf8 } from 'node:buffer'
import { SNIFF_BYTES } from '../../config/fixed-values.ts'
import type { LineRange } from '../../core/powers.ts'

/** The most bytes one character can have. */
export const LONGEST_CHARACTER = 4

const utf8 = new TextDecoder('utf-8', { ignoreBOM: true })

/** Decodes bytes known to be UTF-8. A byte order mark is kept. */
export function decodeText(bytes: Uint8Array): string {
  return utf8.decode(bytes)
}

/**
 * Whether bytes are not text: a NUL near the beginning, or invalid UTF-8. A part of a file may end inside a
 * character.
 */
export function isBinary(bytes: Uint8Array, areAll: boolean): boolean {
  if (bytes.subarray(0, SNIFF_BYTES).includes(0)) return true
  return !isUtf8(areAll ? bytes : bytes.subarray(0, endOfCharacter(bytes, bytes.length)))
}

/** The largest offset up to `end` that does not split a character. */
export function endOfCharacter(bytes: Uint8Array, end: number): number {
  for (let back = 1; back < LONGEST_CHARACTER && back <= end; back++) {
    const byte = bytes[end - back] ?? 0
    const isContinuation = (byte & 0xc0) === 0x80
    if (!isContinuation) return characterLength(byte) > back ? end - back : end
  }
  return end
}

function characterLength(firstByte: number): number {
  if (firstByte < 0xc0) return 1
  if (firstByte < 0xe0) return 2
  return firstByte < 0xf0 ? 3 : LONGEST_CHARACTER
}

/** The length of the leading byte order mark; 0 if there is none. */
export function bomLength(bytes: Uint8Array): number {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0
}

/** The byte that ends a line. */
export const LF = 0x0a

/** The byte offsets of a range of lines. */
export interface FoundLines {
  readonly from: number
  /** The end of the last line, including its line ending. */
  readonly to: number
  /** The number of the last line found. */
  readonly lastLine: number
  /** Whether the bytes ended before the range did; the last line may then continue beyond them. */
  readonly isPastEnd: boolean
}

/** Finds a range of lines. A line ends with LF; CRLF keeps its CR, and a bare CR does not end a line. */
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

/** The number of lines; a last line without an ending counts, and an empty file has none. */
export function countLines(bytes: Uint8Array): number {
  let lines = 0
  for (let at = bytes.indexOf(LF); at !== -1; at = bytes.indexOf(LF, at + 1)) lines++
  return bytes.length > 0 && bytes[bytes.length - 1] !== LF ? lines + 1 : lines
}
