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
  /** The lines around it, of which those of an earlier row are left out. */
  readonly context?: readonly ContextLine[]
}

/** A line around a match, without its ending. */
export interface ContextLine {
  readonly line: number
  readonly text: string
  readonly cut?: boolean
}

const LF = 0x0a
const CR = 0x0d

/** Creates the rows for the matches of one file, which come in order. Columns count characters from 1. */
export function createRowMaker(
  path: string,
  bytes: Uint8Array,
  { maxChars, contextLines }: { readonly maxChars: number; readonly contextLines: number },
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

  /** The last line that is in a context already. */
  let told = 0
  /** The lines before and after the current one. */
  const contextOf = (line: number): readonly ContextLine[] => {
    const lines: ContextLine[] = []
    const least = Math.max(line - contextLines, told + 1)
    const bom = bomLength(bytes)
    for (let number = line - 1, end = lineStart - 1; number >= least && end >= bom; number--) {
      const start = Math.max(bom, end === 0 ? 0 : bytes.lastIndexOf(LF, end - 1) + 1)
      lines.push(cutLine(bytes, { number, start, end }, maxChars))
      end = start - 1
    }
    lines.reverse()
    let start = bytes.indexOf(LF, lineEnd) + 1
    for (
      let number = line + 1;
      number <= line + contextLines && start > 0 && start < bytes.length;
      number++
    ) {
      const lf = bytes.indexOf(LF, start)
      const end = lf === -1 ? bytes.length : lf
      if (number > told) lines.push(cutLine(bytes, { number, start, end }, maxChars))
      start = lf + 1
    }
    told = Math.max(told, line, lines.at(-1)?.line ?? 0)
    return lines
  }

  let lineStart = 0
  return (line, from, to) => {
    const isNewLine = line !== counted.line
    if (isNewLine) {
      enterLine(line, from)
      lineStart = counted.at
    }
    const context = contextLines === 0 || !isNewLine ? [] : contextOf(line)
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
    return {
      ...row,
      ...(isCut ? { cut: true } : {}),
      ...(context.length === 0 ? {} : { context }),
    }
  }
}

function cutLine(
  bytes: Uint8Array,
  { number, start, end }: { readonly number: number; readonly start: number; readonly end: number },
  maxChars: number,
): ContextLine {
  const last = end > start && bytes[end - 1] === CR ? end - 1 : end
  const to = forth(bytes, start, last, maxChars)
  const text = decodeText(bytes.subarray(start, to))
  return to < last ? { line: number, text, cut: true } : { line: number, text }
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
