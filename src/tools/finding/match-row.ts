import { bomLength, decodeText } from '../reading/bytes.ts'

/** A match as the caller sees it; a long line is cut around it. */
export interface MatchRow {
  readonly path: string
  readonly line: number
  readonly column: number
  readonly match_text: string
  readonly before: string
  readonly after: string
  readonly cut?: boolean
}

const LF = 0x0a
const CR = 0x0d

/** Creates the rows for the matches of one file, which come in order. Columns count characters from 1. */
export function createRowMaker(
  path: string,
  bytes: Uint8Array,
  maxChars: number,
): (line: number, from: number, to: number) => MatchRow {
  // On a long line with many matches each column is counted from the previous one.
  let counted = { line: 0, at: 0, column: 1 }
  let lineEnd = 0

  const enterLine = (line: number, from: number): void => {
    const start = bytes.lastIndexOf(LF, from - 1)
    counted = { line, at: from === 0 || start === -1 ? bomLength(bytes) : start + 1, column: 1 }
    const end = bytes.indexOf(LF, from)
    lineEnd = end === -1 ? bytes.length : end
    if (bytes[lineEnd - 1] === CR) lineEnd--
  }

  let lineStart = 0
  return (line, from, to) => {
    if (line !== counted.line) {
      enterLine(line, from)
      lineStart = counted.at
    }
    for (let at = counted.at; at < from; at++) if (isFirstByte(bytes[at])) counted.column++
    counted.at = Math.max(counted.at, from)
    const half = Math.ceil(maxChars / 2)
    const beforeFrom = back(bytes, from, lineStart, half)
    const matchTo = forth(bytes, from, to, maxChars)
    const afterFrom = Math.min(to, lineEnd)
    const afterTo = forth(bytes, afterFrom, lineEnd, half)
    const isCut = beforeFrom > lineStart || matchTo < to || afterTo < lineEnd
    const row = {
      path,
      line,
      column: counted.column,
      before: decodeText(bytes.subarray(beforeFrom, from)),
      match_text: decodeText(bytes.subarray(from, matchTo)),
      after: decodeText(bytes.subarray(afterFrom, afterTo)),
    }
    return isCut ? { ...row, cut: true } : row
  }
}

/** Whether the byte begins a character. */
function isFirstByte(byte = 0): boolean {
  return (byte & 0xc0) !== 0x80
}

/** The position a number of characters before another one, but not before `least`. */
function back(bytes: Uint8Array, from: number, least: number, characters: number): number {
  let at = from
  for (let left = characters; left > 0 && at > least; left--) {
    at--
    while (at > least && !isFirstByte(bytes[at])) at--
  }
  return at
}

/** The position a number of characters after another one, but not after `most`. */
function forth(bytes: Uint8Array, from: number, most: number, characters: number): number {
  let at = from
  for (let left = characters; left > 0 && at < most; left--) {
    at++
    while (at < most && !isFirstByte(bytes[at])) at++
  }
  return Math.min(at, most)
}
